/** Everything that is wrong, or worth knowing, in one report. */
import { ColibriError } from '../../../lib/errors.ts';
import type { EventsService } from '../../events/service.ts';
import type { TrustService } from '../../policy/trust-service.ts';
import { estimateTokens, oneLine } from '../../sessions/catalog.ts';
import { CATALOG_TOKENS } from '../../sessions/schema.ts';
import { type Finding, findingsOf, type RegistryTotals, totalsOf } from '../../skills/report.ts';
import type { RootRefusal, RootRefusals } from '../../skills/scan/roots.ts';
import type { SkillsService } from '../../skills/service.ts';
import { readFolder } from '../scan/scan-files.ts';
import type { ScanService } from '../scan/scan-service.ts';
import { type DoctorFinding, fromRegistry, inReportOrder } from './diagnosis.ts';
import { doctorFinding, type ExaminedSkill, examineFiles, examineTogether, fromScan } from './examine.ts';
import { readFixTargets } from './fix-files.ts';
import { type FixPlan, planFixes } from './fix-plan.ts';

export interface DoctorReport {
  /** Worst first. */
  readonly findings: readonly DoctorFinding[];
  readonly totals: RegistryTotals;
}

export interface DoctorOptions {
  /** The security scan reads every file; without it the report is quick. */
  readonly scan?: boolean;
}

export interface DoctorService {
  examine(options?: DoctorOptions): Promise<DoctorReport>;
  /** What `--fix` would write; carries nothing out. */
  plan(): Promise<readonly FixPlan[]>;
}

export interface DoctorParts {
  readonly skills: SkillsService;
  readonly refusals: RootRefusals;
  readonly trust: Pick<TrustService, 'list'>;
  readonly events: Pick<EventsService, 'verify'>;
  readonly scan: ScanService;
  /** What is wrong with the database file; empty when nothing is. */
  readonly databaseProblems: () => readonly string[];
  /** The database file, as displayed. */
  readonly database: string;
  /** Findings of services that stand after this one. */
  readonly others?: readonly (() => Promise<readonly DoctorFinding[]>)[];
  /** Skills that are switched off, and why. */
  readonly switchedOff: () => readonly { readonly name: string; readonly why: string }[];
}

export function createDoctorService(parts: DoctorParts): DoctorService {
  const { skills } = parts;
  return {
    async examine({ scan = true } = {}) {
      const records = skills.records();
      const closed = await closedRoots(parts);
      const mendable = new Set(planOf(skills, closed).flatMap(({ mends }) => mends));
      const canMend = ({ code, file }: Finding) => mendable.has(`${code} ${file}`);
      const found = [
        ...findingsOf(records).map((finding) => fromRegistry(finding, canMend)),
        ...[...closed].map(([root, refusal]) => rootFinding(root, refusal)),
        ...examineSkills(skills),
        ...(scan ? parts.scan.scan().skills.flatMap(fromScan) : []),
        ...(await trustFindings(parts)),
        ...(await databaseFindings(parts)),
        ...(await Promise.all((parts.others ?? []).map((ask) => ask()))).flat(),
        ...parts.switchedOff().map((off) => disabledFinding(off, skills)),
      ];
      const findings = inReportOrder(found);
      return { findings, totals: totalsOf(records, findings) };
    },
    plan: async () => planOf(skills, await closedRoots(parts)),
  };
}

/** Roots that nothing may be written to, as displayed. */
async function closedRoots({ skills, refusals }: DoctorParts): Promise<ReadonlyMap<string, RootRefusal>> {
  const refusal = await refusals();
  return new Map(
    skills.roots.flatMap((root) => {
      const refused = refusal(root);
      return refused === null ? [] : [[root.display, refused]];
    }),
  );
}

function planOf(skills: SkillsService, closed: ReadonlyMap<string, RootRefusal>): readonly FixPlan[] {
  return planFixes(readFixTargets(skills, new Set(closed.keys())));
}

