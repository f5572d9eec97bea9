/** Compares what a walk saw with what the last scan stored, and judges links. Pure. */
import {
  EMPTY_SNAPSHOT,
  FINGERPRINT_NUMBERS,
  NEVER_LISTED,
  Role,
  type RootSnapshot,
  sameFingerprint,
  skillNameAt,
} from './root-snapshot.ts';
import { rootKey } from './roots.ts';
import type { Oddity, WalkedRoot } from './walk.ts';

export interface StoredRoot {
  readonly path: string;
  readonly position: number;
  readonly key: string;
  /** As users know it; empty where an earlier version stored it. */
  readonly display: string;
  readonly snapshot: RootSnapshot;
}

/**
 * Where one root lies inside another, the same directory is found twice; the root of higher precedence keeps it.
 * Otherwise a skill would collide with itself.
 */
export function withoutRepeats(walked: readonly WalkedRoot[]): readonly WalkedRoot[] {
  const nested = walked.some(({ realPath: inner }) =>
    walked.some(({ realPath: outer }) => inner !== null && outer !== null && inner.startsWith(`${outer}/`)),
  );
  if (!nested) return walked;
  const seen = new Set<string>();
  return walked.map((one) => {
    const kept = one.directories.flatMap((relative, index) => {
      const place = `${one.realPath}/${relative}`;
      if (seen.has(place)) return [];
      seen.add(place);
      return [index];
    });
    return kept.length === one.directories.length ? one : onlyThese(one, kept);
  });
}

function onlyThese(walked: WalkedRoot, indexes: readonly number[]): WalkedRoot {
  const directories: string[] = [];
  const oddities = new Map<number, Oddity>();
  const fingerprints = new Float64Array(indexes.length * FINGERPRINT_NUMBERS);
  for (const [at, index] of indexes.entries()) {
    const start = index * FINGERPRINT_NUMBERS;
    const oddity = walked.oddities.get(index);
    directories.push(walked.directories[index] ?? '');
    fingerprints.set(
      walked.fingerprints.subarray(start, start + FINGERPRINT_NUMBERS),
      at * FINGERPRINT_NUMBERS,
    );
    if (oddity !== undefined) oddities.set(at, oddity);
  }
  // These are not all the names that the folder holds.
  return { ...walked, directories, oddities, fingerprints, listed: NEVER_LISTED };
}

/** What the last scan knew of a directory. */
export interface Before {
  readonly role: Role;
  readonly name: string;
}

export interface PlannedDirectory {
  readonly relative: string;
  /** `alias`: another path to a skill that is found by itself. `outside`, `broken`: links that are not followed. */
  readonly kind: 'skill' | 'absent' | 'misnamed' | 'alias' | 'outside' | 'broken' | 'file-outside';
  /** Where to read it: differs from the path below the root when a link leads there. */
  readonly readFrom: string;
  /** Which file SKILL.md is, where other paths to the same file may exist. */
  readonly inode: string | null;
  readonly before: Before | null;
  /** False: the same bytes as last time, as far as its fingerprint tells. */
  readonly changed: boolean;
  /** Its fingerprint is another than the last scan's and worth keeping. Not so while the last one was too young. */
  readonly stirred: boolean;
}

export interface PlannedRoot {
  readonly walked: WalkedRoot;
  /** By the place in the walk. Made whenever it is asked for: to keep those of 100 000 skills would be half of a scan's memory. */
  readonly directory: (index: number) => PlannedDirectory;
  /**
   * The name that an unchanged directory had won, told without looking at anything else of it, because nearly all of a
   * rescan is this. Null: `directory` tells.
   */
  readonly unchangedWinner: (index: number) => string | null;
  /** False for a new root, and when the same bytes may mean something else because its profile is another. */
  readonly sameKey: boolean;
}

/** A directory that the last scan had and this one did not find. */
export interface RemovedDirectory {
  /** Absolute. */
  readonly path: string;
  readonly before: Before;
}

export interface ScanPlan {
  readonly stored: readonly StoredRoot[];
  readonly roots: readonly PlannedRoot[];
  readonly removed: readonly RemovedDirectory[];
  /** Paths of roots that are no longer configured. */
  readonly droppedRoots: readonly string[];
  /** Roots came, went, changed their order or the way they are read. */
  readonly rootsChanged: boolean;
  /** False: nothing to read and nothing to write. */
  readonly anythingChanged: boolean;
}

