/** Drift and host differences as findings of the doctor. Pure. */
import type { DoctorFinding } from './doctor/diagnosis.ts';
import { doctorFinding } from './doctor/examine.ts';
import type { DescribedFinding, DriftReport } from './drift-service.ts';
import type { HostDifference } from './host-differences.ts';

/**
 * What the registry sees itself is left out: a skill of the mirror alone, two different SKILL.md of one name, and what
 * it has rejected.
 */
export function driftFindings(
  { mirrors }: DriftReport,
  rejected: ReadonlySet<string>,
): readonly DoctorFinding[] {
  const isNews = ({ kind, canonical, files }: DescribedFinding) =>
    kind !== 'mirror-only' &&
    !rejected.has(canonical ?? '') &&
    !files.some(({ path, change }) => path === 'SKILL.md' && change === 'content');
  return mirrors.flatMap(({ root, findings }) =>
    findings.filter(isNews).map((finding) =>
      doctorFinding('drift', 'drift', {
        skill: finding.skill,
        file: finding.mirror ?? `${root}/${finding.skill}`,
        message: messageOf(root, finding),
        why: 'hosts that read the mirror work with something else than the canonical skill',
        fix: '`colibri drift` shows it, `colibri sync` brings the mirror in line',
      }),
    ),
  );
}

const FILES_SHOWN = 3;

function messageOf(root: string, { kind, reason, files }: DescribedFinding): string {
  if (kind === 'canonical-only') return `${root} has no copy of it`;
  if (reason !== null) return reason;
  const names = files.slice(0, FILES_SHOWN).map(({ path }) => path);
  const more = files.length > FILES_SHOWN ? ` and ${files.length - FILES_SHOWN} more` : '';
  return `the copy in ${root} differs in ${names.join(', ')}${more}`;
}

/** Only where hosts read different texts: that some do not see a skill is what their folders are for. */
export function hostFindings(differences: readonly HostDifference[]): readonly DoctorFinding[] {
  return differences
    .filter(({ kinds }) => kinds.includes('content'))
    .map(({ skill, seen }) =>
      doctorFinding('drift', 'hosts-differ', {
        skill,
        file: seen[0]?.paths[0] ?? skill,
        severity: 'info',
        message: `hosts see ${seen.length} different texts: ${seen.map(({ paths }) => paths[0]).join(', ')}`,
        why: 'the same request is answered differently in another host',
        fix: '`colibri hosts` says who sees which',
      }),
    );
}
