/** The report of `colibri doctor`: findings of every source in one order. Pure. */
import type { Finding } from '../../skills/report.ts';

/** In the order of a report: what keeps skills from working or does harm comes first. */
export const DOCTOR_GROUPS = [
  'rejected',
  'security',
  'database',
  'trust',
  'collision',
  'mirror-only',
  'drift',
  'links',
  'lookalike',
  'cost',
  'warning',
  'publish',
  'disabled',
  'mirrored',
] as const;
export type DoctorGroup = (typeof DOCTOR_GROUPS)[number];

export interface DoctorFinding extends Omit<Finding, 'group'> {
  readonly group: DoctorGroup;
  /** Why it matters. */
  readonly why: string;
  /** What to do; null where the message says it. */
  readonly fix: string | null;
  /** Whether `--fix` mends it. */
  readonly fixable: boolean;
}

/** Codes that only the doctor uses; those of rejected skills and warnings are diagnostics, those of security are scan rules. */
export const DOCTOR_CODES = {
  collision: 'a name is used twice',
  'mirror-only': 'a skill is only in the mirror',
  mirrored: 'a copy in the mirror is in step',
  drift: 'a mirror lacks a skill, or its copy differs',
  'hosts-differ': 'hosts see different texts under one name',
  'database-damaged': 'the database file is damaged',
  'events-tampered': 'the event log was changed',
  'trust-changed': 'a trusted skill or file has changed',
  'trust-forged': 'a record of trust was not made by this user',
  'link-missing': 'a link leads to a file that the skill does not have',
  'link-outside-skill': 'a link leads out of the skill',
  'root-outside': 'a root lies outside of the workspace, and only the workspace says so',
  'name-confusable': 'two names are easily taken for one another',
  'description-alike': 'two descriptions say nearly the same',
  'body-alike': 'two skills hold nearly the same text',
  'catalog-over-budget': 'the catalog does not fit its budget',
  'publish-miss': 'a skill is not served by the MCP skills extension',
  'scan-incomplete': 'a file could not be looked into',
  disabled: 'a skill is switched off here',
} as const;
export type DoctorCode = keyof typeof DOCTOR_CODES;

/** Why the findings of a group matter, for those whose sources do not say it one by one. */
const WHY: Readonly<Partial<Record<DoctorGroup, string>>> = {
  rejected: 'a rejected skill is there for no agent, and its author is not told',
  collision: 'only one of them is used, and not every host picks the same',
  'mirror-only': 'hosts that read the canonical folder do not see it',
  warning: 'it loads, but not everywhere or not as it was meant',
  mirrored: 'nothing is wrong',
};

/** Findings about the registry itself, as part of a doctor's report. */
export function fromRegistry(finding: Finding, fixable: (finding: Finding) => boolean): DoctorFinding {
  return { ...finding, why: WHY[finding.group] ?? '', fix: null, fixable: fixable(finding) };
}

export function inReportOrder(findings: readonly DoctorFinding[]): readonly DoctorFinding[] {
  const severities = ['error', 'warning', 'info'];
  return DOCTOR_GROUPS.flatMap((group) =>
    // Sorting is stable, so sources keep their own order within a severity.
    findings
      .filter((finding) => finding.group === group)
      .sort((a, b) =>
        group === 'rejected' ? 0 : severities.indexOf(a.severity) - severities.indexOf(b.severity),
      ),
  );
}
