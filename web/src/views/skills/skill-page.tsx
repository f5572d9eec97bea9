import type { JSX } from 'preact';

import type { Skill, SkillCopies, SkillFileContent, SkillFiles, SkillLoads } from '../../api/contract.ts';
import { useData } from '../../api/use-data.ts';
import { addressOf, type Place } from '../../router.ts';
import { Diff } from '../../ui/diff.tsx';
import { bytes, count, foreign, moment, plural, shortDigest } from '../../ui/format.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Await, Empty } from '../../ui/states.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';

interface SkillPageProps {
  readonly name: string;
  readonly place: Place;
  readonly onBack: () => void;
}

export function SkillPage({ name, place, onBack }: SkillPageProps): JSX.Element {
  const skill = useData<Skill>(`/v1/skills/${encodeURIComponent(name)}`);
  return (
    <article
      class="skill"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onBack();
      }}
    >
      <button type="button" class="plain back" onClick={onBack}>
        ← all skills
      </button>
      <Await data={skill}>{(found) => <Found skill={found} place={place} />}</Await>
    </article>
  );
}

function Found({ skill, place }: { readonly skill: Skill; readonly place: Place }): JSX.Element {
  const path = `/v1/skills/${encodeURIComponent(skill.name)}`;
  const copies = useData<SkillCopies>(`${path}/copies`);
  const files = useData<SkillFiles>(`${path}/files`);
  const loads = useData<SkillLoads>(`${path}/loads`);
  const tabs: readonly Tab[] = [
    { name: 'text', title: 'Text' },
    { name: 'facts', title: 'Facts' },
    { name: 'files', title: 'Files', count: files.state === 'ready' ? files.value.items.length : null },
    { name: 'copies', title: 'Copies', count: copies.state === 'ready' ? copies.value.items.length : null },
    { name: 'loads', title: 'Loads', count: loads.state === 'ready' ? loads.value.items.length : null },
  ];
  const tab = place.query.get('tab') ?? 'text';
  const kept = Object.fromEntries(place.query);
  return (
    <>
      <Head skill={skill} />
      <Tabs
        tabs={tabs}
        current={tab}
        addressOf={(next) =>
          addressOf('skills', skill.name, { ...kept, file: '', tab: next === 'text' ? '' : next })
        }
      >
        {tab === 'text' && (
          <Markdown
            text={skill.body}
            linkOf={(file) => addressOf('skills', skill.name, { ...kept, tab: 'files', file })}
          />
        )}
        {tab === 'facts' && <Facts skill={skill} />}
        {tab === 'files' && (
          <Await data={files}>
            {({ items }) => (
              <Files items={items} skill={skill.name} file={place.query.get('file') ?? ''} kept={kept} />
            )}
          </Await>
        )}
        {tab === 'copies' && <Await data={copies}>{(found) => <Copies skill={skill} {...found} />}</Await>}
        {tab === 'loads' && <Await data={loads}>{(found) => <Loads {...found} />}</Await>}
      </Tabs>
    </>
  );
}

function Head({ skill }: { readonly skill: Skill }): JSX.Element {
  const { name, description, version, source, tier, trusted, trust_reason, diagnostics } = skill;
  return (
    <header>
      <h1 class="mono">{foreign(name)}</h1>
      <p class="lede">{foreign(description)}</p>
      <ul class="chips">
        <li>{source}</li>
        <li>tier {tier}</li>
        {version !== null && <li>v{foreign(version)}</li>}
        <li title={trust_reason} class={trusted ? 'good' : 'warn'}>
          {trusted ? 'trusted' : 'not trusted'}
        </li>
        <li title="estimated cost of a load">{plural(skill.body_tokens, 'token')} to load</li>
        <li title="estimated cost of its line in a catalog">{count(skill.catalog_tokens)} in the catalog</li>
        {!skill.model_invocable && <li>hidden from models</li>}
      </ul>
      {diagnostics.map(({ code, message, line }) => (
        <p key={`${code}${line}`} class="notice">
          <code>{code}</code> {foreign(message)}
        </p>
      ))}
    </header>
  );
}

