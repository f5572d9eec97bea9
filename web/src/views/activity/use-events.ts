import { useEffect, useState } from 'preact/hooks';

import { ApiFailure, getJson } from '../../api/client.ts';
import type { Event, EventPage } from '../../api/contract.ts';
import { listen } from '../../api/live.ts';

const PAGE = 200;
/** Older ones are left to the log. */
const KEPT_MAX = 2_000;

interface Events {
  /** Newest first. */
  readonly events: readonly Event[];
  readonly failure: ApiFailure | null;
  /** Whether there are older ones. */
  readonly more: boolean;
  loadMore(): void;
}

export function useEvents(): Events {
  const [events, setEvents] = useState<readonly Event[]>([]);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const [more, setMore] = useState(false);
  const load = (before: string): void => {
    getJson<EventPage>(`/v1/events?newest=true&level=private&limit=${PAGE}${before}`).then(
      (page) => {
        setEvents((known) => merged(known, page.items));
        setMore(page.next !== null);
      },
      (error: unknown) => error instanceof ApiFailure && setFailure(error),
    );
  };
  useEffect(() => {
    load('');
    return listen({ events: (news) => setEvents((known) => merged(known, news)) });
  }, []);
  return { events, failure, more, loadMore: () => load(`&before=${events.at(-1)?.seq ?? ''}`) };
}

function merged(known: readonly Event[], news: readonly Event[]): readonly Event[] {
  const all = new Map([...known, ...news].map((event) => [event.seq, event]));
  return [...all.values()].sort((a, b) => b.seq - a.seq).slice(0, KEPT_MAX);
}
