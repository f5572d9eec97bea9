/** A list of any length: only the rows in sight exist. Moved through with the arrow keys. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface VirtualListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly rowHeight: number;
  readonly keyOf: (item: Item) => string;
  /** The key of the row that is marked; empty for none. */
  readonly selected: string;
  readonly onSelect: (item: Item) => void;
  readonly children: (item: Item) => ComponentChildren;
}

/** Rows beyond the edges, so that fast scrolling shows no gaps. */
const SPARE_ROWS = 8;
const FIRST_HEIGHT = 800;

export function VirtualList<Item>(props: VirtualListProps<Item>): JSX.Element {
  const { items, rowHeight, keyOf, selected, onSelect, label } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: FIRST_HEIGHT });
  const index = selected === '' ? -1 : items.findIndex((item) => keyOf(item) === selected);

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);

  useEffect(() => {
    const element = frame.current;
    if (element === null || index < 0) return;
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight;
  }, [index, rowHeight]);

  const first = Math.max(0, Math.floor(view.top / rowHeight) - SPARE_ROWS);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / rowHeight) + SPARE_ROWS);
  const move = (event: KeyboardEvent): void => {
    const next = nextIndex(event.key, index, {
      count: items.length,
      page: Math.floor(view.height / rowHeight),
    });
    const item = next === null ? undefined : items[next];
    if (item === undefined) return;
    event.preventDefault();
    onSelect(item);
  };
  return (
    <div
      ref={frame}
      class="rows"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={index < 0 ? undefined : `row-${index}`}
      onKeyDown={move}
      onScroll={(event) => {
        const { scrollTop, clientHeight } = event.currentTarget;
        setView({ top: scrollTop, height: clientHeight });
      }}
    >
      <div class="rows-all" role="presentation" style={{ height: `${items.length * rowHeight}px` }}>
        {items.slice(first, last).map((item, offset) => (
          <div
            key={keyOf(item)}
            id={`row-${first + offset}`}
            class="row"
            role="option"
            aria-selected={first + offset === index}
            aria-setsize={items.length}
            aria-posinset={first + offset + 1}
            style={{ top: `${(first + offset) * rowHeight}px`, height: `${rowHeight}px` }}
            onClick={() => onSelect(item)}
          >
            {props.children(item)}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Null for keys that do not move. */
export function nextIndex(
  key: string,
  index: number,
  { count, page }: { readonly count: number; readonly page: number },
): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + page,
    PageUp: index - page,
    Home: 0,
    End: count - 1,
  };
  const wanted = steps[key];
  return wanted === undefined || count === 0 ? null : Math.min(count - 1, Math.max(0, wanted));
}