function Facts({ skill }: { readonly skill: Skill }): JSX.Element {
  const facts: readonly (readonly [string, string])[] = [
    ['path', skill.path],
    ['root', skill.root],
    ['links to it', skill.aliases.join(', ')],
    ['may be invoked by', skill.invokable_by.join(', ')],
    ['capabilities', skill.capabilities.join(', ')],
    ['category', skill.category ?? ''],
    ['triggers', skill.triggers.join(', ')],
    ['license', skill.license ?? ''],
    ['compatibility', skill.compatibility ?? ''],
    ['required tools', skill.required_tools.join(' ')],
    ['trust', skill.trust_reason],
    ['sha256', skill.digest],
    ['version of the text', skill.body_version],
    ['indexed', moment(skill.loaded_at)],
  ];
  return (
    <>
      <dl class="facts">
        {facts
          .filter(([, value]) => value !== '')
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{foreign(value)}</dd>
            </div>
          ))}
      </dl>
      <h2>What it may use</h2>
      {skill.effective_tools.length === 0 ? (
        <p class="quiet">It names no tools, so the session’s policy alone decides.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th>tool</th>
              <th>effect for T3</th>
              <th>because</th>
            </tr>
          </thead>
          <tbody>
            {skill.effective_tools.map(({ pattern, effect, why }) => (
              <tr key={pattern}>
                <td class="mono">{foreign(pattern)}</td>
                <td>
                  <span class={`effect ${effect}`}>{effect}</span>
                </td>
                <td>{foreign(why)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <h2>Frontmatter</h2>
      <pre tabIndex={0}>{foreignBlock(skill.frontmatter)}</pre>
    </>
  );
}

function foreignBlock(value: unknown): string {
  return JSON.stringify(value, null, 2).split('\n').map(foreign).join('\n');
}

function Files(props: {
  readonly items: SkillFiles['items'];
  readonly skill: string;
  readonly file: string;
  readonly kept: Readonly<Record<string, string>>;
}): JSX.Element {
  const { items, skill, file, kept } = props;
  return (
    <>
      <table>
        <thead>
          <tr>
            <th>file</th>
            <th class="number">size</th>
            <th>sha256</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ path, size, digest, kind }) => (
            <tr key={path} class={path === file ? 'set' : ''}>
              <td class="mono">
                {kind === 'file' ? (
                  <a href={addressOf('skills', skill, { ...kept, tab: 'files', file: path })}>
                    {foreign(path)}
                  </a>
                ) : (
                  foreign(path)
                )}
              </td>
              <td class="number">{kind === 'file' || kind === 'large' ? bytes(size) : kind}</td>
              <td class="mono quiet" title={digest}>
                {digest === '' ? 'not read' : shortDigest(digest)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {file !== '' && <FileContent skill={skill} file={file} />}
    </>
  );
}

/** More than this is looked at on disk. */
const SHOWN_CHARS_MAX = 200_000;

function FileContent({ skill, file }: { readonly skill: string; readonly file: string }): JSX.Element {
  const content = useData<SkillFileContent>(
    `/v1/skills/${encodeURIComponent(skill)}/file?path=${encodeURIComponent(file)}`,
  );
  return (
    <section class="file">
      <h2 class="mono">{foreign(file)}</h2>
      <Await data={content}>
        {({ encoding, content: text }) =>
          encoding === 'base64' ? (
            <p class="quiet">This is no text.</p>
          ) : (
            <pre tabIndex={0}>{text.slice(0, SHOWN_CHARS_MAX).split('\n').map(foreign).join('\n')}</pre>
          )
        }
      </Await>
    </section>
  );
}

function Copies({ skill, items }: SkillCopies & { readonly skill: Skill }): JSX.Element {
  const own = useData<SkillFileContent>(`/v1/skills/${encodeURIComponent(skill.name)}/file?path=SKILL.md`);
  if (items.length === 0)
    return (
      <Empty title="No other copy">
        <p>Only {skill.path} has this name.</p>
      </Empty>
    );
  const before = own.state === 'ready' ? own.value.content : null;
  return (
    <>
      <p>
        <strong class="mono">{foreign(skill.path)}</strong> has the name. The others are shadowed:
      </p>
      {items.map(({ path, rule, same_content, text }) => (
        <section key={path} class="copy">
          <h2 class="mono">{foreign(path)}</h2>
          <p class="quiet">
            {rule}; {same_content ? 'the content is the same' : 'the content differs'}
          </p>
          {!same_content && text !== null && before !== null && (
            <Diff before={before} after={text} names={[skill.path, path]} />
          )}
        </section>
      ))}
    </>
  );
}

function Loads({ items }: SkillLoads): JSX.Element {
  if (items.length === 0)
    return (
      <Empty title="Not loaded yet">
        <p>Sessions that load this skill will be listed here.</p>
      </Empty>
    );
  return (
    <table>
      <thead>
        <tr>
          <th>session</th>
          <th>agent</th>
          <th>why</th>
          <th class="number">tokens</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ session_id, opened_at, agent_id, agent_tier, reason, tokens }) => (
          <tr key={session_id}>
            <td>
              <a href={addressOf('activity', session_id)}>{moment(opened_at)}</a>
            </td>
            <td>
              {foreign(agent_id ?? 'somebody')} <span class="quiet">{agent_tier}</span>
            </td>
            <td>{reason.replaceAll('_', ' ')}</td>
            <td class="number">{count(tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
