/** What a scan knows while it gives every directory its role. */
import { type Clock, isoNow } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { EventDraft, EventLog } from '../../events/schema.ts';
import type { SkillBytes } from '../skill-file.ts';
import type { RowOrigin } from '../skill-row.ts';
import { countWinners, type Role, type RootSnapshot } from './root-snapshot.ts';
import type { SkillRoot } from './roots.ts';
import type { PlannedDirectory, ScanPlan } from './scan-plan.ts';
import type { ScanRepository } from './scan-repository.ts';
import { createTakenNames, type TakenNames } from './taken-names.ts';

export interface ScanParts {
  readonly repository: ScanRepository;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** An absolute path as users know it. */
  readonly display: (absolute: string) => string;
  /** Told now and then how many directories are done, because a scan blocks the thread. */
  readonly progress?: ((done: number, total: number) => void) | undefined;
}

export interface BegunScan extends ScanParts {
  /** When the roots were looked at. */
  readonly began: number;
}

export interface Scan extends BegunScan {
  readonly allowedRoots: readonly string[];
  /** Where files are read into, one after the other. */
  readonly buffer: Buffer;
  /** Whether the texts of skills are kept, because a session may ask for them later. */
  readonly keepBodies: boolean;
  /** What the winners of a root have in common. */
  readonly shared: ReadonlyMap<SkillRoot, SharedByWinners>;
  /** Whether any skill was indexed before. */
  readonly hadWinners: boolean;
  /** Who has a name: roots come in order of precedence, so the first to ask keeps it. */
  readonly names: TakenNames;
  /** Names whose winner is gone, or may have another name by now; unless another took them, their rows go. */
  readonly lost: Set<string>;
  /** Inodes of SKILL.md files with several paths, and the directory that counts. */
  readonly inodes: Map<string, string>;
  readonly drafts: EventDraft[];
  readonly counts: { added: number; changed: number; removed: number; shadowed: number };
  readonly visits: { done: number; readonly total: number };
  /** True once anything was written besides fingerprints. */
  wrote: boolean;
  /** True when a fingerprint or a role is worth remembering, so that nothing is read again. */
  touched: boolean;
}

export interface SharedByWinners {
  readonly origin: RowOrigin;
  /** How paths below the root are displayed at their beginning. */
  readonly displayStart: string;
}

/** One directory on its way to a role. */
export interface Visit {
  readonly root: SkillRoot;
  readonly sameKey: boolean;
  readonly directory: PlannedDirectory;
  /** What was read of it already. */
  readonly read: SkillBytes | null;
  /** The directory as displayed. */
  readonly place: string;
}

export interface Settled {
  readonly role: Role;
  readonly name: string | null;
}

/** All directories of a root, by their place in the walk. */
export type SettledRoot = Pick<RootSnapshot, 'roles' | 'names'>;

/** Holds nearly every SKILL.md; a larger one gets a buffer of its own. */
const READ_BUFFER_BYTES = 64 * 1024;

export function startScan(plan: ScanPlan, parts: BegunScan): Scan {
  const loadedAt = isoNow(parts.clock);
  const generation = parts.repository.skills.generation() + 1;
  return {
    ...parts,
    shared: new Map(
      plan.roots.map(({ walked: { root } }) => [root, sharedBy(root, { loadedAt, generation })]),
    ),
    allowedRoots: plan.roots.map(({ walked }) => walked.root.path),
    buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES),
    keepBodies: parts.repository.keepsBodies(),
    hadWinners: plan.stored.some(({ snapshot }) => countWinners(snapshot) > 0),
    names: createTakenNames(),
    lost: new Set(),
    inodes: new Map(),
    drafts: [],
    counts: { added: 0, changed: 0, removed: 0, shadowed: 0 },
    visits: { done: 0, total: plan.roots.reduce((sum, { walked }) => sum + walked.directories.length, 0) },
    wrote: false,
    touched: false,
  };
}

function sharedBy(root: SkillRoot, when: Pick<RowOrigin, 'loadedAt' | 'generation'>): SharedByWinners {
  return {
    origin: { ...when, source: root.source, root: root.display },
    displayStart: `${root.display}/`,
  };
}
