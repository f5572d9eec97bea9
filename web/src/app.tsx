import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Status } from './api/contract.ts';
import { type LiveState, listen } from './api/live.ts';
import { useData } from './api/use-data.ts';
import { followLink, moveTo, type Place, usePlace } from './router.ts';
import { count } from './ui/format.ts';
import { Empty } from './ui/states.tsx';
import { ThemeButton } from './ui/theme.tsx';
import { VIEWS, type View } from './views/table.ts';

export function App(): JSX.Element {
  const place = usePlace();
  const status = useData<Status>('/v1/status');
  const known = status.state === 'ready' ? status.value : null;
  const view = VIEWS.find(({ name }) => name === place.view);
  useShortcuts();
  useEffect(() => {
    if (place.view === '') moveTo('/skills', { replace: true });
    document.title = [place.item, view?.title, 'Colibri'].filter((part) => part).join(' · ');
  }, [place.view, place.item, view]);
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="rail">
        <a class="mark" href="/skills" aria-label="Colibri">
          <Bird />
          <span>colibri</span>
        </a>
        <nav aria-label="Views">
          {VIEWS.map((each) => (
            <NavLink key={each.name} view={each} current={each === view} status={known} />
          ))}
        </nav>
        <footer>
          <Live />
          {known !== null && (
            <p class="quiet where" title={known.workspace}>
              {known.workspace} <span>v{known.version}</span>
            </p>
          )}
          <ThemeButton />
        </footer>
      </header>
      <main id="main" tabIndex={-1}>
        {known?.stale != null && <p class="notice">{known.stale}. What you see is the last good index.</p>}
        <Body view={view} place={place} />
      </main>
    </div>
  );
}

function NavLink({
  view,
  current,
  status,
}: {
  readonly view: View;
  readonly current: boolean;
  readonly status: Status | null;
}): JSX.Element {
  const number = status === null ? null : (view.count?.(status) ?? null);
  return (
    <a href={`/${view.name}`} aria-current={current ? 'page' : undefined}>
      {view.title}
      {number !== null && <small>{count(number)}</small>}
    </a>
  );
}

/** The code of a view comes when it is first looked at. */
function Body({ view, place }: { readonly view: View | undefined; readonly place: Place }): JSX.Element {
  const [loaded, setLoaded] = useState<{ view: View; Show: (props: { place: Place }) => JSX.Element } | null>(
    null,
  );
  useEffect(() => {
    if (view === undefined) return;
    let wanted = true;
    view.load().then(
      (Show) => wanted && setLoaded({ view, Show }),
      () => location.reload(),
    );
    return () => {
      wanted = false;
    };
  }, [view]);
  if (view === undefined && place.view !== '')
    return (
      <Empty title="There is no such view">
        <p>
          <a href="/skills">Go to the skills</a>
        </p>
      </Empty>
    );
  if (loaded === null || loaded.view !== view) return <p class="quiet pad">Loading …</p>;
  return <loaded.Show place={place} />;
}

function Live(): JSX.Element {
  const [state, setState] = useState<LiveState>('connecting');
  useEffect(() => listen({ state: setState }), []);
  const words = { connecting: 'connecting', live: 'live', lost: 'connection lost' };
  return (
    <p class={`signal ${state}`} role="status">
      {words[state]}
    </p>
  );
}

/** `/` goes to the search of the view, wherever one is; links move without loading the page again. */
function useShortcuts(): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      const typing = event.target instanceof Element && event.target.matches('input, textarea, select');
      if (event.key !== '/' || typing || event.metaKey || event.ctrlKey || event.altKey) return;
      const search = document.querySelector<HTMLInputElement>('input[type="search"]');
      if (search === null) return;
      event.preventDefault();
      search.focus();
      search.select();
    };
    addEventListener('keydown', hear);
    addEventListener('click', followLink);
    return () => {
      removeEventListener('keydown', hear);
      removeEventListener('click', followLink);
    };
  }, []);
}

function Bird(): JSX.Element {
  return (
    <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
      <path d="M3 10 L17 12 C19 8 22 7 25 8 L31 6.5 L26 10.5 C26 16 22 20 16 21 L9 28 L11 20 C7 18 4 14 3 10 Z" />
    </svg>
  );
}
