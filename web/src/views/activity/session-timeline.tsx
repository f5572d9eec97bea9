import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { ApiFailure, postJson } from '../../api/client.ts';
import type { Event, ReplayReport, Session, SessionEvents } from '../../api/contract.ts';
import { useData } from '../../api/use-data.ts';
import { addressOf } from '../../router.ts';
import { clock, count, foreign, moment, plural } from '../../ui/format.ts';
import { Await } from '../../ui/states.tsx';
import { kindOf, summaryOf } from './event-text.ts';

export function SessionTimeline({ id }: { readonly id: string }): JSX.Element {
  const path = `/v1/sessions/${encodeURIComponent(id)}`;
  const session = useData<Session>(path);
  const events = useData<SessionEvents>(`${path}/events?level=private`);
  return (
    <div class="page">
      <p>
        <a href="/activity">← activity</a>
      </p>
      <Await data={session}>
        {(found) => (
          <>
            <header>
              <h1>{foreign(String(found.options['agent_id'] ?? 'A session'))}</h1>
              <p class="lede">
                {moment(found.opened_at)} to{' '}
                {found.closed_at === null ? 'now, still open' : moment(found.closed_at)}
              </p>
              <ul class="chips">
                <li>{String(found.options['agent_tier'])}</li>
                <li>generation {found.generation} of the catalog</li>
                <li class="mono">{found.id}</li>
              </ul>
            </header>
            <Used session={found} />
          </>
        )}
      </Await>
      <Replay path={path} />
      <h2>Timeline</h2>
      <Await data={events}>{({ items }) => <Timeline events={items} />}</Await>
    </div>
  );
}

function Used({ session }: { readonly session: Session }): JSX.Element {
  const budget = (session.options['budget'] ?? {}) as Readonly<Record<string, number>>;
  const counted = session.loaded.filter(({ counted }) => counted);
  const tokens = counted.reduce((sum, load) => sum + load.tokens, 0);
  return (
    <>
      <Meter label="loads" value={counted.length} max={budget['max_loads'] ?? 0} />
      <Meter label="tokens" value={tokens} max={budget['max_tokens'] ?? 0} />
      <ul class="chips">
        {session.loaded.map(({ name, tokens: each, reason }) => (
          <li key={name} title={`${plural(each, 'token')}, ${reason.replaceAll('_', ' ')}`}>
            <a href={addressOf('skills', name)}>{foreign(name)}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

function Meter(props: { readonly label: string; readonly value: number; readonly max: number }): JSX.Element {
  const { label, value, max } = props;
  return (
    <p class="meter">
      <meter min={0} max={Math.max(1, max)} value={value} aria-label={label} />
      {count(value)} of {count(max)} {label}
    </p>
  );
}

type Outcome = { readonly report: ReplayReport } | { readonly failure: string } | 'running';

function Replay({ path }: { readonly path: string }): JSX.Element {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const run = (live: boolean): void => {
    setOutcome('running');
    postJson<ReplayReport>(`${path}/replay`, { live }).then(
      (report) => setOutcome({ report }),
      (error: unknown) =>
        setOutcome({ failure: error instanceof ApiFailure ? error.message : String(error) }),
    );
  };
  return (
    <section class="replay">
      <h2>Replay</h2>
      <button type="button" onClick={() => run(false)}>
        From its records
      </button>{' '}
      <button type="button" onClick={() => run(true)}>
        Against today’s skills
      </button>
      <div role="status">{outcome !== null && <ReplayOutcome outcome={outcome} />}</div>
    </section>
  );
}

function ReplayOutcome({ outcome }: { readonly outcome: Outcome }): JSX.Element {
  if (outcome === 'running') return <p class="quiet">Running it again …</p>;
  if ('failure' in outcome) return <p class="notice">{outcome.failure}</p>;
  const { equal, events, difference, mode, taken } = outcome.report;
  if (equal || difference === null)
    return (
      <p>
        <span class="effect allow">equal</span> {plural(events, 'event')} came out the same
        {mode === 'live' ? ' with the skills of today' : ''}.
        {taken.length > 0 && ` ${plural(taken.length, 'call')} were taken as recorded.`}
      </p>
    );
  return (
    <>
      <p>
        <span class="effect deny">differs</span> first at event {difference.event} (
        <code>{difference.type}</code>), in <code>{foreign(difference.where)}</code>:
      </p>
      <dl class="facts">
        <div>
          <dt>recorded</dt>
          <dd class="mono">{foreign(difference.recorded)}</dd>
        </div>
        <div>
          <dt>replayed</dt>
          <dd class="mono">{foreign(difference.replayed)}</dd>
        </div>
      </dl>
    </>
  );
}

function Timeline({ events }: { readonly events: readonly Event[] }): JSX.Element {
  return (
    <ol class="timeline">
      {events.map((event) => (
        <li key={event.seq} class={kindOf(event.type)}>
          <time class="quiet" dateTime={event.at}>
            {clock(event.at)}
          </time>{' '}
          <strong>{event.type}</strong> <span class="what">{summaryOf(event)}</span>
          <details>
            <summary>payload</summary>
            <pre tabIndex={0}>
              {JSON.stringify(event.payload, null, 2).split('\n').map(foreign).join('\n')}
            </pre>
          </details>
        </li>
      ))}
    </ol>
  );
}