export function planScan(stored: readonly StoredRoot[], walked: readonly WalkedRoot[]): ScanPlan {
  const storedByPath = new Map(stored.map((root) => [root.path, root]));
  const links = { walked, skillPaths: realSkillPaths(walked) };
  const removed: RemovedDirectory[] = [];
  const roots = walked.map((root) => planRoot(root, storedByPath.get(root.root.path), { links, removed }));
  const current = new Set(walked.map(({ root }) => root.path));
  const dropped = stored.filter(({ path }) => !current.has(path));
  for (const root of dropped) noteRemoved(root, () => false, removed);
  const moved = walked.some(({ root }, position) => storedByPath.get(root.path)?.position !== position);
  const rootsChanged = moved || dropped.length > 0 || roots.some(({ sameKey }) => !sameKey);
  const anythingChanged = rootsChanged || removed.length > 0 || roots.some(isChanged);
  const droppedRoots = dropped.map(({ path }) => path);
  return { stored, roots, removed, droppedRoots, rootsChanged, anythingChanged };
}

function isChanged({ walked, directory, unchangedWinner }: PlannedRoot): boolean {
  return walked.directories.some((_, index) => unchangedWinner(index) === null && directory(index).changed);
}

/** The common case, decided without building a plan. Links are judged against other roots, so they need the plan. */
export function nothingChanged(stored: readonly StoredRoot[], walked: readonly WalkedRoot[]): boolean {
  if (stored.length !== walked.length) return false;
  return walked.every(({ root, directories, fingerprints, oddities }, position) => {
    const before = stored[position];
    if (before?.path !== root.path || before.position !== position || before.key !== rootKey(root))
      return false;
    const { snapshot } = before;
    return (
      !hasLinks(oddities) &&
      sameDirectories(snapshot.directories, directories) &&
      directories.every((_, index) => sameFingerprint(snapshot.fingerprints, index, fingerprints, index))
    );
  });
}

function hasLinks(oddities: WalkedRoot['oddities']): boolean {
  for (const { target } of oddities.values()) if (target !== undefined) return true;
  return false;
}

/** A root that was not listed again has the very list of before. */
function sameDirectories(before: readonly string[], now: readonly string[]): boolean {
  if (before === now) return true;
  return before.length === now.length && now.every((relative, index) => before[index] === relative);
}

interface LinkFacts {
  readonly walked: readonly WalkedRoot[];
  /** Real paths of all directories that are skills by themselves; null when no link asks. */
  readonly skillPaths: ReadonlySet<string> | null;
}

interface PlanContext {
  readonly links: LinkFacts;
  readonly removed: RemovedDirectory[];
}

function planRoot(walked: WalkedRoot, stored: StoredRoot | undefined, context: PlanContext): PlannedRoot {
  const sameKey = stored?.key === rootKey(walked.root);
  const old = stored?.snapshot ?? EMPTY_SNAPSHOT;
  const match = matchDirectories(old.directories, walked.directories);
  if (stored !== undefined) noteRemoved(stored, match.isKept, context.removed);
  const directory = (index: number): PlannedDirectory => {
    const relative = walked.directories[index];
    if (relative === undefined) throw new RangeError(`no directory ${index} in ${walked.root.display}`);
    const indexOld = match.indexBefore(index);
    const oddity = walked.oddities.get(index);
    const judged = judge(oddity, `${walked.root.path}/${relative}`, context.links);
    const before = beforeAt(old, indexOld);
    const same = before !== null && sameFingerprint(old.fingerprints, indexOld, walked.fingerprints, index);
    const tooYoung = Number.isNaN(old.fingerprints[indexOld * FINGERPRINT_NUMBERS]);
    return {
      relative,
      kind: judged.kind,
      readFrom: judged.readFrom,
      inode: oddity?.inode ?? null,
      before,
      changed: !(same && sameKey && ROLES_KEPT[judged.kind].includes(before.role)),
      stirred: !same && !tooYoung,
    };
  };
  const unchangedWinner = (index: number): string | null => {
    const indexOld = match.indexBefore(index);
    if (!sameKey || old.roles[indexOld] !== Role.winner || walked.oddities.has(index)) return null;
    const same = sameFingerprint(old.fingerprints, indexOld, walked.fingerprints, index);
    return same ? skillNameAt(old, indexOld) : null;
  };
  return { walked, directory, unchangedWinner, sameKey };
}

