/** Where a canonical skill and its copy in a mirror differ. Pure. */
import { sha256Hex } from '../../lib/digest.ts';
import {
  contentOf,
  digestOf,
  type SkillCopy,
  type SkillTree,
  type SyncedFile,
  type TreeEntry,
} from './drift-manifest.ts';

export const DRIFT_KINDS = ['canonical-only', 'mirror-only', 'changed', 'unreadable'] as const;
export type DriftKind = (typeof DRIFT_KINDS)[number];

export interface FileFacts {
  readonly kind: TreeEntry['kind'];
  readonly size: number | null;
  /** Octal, as `ls` and `chmod` know it; null for anything but a file. */
  readonly mode: string | null;
  readonly digest: string;
}

export interface FileDifference {
  readonly path: string;
  readonly change: 'canonical-only' | 'mirror-only' | 'content' | 'mode' | 'kind';
  /** Which side has changed since both were last in step; null when that is not known. */
  readonly changed_by: 'canonical' | 'mirror' | 'both' | null;
  readonly canonical: FileFacts | null;
  readonly mirror: FileFacts | null;
}

export interface DriftFinding {
  readonly kind: DriftKind;
  readonly skill: string;
  /** Why a copy cannot be compared. */
  readonly reason: string | null;
  readonly differences: readonly FileDifference[];
  /** Changes with the finding and with the content behind it. */
  readonly digest: string;
}

/** `linked`: both paths lead to the same skill, or the copy is a link into another root. */
export type CopyVerdict =
  | { readonly state: 'in-step' | 'linked' }
  | { readonly state: 'drift'; readonly finding: DriftFinding };

export interface CopyPair {
  readonly name: string;
  readonly canonical: SkillCopy | null;
  readonly mirror: SkillCopy | null;
  /** What both were when they were last in step; null when that was never recorded. */
  readonly base: readonly SyncedFile[] | null;
}

export function compareCopies({ name, canonical, mirror, base }: CopyPair): CopyVerdict {
  if (mirror?.link != null && mirror.read.ok) return { state: 'linked' };
  // A canonical link into another root is an alias of a skill there, and nothing that a mirror has to have.
  if (canonical?.link != null && canonical.read.ok && mirror === null) return { state: 'linked' };
  if (canonical?.link != null && canonical.link === realOf(mirror)) return { state: 'linked' };
  if (realOf(canonical) !== null && realOf(canonical) === realOf(mirror)) return { state: 'linked' };
  for (const [side, copy] of [
    ['canonical', canonical],
    ['mirror', mirror],
  ] as const) {
    if (copy === null || copy.read.ok) continue;
    const reason = `the ${side} copy cannot be compared: ${copy.read.reason}`;
    return drift(name, { kind: 'unreadable', reason, pair: { canonical, mirror } });
  }
  if (canonical?.read.ok && mirror?.read.ok) {
    const differences = compareTrees(canonical.read.tree, mirror.read.tree, base);
    if (differences.length === 0) return { state: 'in-step' };
    return drift(name, { kind: 'changed', differences, pair: { canonical, mirror } });
  }
  const kind = mirror === null ? 'canonical-only' : 'mirror-only';
  return drift(name, { kind, pair: { canonical, mirror } });
}

function realOf(copy: SkillCopy | null): string | null {
  return copy?.read.ok ? copy.read.tree.real : null;
}

interface DriftFacts {
  readonly kind: DriftKind;
  readonly reason?: string | null;
  readonly differences?: readonly FileDifference[];
  readonly pair: Pick<CopyPair, 'canonical' | 'mirror'>;
}

function drift(skill: string, facts: DriftFacts): CopyVerdict {
  const { kind, reason = null, differences = [], pair } = facts;
  const digest = sha256Hex(
    JSON.stringify([kind, skill, reason, digestOf(pair.canonical), digestOf(pair.mirror)]),
  );
  return { state: 'drift', finding: { kind, skill, reason, differences, digest } };
}

function compareTrees(
  canonical: SkillTree,
  mirror: SkillTree,
  base: readonly SyncedFile[] | null,
): readonly FileDifference[] {
  const shared = [...linksAcross(canonical, mirror), ...linksAcross(mirror, canonical)];
  const left = entriesWithout(shared, canonical);
  const right = entriesWithout(shared, mirror);
  const known = base === null ? null : new Map(base.map((file) => [file.path, file]));
  const paths = [...new Set([...left.keys(), ...right.keys()])].sort();
  return paths.flatMap((path) => {
    const [one, other] = [left.get(path) ?? null, right.get(path) ?? null];
    const change = changeBetween(one, other);
    if (change === null) return [];
    const changedBy = known === null ? null : blame(one, other, known.get(path) ?? null);
    return [{ path, change, changed_by: changedBy, canonical: factsOf(one), mirror: factsOf(other) }];
  });
}

/** Links of one side to the very same place of the other: whatever stands there, or below it, is the same. */
function linksAcross(own: SkillTree, other: SkillTree): readonly string[] {
  return own.entries.flatMap((entry) =>
    entry.kind === 'link' && entry.real === `${other.real}/${entry.path}` ? [entry.path] : [],
  );
}

function entriesWithout(shared: readonly string[], { entries }: SkillTree): ReadonlyMap<string, TreeEntry> {
  const isShared = (path: string) => shared.some((link) => path === link || path.startsWith(`${link}/`));
  return new Map(entries.filter(({ path }) => !isShared(path)).map((entry) => [entry.path, entry]));
}

function changeBetween(one: TreeEntry | null, other: TreeEntry | null): FileDifference['change'] | null {
  if (other === null) return 'canonical-only';
  if (one === null) return 'mirror-only';
  if (isSameFile(one, other)) return null;
  if (one.kind !== other.kind) return 'kind';
  if (contentOf(one).digest !== contentOf(other).digest) return 'content';
  return contentOf(one).executable === contentOf(other).executable ? null : 'mode';
}

/** Two paths to one file: a hard link, or two links to one place. */
function isSameFile(one: TreeEntry, other: TreeEntry): boolean {
  if (one.kind === 'file' && other.kind === 'file') return one.inode === other.inode;
  if (one.kind === 'link' && other.kind === 'link') return one.real !== null && one.real === other.real;
  return false;
}

function blame(
  one: TreeEntry | null,
  other: TreeEntry | null,
  base: SyncedFile | null,
): 'canonical' | 'mirror' | 'both' {
  const isBase = (entry: TreeEntry | null): boolean => {
    if (entry === null || base === null) return entry === null && base === null;
    const { digest, executable } = contentOf(entry);
    return digest === base.digest && executable === base.executable;
  };
  if (isBase(one)) return 'mirror';
  return isBase(other) ? 'canonical' : 'both';
}

function factsOf(entry: TreeEntry | null): FileFacts | null {
  if (entry === null) return null;
  const { digest } = contentOf(entry);
  if (entry.kind !== 'file') return { kind: entry.kind, size: null, mode: null, digest };
  return { kind: 'file', size: entry.size, mode: entry.mode.toString(8).padStart(3, '0'), digest };
}
