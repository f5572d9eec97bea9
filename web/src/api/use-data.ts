/** Answers of the API for components: cached by address, and asked for again when the registry changed. */
import { useEffect, useState } from 'preact/hooks';

import { ApiFailure, getJson } from './client.ts';
import { listen } from './live.ts';

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: T; readonly fresh: boolean }
  | { readonly state: 'failed'; readonly failure: ApiFailure };

const cache = new Map<string, unknown>();
const CACHE_MAX = 200;

/** Null asks for nothing. While a newer answer is on its way the older one stays. */
export function useData<T>(path: string | null): Loaded<T> {
  const revision = useRevision();
  const [loaded, setLoaded] = useState<{ path: string | null; answer: Loaded<T> }>(() => ({
    path,
    answer: known<T>(path),
  }));
  useEffect(() => {
    if (path === null) return;
    const giveUp = new AbortController();
    setLoaded({ path, answer: known<T>(path) });
    getJson<T>(path, giveUp.signal).then(
      (value) => {
        remember(path, value);
        setLoaded({ path, answer: { state: 'ready', value, fresh: true } });
      },
      (error: unknown) => {
        if (!giveUp.signal.aborted)
          setLoaded({ path, answer: { state: 'failed', failure: failureOf(error) } });
      },
    );
    return () => giveUp.abort();
  }, [path, revision]);
  // An answer to another question is none.
  return loaded.path === path ? loaded.answer : known<T>(path);
}

/** Grows whenever the skills have changed on disk, or somebody asks to look again. */
export function useRevision(): number {
  const [revision, setRevision] = useState(current);
  useEffect(() => {
    watch();
    watchers.add(setRevision);
    return () => {
      watchers.delete(setRevision);
    };
  }, []);
  return revision;
}

export function lookAgain(): void {
  current++;
  for (const tell of watchers) tell(current);
}

const watchers = new Set<(revision: number) => void>();
let current = 0;
let watching = false;

function watch(): void {
  if (watching) return;
  watching = true;
  let lost = false;
  listen({
    events: (events) => {
      if (events.some(({ type }) => CHANGES.has(type) || /^(?:task|agent)\./.test(type))) lookAgain();
    },
    state: (state) => {
      // Whatever happened while nobody listened.
      if (state === 'live' && lost) lookAgain();
      lost = state === 'lost';
    },
  });
}

const CHANGES: ReadonlySet<string> = new Set(['skill.catalog_updated', 'policy.decision', 'skill.warning']);

function known<T>(path: string | null): Loaded<T> {
  if (path === null || !cache.has(path)) return { state: 'loading' };
  return { state: 'ready', value: cache.get(path) as T, fresh: false };
}

function remember(path: string, value: unknown): void {
  cache.delete(path);
  cache.set(path, value);
  const [oldest] = cache.keys();
  if (cache.size > CACHE_MAX && oldest !== undefined) cache.delete(oldest);
}

function failureOf(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure({ status: 0, code: 'UNKNOWN', detail: String(error) });
}
