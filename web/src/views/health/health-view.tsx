import type { JSX } from 'preact';

import type { DoctorReport, Finding } from '../../api/contract.ts';
import { useData } from '../../api/use-data.ts';
import { addressOf, moveTo, type Place } from '../../router.ts';
import { count, foreign, plural } from '../../ui/format.ts';
import { Await, Empty } from '../../ui/states.tsx';

/** More at once are narrowed by the filters. */
const SHOWN_MAX = 500;

export function HealthView({ place }: { place: Place }): JSX.Element {
  const report = useData<DoctorReport>(
    place.query.get('scan') === 'true' ? '/v1/doctor?scan=true' : '/v1/doctor',
  );
  return (
    <div class="page">
      <header>
        <h1>Health</h1>
        <p class="lede">Everything that is wrong in the registry, worst first, and what to do about it.</p>
      </header>
      <Await data={report}>{(found) => <Report report={found} place={place} />}</Await>
    </div>
  );
}

function Report({ report, place }: { readonly report: DoctorReport; readonly place: Place }): JSX.Element {
  const { items, totals } = report;
  const severity = place.query.get('severity') ?? '';
  const words = (place.query.get('q') ?? '').toLowerCase();
  const shown = items.filter(
    (finding) =>
      (severity === '' || finding.severity === severity) &&
      (words === '' || `${finding.file} ${finding.code} ${finding.message}`.toLowerCase().includes(words)),
  );
  const go = (more: Readonly<Record<string, string>>) =>
    moveTo(addressOf('health', '', { ...Object.fromEntries(place.query), ...more }), { replace: true });
  return (
    <>
      <dl class="figures">
        {(
          [
            ['looked at', totals.found],
            ['indexed', totals.indexed],
            ['rejected', totals.rejected],
            ['shadowed', totals.shadowed],
            ['errors', totals.errors],
            ['warnings', totals.warnings],
          ] as const
        ).map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{count(value)}</dd>
          </div>
        ))}
      </dl>
      {totals.rejected > 0 && (
        <p class="notice">
          {plural(totals.rejected, 'skill')} rejected; the lenient profile would load{' '}
          {count(totals.lenient_ok)} of them.
        </p>
      )}
      {items.length === 0 ? (
        <Empty title="All is well">
          <p>Nothing is wrong with any of {plural(totals.found, 'skill')}.</p>
        </Empty>
      ) : (
        <>
          <search class="tools">
            <input
              type="search"
              placeholder="Filter findings"
              aria-label="Filter findings"
              value={place.query.get('q') ?? ''}
              onInput={(event) => go({ q: event.currentTarget.value })}
            />
            <select
              aria-label="severity"
              value={severity}
              onChange={(event) => go({ severity: event.currentTarget.value })}
            >
              <option value="">severity</option>
              <option>error</option>
              <option>warning</option>
              <option>info</option>
            </select>
            <label class="check">
              <input
                type="checkbox"
                checked={place.query.get('scan') === 'true'}
                onChange={(event) => go({ scan: event.currentTarget.checked ? 'true' : '' })}
              />
              with the security scan
            </label>
          </search>
          <p class="quiet tally" role="status">
            {plural(shown.length, 'finding')}
            {shown.length > SHOWN_MAX && `, the worst ${count(SHOWN_MAX)} shown; the filters narrow them`}
          </p>
          <ul class="findings">
            {shown.slice(0, SHOWN_MAX).map((finding, index) => (
              <FindingLine key={index} finding={finding} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function FindingLine({ finding }: { readonly finding: Finding }): JSX.Element {
  const { severity, code, skill, file, line, message, why, fix, fixable } = finding;
  return (
    <li class={severity}>
      <p>
        <span class={`severity ${severity}`}>{severity}</span> <code>{code}</code>{' '}
        <span class="mono quiet">{foreign(line === null ? file : `${file}:${line}`)}</span>
        {skill !== null && (
          <>
            {' '}
            <a href={addressOf('skills', skill)}>{foreign(skill)}</a>
          </>
        )}
      </p>
      <p>{foreign(message)}</p>
      <p class="quiet">{foreign(why)}</p>
      {((fix !== null && !message.includes(fix)) || fixable) && (
        <p class="fix">
          {fix !== null && !message.includes(fix) && foreign(fix)}
          {fixable && (
            <>
              {' '}
              <code>colibri doctor --fix</code> mends it.
            </>
          )}
        </p>
      )}
    </li>
  );
}
