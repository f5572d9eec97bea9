/** Addresses: `/skills/pdf-tools?tab=files`. Every view can be linked to and comes back with the Back key. */
import { useEffect, useState } from 'preact/hooks';

export interface Place {
  readonly view: string;
  /** What of the view is shown, for example the name of a skill; empty for the view itself. */
  readonly item: string;
  readonly query: URLSearchParams;
}

const CHANGED = 'colibri:moved';

export function placeOf(url: URL): Place {
  const [view = '', ...rest] = url.pathname.split('/').filter((part) => part !== '');
  return { view, item: rest.map(decode).join('/'), query: url.searchParams };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A half-written escape in the address names nothing; as it stands it is not found, and says so.
    return part;
  }
}

export function addressOf(view: string, item = '', query: Readonly<Record<string, string>> = {}): string {
  const words = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  const path = item === '' ? `/${view}` : `/${view}/${encodeURIComponent(item)}`;
  return words.size === 0 ? path : `${path}?${words}`;
}

export function moveTo(address: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  dispatchEvent(new Event(CHANGED));
}

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(new URL(location.href)));
  useEffect(() => {
    const look = () => setPlace(placeOf(new URL(location.href)));
    addEventListener('popstate', look);
    addEventListener(CHANGED, look);
    return () => {
      removeEventListener('popstate', look);
      removeEventListener(CHANGED, look);
    };
  }, []);
  return place;
}

/** Links of the page move without loading it again; with a modifier key the browser does what it always does. */
export function followLink(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest?.('a');
  if (link === null || link === undefined || link.target !== '' || link.origin !== location.origin) return;
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (/^\/(?:v1|mcp|metrics|healthz)(?:\/|$)/.test(link.pathname)) return;
  event.preventDefault();
  moveTo(link.pathname + link.search);
}
