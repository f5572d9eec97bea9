import type { JSX } from 'preact';

import type { SessionPage } from '../../api/contract.ts';
import { useData } from '../../api/use-data.ts';
import { addressOf, moveTo, type Place } from '../../router.ts';
import { clock, count, foreign, moment, plural } from '../../ui/format.ts';
import { Await, Empty, Failure } from '../../ui/states.tsx';
import { kindOf, summaryOf } from './event-text.ts';
import { SessionTimeline } from './session-timeline.tsx';
import { useEvents } from './use-events.ts';

const KINDS = ['skill', 'tool', 'session', 'policy', 'task', 'agent'];

export function ActivityView({ place }: { place: Place }): JSX.Element {
  if (place.item !== '') return <SessionTimeline id={place.item} />;
  return (
    <div class="page wide">
      <header>
        <h1>Activity</h1>
        <p class="lede">Everything that happened, as it happens. Each line is a link of a chain of hashes.</p>
      </header>
      <div class="columns">
        <Feed place={place} />
        <Sessions />
      </div>
    </div>
  );
}

function Feed({ place }: { readonly place: Place }): JSX.Element {
  const kind = place.query.get('kind') ?? '';
  const words = place.query.get('q') ?? '';
  const { events, failure, more, loadMore } = useEvents();
  const wanted = words.toLowerCase();
  const shown = events.filter(
    (event) =>
      (kind === '' || kindOf(event.type) === kind) &&
      (wanted === '' || `${event.type} ${summaryOf(event)} ${event.actor}`.toLowerCase().includes(wanted)),
  );
  const go = (more: Readonly<Record<string, string>>) =>
    moveTo(addressOf('activity', '', { kind, q: words, ...more }), { replace: true });
  return (
    <section aria-label="Events">
      <search class="tools">
        <input
          type="search"
          placeholder="Filter events"
          aria-label="Filter events"
          value={words}
          onInput={(event) => go({ q: event.currentTarget.value })}
        />
        <select aria-label="kind" value={kind} onChange={(event) => go({ kind: event.currentTarget.value })}>
          <option value="">kind</option>
          {KINDS.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </search>
      {failure !== null && <Failure failure={failure} />}
      {shown.length === 0 && failure === null && (
        <Empty title="No events">
          <p>Load a skill, or edit one on disk, and it appears here at once.</p>
        </Empty>
      )}
      <ol class="events">
        {shown.map((event) => (
          <li key={event.seq} class={kindOf(event.type)}>
            <span class="quiet number">{count(event.seq)}</span>
            <time class="quiet" dateTime={event.at} title={moment(event.at)}>
              {clock(event.at)}
            </time>
            <strong>{event.type}</strong>
            <span class="what">{summaryOf(event)}</span>
            {event.session_id === null ? (
              <span class="quiet">{foreign(event.actor)}</span>
            ) : (
              <a href={addressOf('activity', event.session_id)}>session</a>
            )}
          </li>
        ))}
      </ol>
      {more && (
        <button type="button" onClick={loadMore}>
          Older events
        </button>
      )}
    </section>
  );
}

function Sessions(): JSX.Element {
  const sessions = useData<SessionPage>('/v1/sessions?limit=50');
  return (
    <section aria-label="Sessions">
      <h2>Sessions</h2>
      <Await data={sessions}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="quiet">No agent has opened a session yet.</p>
          ) : (
            <ul class="links">
              {items.map(({ id, opened_at, closed_at, agent_id, agent_tier, loads, tokens }) => (
                <li key={id}>
                  <a href={addressOf('activity', id)}>
                    <strong>{foreign(agent_id ?? 'somebody')}</strong> <span class="quiet">{agent_tier}</span>
                    <br />
                    <span class="quiet">
                      {moment(opened_at)}
                      {closed_at === null ? ', open' : ''}; {plural(loads, 'load')}, {plural(tokens, 'token')}
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Await>
    </section>
  );
}
