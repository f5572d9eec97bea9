import type { JSX } from 'preact';

import type { PoolReport, TaskDetail } from '../../api/contract.ts';
import { useData } from '../../api/use-data.ts';
import { addressOf } from '../../router.ts';
import { clock, foreign, moment, shortDigest } from '../../ui/format.ts';
import { Await } from '../../ui/states.tsx';

export function TaskPage({ id }: { readonly id: string }): JSX.Element {
  const path = `/v1/tasks/${encodeURIComponent(id)}`;
  const detail = useData<TaskDetail>(path);
  const pool = useData<PoolReport>(`${path}/pool`);
  return (
    <div class="page">
      <p>
        <a href="/work">← work</a>
      </p>
      <Await data={detail}>{(found) => <Found detail={found} />}</Await>
      <h2>Who could do it</h2>
      <Await data={pool}>
        {({ profiles, empty, strategy }) => (
          <>
            <p class="quiet">
              {empty === null ? `Chosen by ${strategy}.` : `${empty.code}: ${foreign(empty.reason)}`}
            </p>
            {profiles.length > 0 && (
              <table>
                <thead>
                  <tr>
                    <th>profile</th>
                    <th>eligible</th>
                    <th>busy</th>
                  </tr>
                </thead>
                <tbody>
                  {profiles.map(({ profile, eligible, why, active, max }) => (
                    <tr key={profile}>
                      <td class="mono">{foreign(profile)}</td>
                      <td>{eligible ? 'yes' : `no: ${foreign(why)}`}</td>
                      <td>
                        {active} of {max}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </>
        )}
      </Await>
    </div>
  );
}

function Found({ detail }: { readonly detail: TaskDetail }): JSX.Element {
  const { task, skills, checkpoints, answers, updates, thoughts } = detail;
  return (
    <>
      <header>
        <h1>{foreign(task.title)}</h1>
        <p class="lede">{foreign(task.description)}</p>
        <ul class="chips">
          <li>{task.state.toLowerCase()}</li>
          <li>
            attempt {task.attempt} of {task.max_attempts}
          </li>
          <li>{task.pool}</li>
          {task.branch !== null && <li class="mono">{foreign(task.branch)}</li>}
          {skills.map(({ name }) => (
            <li key={name}>
              <a href={addressOf('skills', name)}>{foreign(name)}</a>
            </li>
          ))}
        </ul>
        {task.reason !== null && (
          <p class="notice">
            {task.code !== null && <code>{task.code}</code>} {foreign(task.reason)}
          </p>
        )}
      </header>
      <h2>Phases</h2>
      {checkpoints.length === 0 ? (
        <p class="quiet">None has begun.</p>
      ) : (
        <ol class="timeline">
          {checkpoints.map(({ attempt, phase, status, started_at, head_sha }) => (
            <li key={`${attempt}${phase}`} class={status === 'failed' ? 'policy' : 'task'}>
              <time class="quiet" dateTime={started_at}>
                {clock(started_at)}
              </time>{' '}
              <strong>{phase.toLowerCase()}</strong> {status}
              {head_sha !== null && <span class="mono quiet"> {shortDigest(head_sha)}</span>}
            </li>
          ))}
        </ol>
      )}
      {answers.length > 0 && <h2>What was checked</h2>}
      <ul class="findings">
        {answers.map(({ line, verdict, evidence }) => (
          <li key={line} class={verdict === 'pass' ? '' : 'error'}>
            <p>
              <span class={`effect ${verdict === 'pass' ? 'allow' : 'deny'}`}>{verdict}</span> {foreign(line)}
            </p>
            <p class="quiet">{foreign(evidence)}</p>
          </li>
        ))}
      </ul>
      {updates.length + thoughts.length > 0 && <h2>What it told</h2>}
      <ol class="timeline">
        {updates.map(({ at, status, summary }) => (
          <li key={at}>
            <time class="quiet" dateTime={at} title={moment(at)}>
              {clock(at)}
            </time>{' '}
            <strong>{foreign(status)}</strong> {foreign(summary)}
          </li>
        ))}
        {thoughts.map(({ at, type, content, commit_sha }) => (
          <li key={at} class="tool">
            <time class="quiet" dateTime={at} title={moment(at)}>
              {clock(at)}
            </time>{' '}
            <strong>{type}</strong> {foreign(content)}
            {commit_sha !== null && <span class="mono quiet"> {shortDigest(commit_sha)}</span>}
          </li>
        ))}
      </ol>
    </>
  );
}
