import type { JSX } from 'preact';

import type { DriftFile, DriftFinding, DriftReport, Hosts, SyncPlan } from '../../api/contract.ts';
import { useData } from '../../api/use-data.ts';
import { addressOf, type Place } from '../../router.ts';
import { foreign, plural } from '../../ui/format.ts';
import { PatchTable } from '../../ui/patch.tsx';
import { Await, Empty } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';

const KINDS: Readonly<Record<DriftFinding['kind'], string>> = {
  'canonical-only': 'missing in the mirror',
  'mirror-only': 'only in the mirror',
  changed: 'differs',
  unreadable: 'cannot be compared',
};

export function DriftView({ place }: { place: Place }): JSX.Element {
  const tab = place.query.get('tab') ?? 'copies';
  const tabs = [
    { name: 'copies', title: 'Copies' },
    { name: 'plan', title: 'Sync plan' },
    { name: 'hosts', title: 'Hosts' },
  ];
  return (
    <div class="page">
      <header>
        <h1>Drift</h1>
        <p class="lede">Where the copies of skills in mirrors have come apart from the canonical ones.</p>
      </header>
      <Tabs
        tabs={tabs}
        current={tab}
        addressOf={(next) => addressOf('drift', '', { tab: next === 'copies' ? '' : next })}
      >
        {tab === 'copies' && <Copies />}
        {tab === 'plan' && <Plan />}
        {tab === 'hosts' && <HostTable />}
      </Tabs>
    </div>
  );
}

function Copies(): JSX.Element {
  const report = useData<DriftReport>('/v1/drift?diff=true');
  return (
    <Await data={report}>
      {({ mirrors, drift, canonical }) => (
        <>
          {drift === 0 && (
            <Empty title="All copies are in step">
              <p>
                {mirrors.some(({ exists }) => exists)
                  ? `Every mirror says the same as ${canonical.join(', ')}.`
                  : 'There is no mirror yet; `colibri sync` makes one.'}
              </p>
            </Empty>
          )}
          {mirrors
            .filter(({ findings }) => findings.length > 0)
            .map(({ root, in_step, links, findings }) => (
              <section key={root}>
                <h2 class="mono">{foreign(root)}</h2>
                <p class="quiet">
                  {plural(findings.length, 'finding')}, {in_step} in step
                  {links > 0 ? `, ${plural(links, 'link')}` : ''}
                </p>
                {worstFirst(findings).map((finding) => (
                  <FindingPart key={finding.skill} finding={finding} />
                ))}
              </section>
            ))}
        </>
      )}
    </Await>
  );
}

/** What differs wants a decision; what is missing only a sync. */
const ORDER: readonly DriftFinding['kind'][] = ['unreadable', 'changed', 'mirror-only', 'canonical-only'];

function worstFirst(findings: readonly DriftFinding[]): readonly DriftFinding[] {
  return [...findings].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}

function FindingPart({ finding }: { readonly finding: DriftFinding }): JSX.Element {
  const { skill, kind, reason, files } = finding;
  return (
    <details class="finding" open={kind === 'changed'}>
      <summary>
        <strong class="mono">{foreign(skill)}</strong> {KINDS[kind]} {reason !== null && foreign(reason)}
      </summary>
      {files.map((file) => (
        <FilePart key={file.path} file={file} />
      ))}
    </details>
  );
}

function FilePart({ file }: { readonly file: DriftFile }): JSX.Element {
  const { path, change, changed_by, fields, diff } = file;
  const who =
    changed_by === null ? '' : `, changed in ${changed_by === 'both' ? 'both' : `the ${changed_by}`}`;
  return (
    <>
      <p>
        <span class="mono">{foreign(path)}</span>{' '}
        <span class="quiet">
          {change}
          {who}
          {fields.length > 0 && `; fields: ${fields.map(({ field }) => foreign(field)).join(', ')}`}
        </span>
      </p>
      {diff?.shown === true && <PatchTable text={diff.text} />}
      {diff?.shown === false && <p class="quiet">not shown: {foreign(diff.why)}</p>}
    </>
  );
}

function Plan(): JSX.Element {
  const plan = useData<SyncPlan>('/v1/sync/plan');
  return (
    <Await data={plan}>
      {({ mirrors, changed, kept }) => (
        <>
          <p>
            <code>colibri sync</code> would change {plural(changed, 'skill')} and leave{' '}
            {plural(kept, 'difference')} alone. Nothing that somebody wrote into a mirror is lost without{' '}
            <code>--force</code>.
          </p>
          {mirrors.map(({ root, refused, skills }) => (
            <section key={root}>
              <h2 class="mono">{foreign(root)}</h2>
              {refused !== null && <p class="notice">{foreign(refused)}</p>}
              <table>
                <thead>
                  <tr>
                    <th>skill</th>
                    <th>step</th>
                    <th>because</th>
                  </tr>
                </thead>
                <tbody>
                  {skills
                    .filter(({ action }) => action !== 'none')
                    .map(({ skill, action, reason }) => (
                      <tr key={skill}>
                        <td class="mono">{foreign(skill)}</td>
                        <td class="word">{action}</td>
                        <td>{foreign(reason)}</td>
                      </tr>
                    ))}
                </tbody>
              </table>
            </section>
          ))}
        </>
      )}
    </Await>
  );
}

function HostTable(): JSX.Element {
  const hosts = useData<Hosts>('/v1/hosts');
  return (
    <Await data={hosts}>
      {({ hosts: all, differences }) => (
        <>
          <p>
            What other hosts would see from this folder; {plural(differences.length, 'skill')}{' '}
            {differences.length === 1 ? 'is' : 'are'} not the same for all of them.
          </p>
          <table>
            <thead>
              <tr>
                <th>host</th>
                <th class="number">sees</th>
                <th>from</th>
                <th>who wins a name</th>
              </tr>
            </thead>
            <tbody>
              {all.map(({ id, name, folders, skills, precedence }) => (
                <tr key={id}>
                  <td class="word">{foreign(name)}</td>
                  <td class="number">{skills.filter(({ state }) => state === 'seen').length}</td>
                  <td class="mono">
                    {folders
                      .filter(({ exists }) => exists)
                      .map(({ path }) => foreign(path))
                      .join(', ') || '–'}
                  </td>
                  <td>{foreign(precedence)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {differences.length > 0 && (
            <>
              <h2>Where they disagree</h2>
              <table>
                <thead>
                  <tr>
                    <th>skill</th>
                    <th>how</th>
                    <th>not seen by</th>
                  </tr>
                </thead>
                <tbody>
                  {differences.map(({ skill, kinds, unseen }) => (
                    <tr key={skill}>
                      <td class="mono">{foreign(skill)}</td>
                      <td>
                        {kinds.map((kind) => (kind === 'content' ? 'other text' : 'not seen')).join(', ')}
                      </td>
                      <td>{unseen.join(', ')}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </>
          )}
        </>
      )}
    </Await>
  );
}
