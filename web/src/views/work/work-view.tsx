import type { JSX } from 'preact';

import type { Agents, Orphans, Profile, Profiles, Task, Tasks } from '../../api/contract.ts';
import { useData } from '../../api/use-data.ts';
import { addressOf, type Place } from '../../router.ts';
import { count, foreign, moment, plural } from '../../ui/format.ts';
import { Await, Empty } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { TaskPage } from './task-page.tsx';

/** The way of a task, and the two ways off it. */
const COLUMNS: readonly Task['state'][] = [
  'INIT',
  'GATHER',
  'ANALYZE',
  'PLAN',
  'APPLY',
  'VERIFY',
  'DONE',
  'BLOCKED',
  'CANCELLED',
];

export function WorkView({ place }: { place: Place }): JSX.Element {
  if (place.item !== '') return <TaskPage id={place.item} />;
  const tab = place.query.get('tab') ?? 'board';
  const tabs = [
    { name: 'board', title: 'Tasks' },
    { name: 'agents', title: 'Agents' },
    { name: 'profiles', title: 'Profiles' },
  ];
  return (
    <div class="page wide">
      <header>
        <h1>Work</h1>
        <p class="lede">
          Tasks on their way, the agents that do them, and how well each profile has done so far.
        </p>
      </header>
      <Tabs
        tabs={tabs}
        current={tab}
        addressOf={(next) => addressOf('work', '', { tab: next === 'board' ? '' : next })}
      >
        {tab === 'board' && <Board />}
        {tab === 'agents' && <AgentTable />}
        {tab === 'profiles' && <ProfileTable />}
      </Tabs>
    </div>
  );
}

function Board(): JSX.Element {
  const tasks = useData<Tasks>('/v1/tasks');
  return (
    <Await data={tasks}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="No tasks yet">
            <p>
              Make one with <code>colibri task create</code>, or give it to an agent at once with{' '}
              <code>colibri run</code>.
            </p>
          </Empty>
        ) : (
          <div class="board" tabIndex={0} role="group" aria-label="Tasks by state">
            {COLUMNS.map((state) => (
              <Column key={state} state={state} tasks={items.filter((task) => task.state === state)} />
            ))}
          </div>
        )
      }
    </Await>
  );
}

function Column({ state, tasks }: { readonly state: string; readonly tasks: readonly Task[] }): JSX.Element {
  return (
    <section class={tasks.length === 0 ? 'none' : ''}>
      <h2>
        {state.toLowerCase()} <small class="quiet">{count(tasks.length)}</small>
      </h2>
      <ul class="links">
        {tasks.map(({ id, slug, title, attempt, progress, reason, profile }) => (
          <li key={id}>
            <a href={addressOf('work', slug)}>
              <strong>{foreign(title)}</strong>
              <br />
              <span class="quiet">
                {profile === null ? 'any profile' : foreign(profile)}
                {attempt > 1 && `, attempt ${attempt}`}
                {progress > 0 && `, ${Math.round(progress)} %`}
              </span>
              {reason !== null && <span class="quiet">; {foreign(reason)}</span>}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function AgentTable(): JSX.Element {
  const agents = useData<Agents>('/v1/agents');
  const orphans = useData<Orphans>('/v1/orphans');
  const lost = new Set(orphans.state === 'ready' ? orphans.value.items.map(({ agent_id }) => agent_id) : []);
  return (
    <Await data={agents}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="No agent has run yet">
            <p>
              <code>colibri run "…" --agent &lt;profile&gt;</code> starts one in a worktree of its own.
            </p>
          </Empty>
        ) : (
          <>
            {lost.size > 0 && (
              <p class="notice">
                {plural(lost.size, 'agent')} ended without writing back; look at their worktrees.
              </p>
            )}
            <table>
              <thead>
                <tr>
                  <th>profile</th>
                  <th>state</th>
                  <th>pool</th>
                  <th>branch and worktree</th>
                  <th class="number">tokens</th>
                  <th>started</th>
                </tr>
              </thead>
              <tbody>
                {items.map((agent) => (
                  <tr key={agent.id}>
                    <td>
                      <a href={addressOf('work', agent.task_id)}>{foreign(agent.profile)}</a>
                    </td>
                    <td>
                      <span class={`state ${agent.state.toLowerCase()}`}>{agent.state.toLowerCase()}</span>
                      {lost.has(agent.id) && <span class="bad"> orphan</span>}
                      {agent.fail_code !== null && (
                        <span class="quiet" title={agent.fail_detail ?? ''}>
                          {' '}
                          {agent.fail_code}
                        </span>
                      )}
                    </td>
                    <td>{agent.pool}</td>
                    <td class="mono">
                      {foreign(agent.branch ?? '–')}
                      {agent.worktree !== null && <span class="quiet"> {foreign(agent.worktree)}</span>}
                    </td>
                    <td class="number">{count(agent.tokens_used)}</td>
                    <td>{moment(agent.started_at ?? agent.created_at)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </>
        )
      }
    </Await>
  );
}

function ProfileTable(): JSX.Element {
  const profiles = useData<Profiles>('/v1/profiles');
  return (
    <Await data={profiles}>
      {({ items }) => {
        const slowest = items.reduce((most, { avg_duration_ms }) => Math.max(most, avg_duration_ms), 1);
        return items.length === 0 ? (
          <Empty title="No profiles yet">
            <p>
              Put one at <code>.colibri/agents/&lt;name&gt;.yaml</code>.
            </p>
          </Empty>
        ) : (
          <ul class="profiles">
            {items.map((profile) => (
              <ProfileLine key={profile.path} profile={profile} slowest={slowest} />
            ))}
          </ul>
        );
      }}
    </Await>
  );
}

function ProfileLine({
  profile,
  slowest,
}: {
  readonly profile: Profile;
  readonly slowest: number;
}): JSX.Element {
  const {
    name,
    state,
    problem,
    description,
    pool,
    agent_tier,
    skills,
    active,
    max_concurrent_tasks: max,
  } = profile;
  return (
    <li>
      <h2 class="mono">{foreign(name === '' ? profile.path : name)}</h2>
      {state !== 'usable' && <p class="notice">{problem === null ? state : foreign(problem)}</p>}
      <p class="quiet">{foreign(description)}</p>
      <ul class="chips">
        {pool !== null && <li>{pool}</li>}
        {agent_tier !== null && <li>{agent_tier}</li>}
        <li>
          {active} of {max ?? 0} busy
        </li>
        {skills.map((skill) => (
          <li key={skill}>
            <a href={addressOf('skills', skill)}>{foreign(skill)}</a>
          </li>
        ))}
      </ul>
      {profile.total_runs > 0 ? (
        <div class="bars">
          <Bar
            label={`${Math.round(profile.success_rate * 100)} % of ${plural(profile.total_runs, 'run')} succeeded`}
            part={profile.success_rate}
          />
          <Bar
            label={`${Math.round(profile.avg_duration_ms / 1_000)} s on average`}
            part={profile.avg_duration_ms / slowest}
          />
        </div>
      ) : (
        <p class="quiet">It has not run yet.</p>
      )}
    </li>
  );
}

function Bar({ label, part }: { readonly label: string; readonly part: number }): JSX.Element {
  return (
    <p class="meter">
      <meter min={0} max={1} value={part} aria-label={label} />
      {label}
    </p>
  );
}
