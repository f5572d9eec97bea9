import type { ComponentChildren, JSX } from 'preact';

import { moveTo } from '../router.ts';

export interface Tab {
  readonly name: string;
  readonly title: string;
  readonly count?: number | null;
}

interface TabsProps {
  readonly tabs: readonly Tab[];
  readonly current: string;
  readonly addressOf: (name: string) => string;
  readonly children: ComponentChildren;
}

/** Left and right move between them, as tabs do everywhere. */
export function Tabs({ tabs, current, addressOf, children }: TabsProps): JSX.Element {
  const index = Math.max(
    0,
    tabs.findIndex(({ name }) => name === current),
  );
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = step === undefined ? undefined : tabs[(index + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    moveTo(addressOf(next.name), { replace: true });
    document.getElementById(`tab-${next.name}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" onKeyDown={move}>
        {tabs.map(({ name, title, count }, position) => (
          <button
            key={name}
            id={`tab-${name}`}
            type="button"
            role="tab"
            aria-selected={position === index}
            aria-controls="tab-panel"
            tabIndex={position === index ? 0 : -1}
            onClick={() => moveTo(addressOf(name), { replace: true })}
          >
            {title}
            {count != null && count > 0 && <small>{count}</small>}
          </button>
        ))}
      </div>
      <div id="tab-panel" class="panel" role="tabpanel" aria-labelledby={`tab-${tabs[index]?.name ?? ''}`}>
        {children}
      </div>
    </>
  );
}