function noteRemoved(
  root: StoredRoot,
  isKept: (relative: string) => boolean,
  removed: RemovedDirectory[],
): void {
  root.snapshot.directories.forEach((relative, index) => {
    const before = isKept(relative) ? null : beforeAt(root.snapshot, index);
    if (before !== null) removed.push({ path: `${root.path}/${relative}`, before });
  });
}

function beforeAt(snapshot: RootSnapshot, index: number): Before | null {
  const role = snapshot.roles[index];
  // Roles are stored by `encodeSnapshot` from this same table.
  return role === undefined ? null : { role: role as Role, name: skillNameAt(snapshot, index) };
}

interface DirectoryMatch {
  /** Index now → index before, or -1. */
  readonly indexBefore: (index: number) => number;
  /** Whether a directory of before is there now. */
  readonly isKept: (relative: string) => boolean;
}

/** Nearly always the two lists are equal, so no table is built for that case; nor for a root that is new. */
function matchDirectories(before: readonly string[], now: readonly string[]): DirectoryMatch {
  if (before.length === 0) return { indexBefore: () => -1, isKept: () => false };
  if (sameDirectories(before, now)) return { indexBefore: (index) => index, isKept: () => true };
  const byName = new Map(before.map((relative, index) => [relative, index]));
  const names = new Set(now);
  return {
    indexBefore: (index) => byName.get(now[index] ?? '') ?? -1,
    isKept: (relative) => names.has(relative),
  };
}

interface Judged {
  readonly kind: PlannedDirectory['kind'];
  readonly readFrom: string;
}

function judge(oddity: Oddity | undefined, own: string, links: LinkFacts): Judged {
  const { kind, target } = oddity ?? PLAIN_SKILL;
  switch (kind) {
    case 'skill':
    case 'absent':
    case 'misnamed':
      return { kind, readFrom: own };
    case 'link':
      return target == null ? { kind: 'broken', readFrom: own } : judgeLink(target, links);
    case 'file-link': {
      // One that leads nowhere is left to the reader, which knows why.
      if (target == null) return { kind: 'skill', readFrom: own };
      const original = target.endsWith('/SKILL.md') ? target.slice(0, -'/SKILL.md'.length) : null;
      if (original !== null && links.skillPaths?.has(original)) return { kind: 'alias', readFrom: original };
      return { kind: isInside(target, links) ? 'skill' : 'file-outside', readFrom: own };
    }
  }
}

const PLAIN_SKILL: Oddity = { kind: 'skill' };

function judgeLink(target: string, links: LinkFacts): Judged {
  if (links.skillPaths?.has(target)) return { kind: 'alias', readFrom: target };
  return { kind: isInside(target, links) ? 'skill' : 'outside', readFrom: target };
}

function isInside(target: string, { walked }: LinkFacts): boolean {
  return walked.some(({ realPath }) => realPath !== null && target.startsWith(`${realPath}/`));
}

// The roles that an unchanged directory of a kind may keep; with any other it is read again. A link that was refused
// must not pass for one whose target was rejected: its target may lie in a root by now.
const ROLES_KEPT: Readonly<Record<PlannedDirectory['kind'], readonly Role[]>> = {
  skill: [Role.winner, Role.shadowed, Role.rejected, Role.alias],
  absent: [Role.none, Role.rejected],
  misnamed: [Role.rejected],
  alias: [Role.alias],
  outside: [Role.refused],
  broken: [Role.refused],
  'file-outside': [Role.refused],
};

function realSkillPaths(walked: readonly WalkedRoot[]): ReadonlySet<string> | null {
  if (!walked.some(({ oddities }) => hasLinks(oddities))) return null;
  const paths = new Set<string>();
  for (const { realPath, directories, oddities } of walked) {
    directories.forEach((relative, index) => {
      if ((oddities.get(index) ?? PLAIN_SKILL).kind === 'skill') paths.add(`${realPath}/${relative}`);
    });
  }
  return paths;
}