function rootFinding(root: string, { reason, fix }: RootRefusal): DoctorFinding {
  return doctorFinding('links', 'root-outside', {
    skill: null,
    file: root,
    message: reason,
    why: 'its skills are read, but nothing is mended or copied there: a workspace may come from anybody',
    fix,
  });
}

function examineSkills(skills: SkillsService): readonly DoctorFinding[] {
  const examined: ExaminedSkill[] = [];
  const found: DoctorFinding[] = [];
  for (const name of skills.names()) {
    const skill = readable(skills, name);
    if (skill === null) continue;
    const { description, body, path } = skill;
    examined.push({ name, description, body, path });
    const real = skills.placeOf(skill.source_dir);
    if (real !== null) found.push(...examineFiles({ name, path }, readFolder(real).files));
  }
  return [...found, ...examineTogether(examined), ...catalogCost(examined, skills)];
}

/** Null when the disk has moved on since the last good scan; the registry itself tells of that. */
function readable(skills: SkillsService, name: string): ReturnType<SkillsService['get']> {
  try {
    return skills.get(name);
  } catch (error) {
    if (error instanceof ColibriError && error.code === 'FILE_CHANGED') return null;
    throw error;
  }
}

function catalogCost(all: readonly ExaminedSkill[], skills: SkillsService): readonly DoctorFinding[] {
  const tokens = all.reduce(
    (sum, { name, description }) => sum + estimateTokens(`- ${name}: ${oneLine(description)}\n`),
    0,
  );
  if (tokens <= CATALOG_TOKENS) return [];
  return [
    doctorFinding('cost', 'catalog-over-budget', {
      skill: null,
      file: skills.roots[0]?.display ?? '.',
      message: `the catalog of ${all.length} skills takes about ${tokens} tokens, its budget is ${CATALOG_TOKENS}`,
      why: 'descriptions are cut and skills left out of every prompt; they are found by search alone',
      fix: 'disable skills that are not used here, or shorten descriptions',
    }),
  ];
}

function disabledFinding(
  { name, why }: { readonly name: string; readonly why: string },
  skills: SkillsService,
): DoctorFinding {
  return doctorFinding('disabled', 'disabled', {
    skill: name,
    file: readable(skills, name)?.path ?? name,
    severity: 'info',
    message: `${name} is ${why}`,
    why: 'no agent sees it here',
    fix: 'nothing has to be done; `colibri enable` switches it on',
  });
}

async function trustFindings({ trust }: DoctorParts): Promise<readonly DoctorFinding[]> {
  const states = await trust.list();
  return states.flatMap(({ kind, name, path, why, reason }) => {
    if (why !== 'changed' && why !== 'forged') return [];
    return [
      doctorFinding('trust', why === 'changed' ? 'trust-changed' : 'trust-forged', {
        skill: kind === 'skill' ? name : null,
        file: path,
        severity: why === 'forged' ? 'error' : 'warning',
        message: `${name} is not trusted any more: ${reason}`,
        why: 'it can be read, but is neither run nor preloaded',
        fix: `look at it, then run \`colibri trust ${name}\``,
      }),
    ];
  });
}

async function databaseFindings(parts: DoctorParts): Promise<readonly DoctorFinding[]> {
  const place = { skill: null, file: parts.database, severity: 'error' } as const;
  const damage = parts.databaseProblems().map((problem) =>
    doctorFinding('database', 'database-damaged', {
      ...place,
      message: `the database is damaged: ${problem}`,
      why: 'records may be lost, and answers wrong',
      fix: 'run `colibri db recover`',
    }),
  );
  const { broken } = await parts.events.verify();
  if (broken === null) return damage;
  return [
    ...damage,
    doctorFinding('database', 'events-tampered', {
      ...place,
      message: `the event log was changed at ${broken.seq}: ${broken.problem}`,
      why: 'what it says about sessions cannot be relied on',
      fix: '`colibri events verify` tells more; restore a backup',
    }),
  ];
}
