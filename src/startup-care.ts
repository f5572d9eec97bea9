/** The part of the composition root that opens what looks after skills. Loaded only when it is asked for. */
import type { Config } from './config.ts';
import type { ColibriDatabase } from './db/database.ts';
import type { EventsService } from './domains/events/service.ts';
import type {
  DoctorOptions,
  DoctorReport,
  DoctorService,
} from './domains/integrity/doctor/doctor-service.ts';
import type { FixPlan } from './domains/integrity/doctor/fix-plan.ts';
import type { DriftReport } from './domains/integrity/drift-service.ts';
import type { ProposeService } from './domains/integrity/propose/propose-service.ts';
import { registerProposeTool } from './domains/integrity/propose/tools.ts';
import type { ScanReport, ScanTargets } from './domains/integrity/scan/scan-service.ts';
import type { PolicyService } from './domains/policy/service.ts';
import { createSwitchService, type SwitchService } from './domains/sessions/switch-service.ts';
import { isOn } from './domains/sessions/switches.ts';
import type { IsOffered } from './domains/skills/offered.ts';
import type { RootRefusals } from './domains/skills/scan/roots.ts';
import type { SkillsService } from './domains/skills/service.ts';
import { ColibriError } from './lib/errors.ts';
import { oncePerTurn } from './lib/per-turn.ts';
import type { ColibriServerContext } from './server.ts';
import type { Integrity } from './startup-integrity.ts';

export interface Care {
  /** The security scan; see docs/scan.md. */
  scan(targets?: ScanTargets): Promise<ScanReport>;
  readonly doctor: Doctor;
  /** New skills, and those that agents propose; see docs/proposals.md. */
  readonly proposals: ProposeService;
  /** Skills that are switched off, and profiles; see docs/switches.md. */
  readonly switches: SwitchService;
}

export interface Doctor {
  /** Everything that is wrong, worst first; see docs/doctor.md. */
  examine(options?: DoctorOptions): Promise<DoctorReport>;
  /** What can be mended without changing what a skill says. */
  plan(): Promise<readonly FixPlan[]>;
  /** Carries the plan out and brings the index in line. */
  fix(): Promise<readonly FixPlan[]>;
}

interface CareParts {
  readonly ctx: ColibriServerContext;
  readonly config: Config;
  readonly db: ColibriDatabase;
  readonly skills: SkillsService;
  readonly events: EventsService;
  readonly policy: PolicyService;
  readonly refusals: RootRefusals;
  readonly integrity: Pick<Integrity, 'drift' | 'hosts'>;
}

// Rules and plans are much code; the commands that do not need them must not wait for it.
export function openCare(parts: CareParts): Care {
  const { skills, ctx, config } = parts;
  const proposals = openProposals(parts);
  if (config.surface === 'full') registerProposeTool(ctx, proposals.propose);
  return {
    async scan(targets) {
      const { createScanService } = await import('./domains/integrity/scan/scan-service.ts');
      return createScanService({ skills, workspace: config.workspace }).scan(targets);
    },
    doctor: {
      examine: async (options) => (await openDoctor(parts)).examine(options),
      plan: async () => (await openDoctor(parts)).plan(),
      async fix() {
        const plans = await (await openDoctor(parts)).plan();
        const { applyFix } = await import('./domains/integrity/doctor/fix-files.ts');
        for (const plan of plans) applyFix(plan);
        if (plans.length > 0) await skills.reload();
        return plans;
      },
    },
    proposals,
    switches: createSwitchService({ workspace: config.workspace, skills }),
  };
}

/** Tells which skills clients without a session are offered; null when all are. Made once, it reads the switches only when they change. */
export function createOffered({
  config,
  skills,
  policy,
  perTurn = false,
}: Pick<CareParts, 'config' | 'skills' | 'policy'> & {
  /** Whether one look at the switches is enough for all who ask within a turn of the event loop. */
  readonly perTurn?: boolean;
}): () => Promise<IsOffered | null> {
  const { current } = createSwitchService({ workspace: config.workspace, skills });
  const look = perTurn ? oncePerTurn(() => current()) : current;
  return async () => {
    const switches = look();
    const isTrusted = config.view.untrusted === 'hidden' ? await policy.trustedSkills() : null;
    const allOn = switches.disabled.length === 0 && switches.profile === null;
    if (allOn) return isTrusted;
    return (skill) => isOn(skill.name, switches) && (isTrusted?.(skill) ?? true);
  };
}

function openProposals({ ctx: { clock, ids }, db, skills, events, refusals }: CareParts): ProposeService {
  const open = async () => {
    const { createProposeService } = await import('./domains/integrity/propose/propose-service.ts');
    return createProposeService({ db, skills, events, clock, ids, refusals });
  };
  return {
    create: async (request, actor) => (await open()).create(request, actor),
    propose: async (request, by) => (await open()).propose(request, by),
    list: async (state) => (await open()).list(state),
    show: async (id) => (await open()).show(id),
    accept: async (id, decision) => (await open()).accept(id, decision),
    reject: async (id, decision) => (await open()).reject(id, decision),
  };
}

async function openDoctor(parts: CareParts): Promise<DoctorService> {
  const { config, db, skills, events, policy, integrity } = parts;
  const { createDoctorService } = await import('./domains/integrity/doctor/doctor-service.ts');
  const { createScanService } = await import('./domains/integrity/scan/scan-service.ts');
  const { driftFindings, hostFindings } = await import('./domains/integrity/drift-findings.ts');
  return createDoctorService({
    skills,
    refusals: parts.refusals,
    trust: policy,
    events,
    scan: createScanService({ skills, workspace: config.workspace }),
    databaseProblems: () => problemsOf(db),
    database: config.database,
    others: [
      async () => driftFindings(await checkDrift(integrity), new Set(rejectedOf(skills))),
      async () => hostFindings((await integrity.hosts.view()).differences),
    ],
    switchedOff: () => createSwitchService({ workspace: config.workspace, skills }).off(),
  });
}

/** A root that cannot be read is told by the registry; it must not cost the rest of the report. */
async function checkDrift({ drift }: CareParts['integrity']): Promise<DriftReport> {
  try {
    // A report changes nothing, not even the event log.
    return await drift.check({ record: false });
  } catch (error) {
    if (!(error instanceof ColibriError) || error.code !== 'ROOT_UNREADABLE') throw error;
    return { canonical: [], mirrors: [], drift: 0 };
  }
}

function rejectedOf(skills: SkillsService): readonly string[] {
  return skills.rejections().map(({ directory }) => directory);
}

function problemsOf(db: ColibriDatabase): readonly string[] {
  const finding = db.handle.pragma('quick_check(1)', { simple: true });
  return finding === 'ok' ? [] : [String(finding)];
}
