import type { JSX } from 'preact';

import type { Explanation, Policy, PolicyRule, TrustList } from '../../api/contract.ts';
import { useData } from '../../api/use-data.ts';
import { addressOf, moveTo, type Place } from '../../router.ts';
import { foreign, plural } from '../../ui/format.ts';
import { Await, Empty } from '../../ui/states.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { useSkills } from '../skills/use-skills.ts';

const TIERS = { T0: 'human', T1: 'orchestrator', T2: 'manager', T3: 'executor', T4: 'model' };
const SETTLE_MS = 150;

export function PolicyView({ place }: { place: Place }): JSX.Element {
  const question = questionOf(place);
  const settled = useSettled(question, SETTLE_MS);
  const answer = useData<Explanation>(settled);
  const policy = useData<Policy>('/v1/policy');
  const said = answer.state === 'ready' ? answer.value : null;
  return (
    <div class="page">
      <header>
        <h1>Policy</h1>
        <p class="lede">What would become of a call, and which rule says so. Nothing is called.</p>
      </header>
      <Question place={place} />
      <div class="verdict" role="status">
        {settled !== null && <Await data={answer}>{(found) => <Verdict said={found} />}</Await>}
      </div>
      <Await data={policy}>
        {(found) => (
          <Rules policy={found} profile={said?.profile ?? found.use} decided={said?.rule ?? null} />
        )}
      </Await>
      <Trust />
    </div>
  );
}

/** `Bash(git push)` is a tool with what it is called with. */
function questionOf(place: Place): string | null {
  const call = (place.query.get('call') ?? 'Bash(git push)').trim();
  const [, tool = call, argument] = /^([^(]+)\(([\s\S]*)\)$/.exec(call) ?? [];
  if (tool === '') return null;
  const words = new URLSearchParams({ tool, tier: place.query.get('tier') ?? 'T3' });
  if (argument !== undefined) words.set('argument', argument);
  const skill = place.query.get('skill') ?? '';
  if (skill !== '') words.set('skill', skill);
  return `/v1/policy/explain?${words}`;
}

function Question({ place }: { readonly place: Place }): JSX.Element {
  const skills = useSkills();
  const go = (more: Readonly<Record<string, string>>) =>
    moveTo(addressOf('policy', '', { ...Object.fromEntries(place.query), ...more }), { replace: true });
  return (
    <form class="question" onSubmit={(event) => event.preventDefault()}>
      <label>
        Call
        <input
          class="mono"
          value={place.query.get('call') ?? 'Bash(git push)'}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => go({ call: event.currentTarget.value || ' ' })}
        />
      </label>
      <label>
        for the skill
        <input
          class="mono"
          list="skill-names"
          value={place.query.get('skill') ?? ''}
          placeholder="none"
          autocomplete="off"
          onInput={(event) => go({ skill: event.currentTarget.value })}
        />
        <datalist id="skill-names">
          {skills.state === 'ready' &&
            skills.value.slice(0, 500).map(({ name }) => <option key={name} value={name} />)}
        </datalist>
      </label>
      <label>
        by an agent of
        <select
          value={place.query.get('tier') ?? 'T3'}
          onChange={(event) => go({ tier: event.currentTarget.value })}
        >
          {Object.entries(TIERS).map(([tier, who]) => (
            <option key={tier} value={tier}>
              {tier}, {who}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}

function Verdict({ said }: { readonly said: Explanation }): JSX.Element {
  const { effect, rule, reason, profile, skill, trusted, vouched, effective_tools } = said;
  return (
    <>
      <p class="big">
        <span class={`effect ${effect}`}>{effect}</span>
      </p>
      <p>
        {rule === null ? '' : `Rule ${rule} of `}
        {rule !== null && <code>{profile}</code>}
        {rule !== null && ': '}
        {foreign(reason)}
      </p>
      {skill !== null && (
        <p class="quiet">
          <a href={addressOf('skills', skill)}>{foreign(skill)}</a> is {trusted ? 'trusted' : 'not trusted'}.
        </p>
      )}
      {!vouched && <p class="notice">Nobody has vouched for the policy file, so it can only take away.</p>}
      {effective_tools.length > 0 && (
        <ul class="chips">
          {effective_tools.map(({ pattern, effect: each, why }) => (
            <li key={pattern} title={why}>
              <span class={`effect ${each}`}>{each}</span> <span class="mono">{foreign(pattern)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Rules(props: {
  readonly policy: Policy;
  readonly profile: string;
  readonly decided: number | null;
}): JSX.Element {
  const { policy, profile, decided } = props;
  const rules = policy.profiles.find(({ name }) => name === profile)?.rules ?? [];
  return (
    <section>
      <h2>
        Profile <code>{foreign(profile)}</code>
      </h2>
      <p class="quiet">
        {policy.problem ??
          (policy.file === null
            ? 'There is no colibri.policy.yaml, so what no rule decides is asked.'
            : `From ${policy.file}. The first rule that matches decides; what none decides is asked.`)}
      </p>
      {rules.length > 0 && (
        <table>
          <thead>
            <tr>
              <th class="number">#</th>
              <th>effect</th>
              <th>tool</th>
              <th>only for</th>
              <th>reason</th>
            </tr>
          </thead>
          <tbody>
            {rules.map((rule, index) => (
              <tr key={index} class={decided === index + 1 ? 'set' : ''}>
                <td class="number">{index + 1}</td>
                <td>
                  <span class={`effect ${rule.effect}`}>{rule.effect}</span>
                </td>
                <td class="mono">{foreign(rule.tool)}</td>
                <td>{foreign(scopeOf(rule))}</td>
                <td>{foreign(rule.reason ?? '')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function scopeOf({ skill, agent_tier, root, widen }: PolicyRule): string {
  return [
    ...(skill === null ? [] : [`skill ${skill}`]),
    ...(agent_tier === null ? [] : [agent_tier.join(', ')]),
    ...(root === null ? [] : [`root ${root}`]),
    ...(widen ? ['widens'] : []),
  ].join('; ');
}

function Trust(): JSX.Element {
  const trust = useData<TrustList>('/v1/trust');
  return (
    <section>
      <h2>Trust</h2>
      <Await data={trust}>
        {({ items }) => {
          const open = items.filter(({ trusted }) => !trusted);
          if (items.length === 0) return <Empty title="Nothing needs trust here" />;
          if (open.length === 0) return <p>All of {plural(items.length, 'subject')} are trusted.</p>;
          return (
            <>
              <p>
                {plural(open.length, 'subject')} of {items.length} not trusted: they can be loaded, but not
                run. Look at them, then run <code>colibri trust &lt;name&gt;</code>.
              </p>
              <table>
                <thead>
                  <tr>
                    <th>name</th>
                    <th>why not</th>
                    <th>what changed</th>
                  </tr>
                </thead>
                <tbody>
                  {open.slice(0, 200).map(({ name, kind, reason, changes }) => (
                    <tr key={name}>
                      <td class="mono">
                        {kind === 'skill' ? (
                          <a href={addressOf('skills', name)}>{foreign(name)}</a>
                        ) : (
                          foreign(name)
                        )}
                      </td>
                      <td>{foreign(reason)}</td>
                      <td>{foreign(changes.map(({ path, change }) => `${change} ${path}`).join(', '))}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </>
          );
        }}
      </Await>
    </section>
  );
}
