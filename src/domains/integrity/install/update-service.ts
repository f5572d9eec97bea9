/** Brings installed skills up to what their sources have now; edits are merged in, or the skill is left as it is. */
import path from 'node:path';

import { createTwoFilesPatch } from 'diff';

import { ColibriError } from '../../../lib/errors.ts';
import type { ScanFinding } from '../scan/scan-skill.ts';
import { type BundleFile, byPath, modeOf } from './bundle.ts';
import { type Candidate, readCandidate, skillProblem } from './candidate.ts';
import { readInstalled } from './folder-tree.ts';
import { entrySource, formatLock, type Lock, type LockEntry, withEntry } from './lock.ts';
import { type Conflict, mergeTrees } from './merge.ts';
import { keepPristine, prunePristine, readPristine } from './pristine.ts';
import {
  entryOf,
  folderOf,
  type InstallParts,
  type InstallSession,
  inSession,
  notInstalled,
  type Scope,
} from './session.ts';
import type { Source } from './source.ts';
import { applyChanges } from './transaction.ts';

export interface UpdateRequest extends Scope {
  /** Absent: all. */
  readonly names?: readonly string[] | undefined;
  /** Follows another branch or tag from now on. */
  readonly ref?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly accept?: readonly string[] | undefined;
}

export interface UpdatedFile {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed' | 'mode';
  /** Unified; null for binary or very different files. */
  readonly diff: string | null;
}

export interface UpdatedSkill {
  readonly name: string;
  /** `conflict`, `gone` and `failed` leave the skill as it is. */
  readonly state: 'updated' | 'current' | 'conflict' | 'gone' | 'failed';
  readonly commit: { readonly from: string | null; readonly to: string | null };
  /** Of a conflict: what would become of its files if the source had its way. */
  readonly changes: readonly UpdatedFile[];
  /** Files whose edits were kept. */
  readonly kept: readonly string[];
  readonly conflicts: readonly Conflict[];
  /** What the security scan says of the new state, worst first. */
  readonly findings: readonly ScanFinding[];
  /** Why it failed. */
  readonly reason: string | null;
}

export interface UpdateReport {
  readonly dry_run: boolean;
  readonly lock: string;
  readonly skills: readonly UpdatedSkill[];
}

export interface OutdatedSkill {
  readonly name: string;
  readonly state: 'current' | 'outdated' | 'gone' | 'failed';
  readonly source: string;
  readonly ref: string | null;
  readonly commit: { readonly from: string | null; readonly to: string | null };
  readonly digest: { readonly from: string; readonly to: string | null };
  readonly reason: string | null;
}

export function updateSkills(parts: InstallParts, request: UpdateRequest): Promise<UpdateReport> {
  return inSession(parts, request, async (session) => {
    const { place } = session;
    const planned: Planned[] = [];
    for (const name of namesOf(session, request.names))
      planned.push(await planUpdate(session, name, { parts, request }));
    const ready = planned.flatMap(({ put }) => (put === null ? [] : [put]));
    if (ready.length > 0 && request.dryRun !== true) {
      const lock = ready.reduce<Lock>((all, { name, entry }) => withEntry(all, name, entry), session.lock);
      for (const { pristine } of ready) keepPristine(place, pristine);
      applyChanges(
        place,
        ready.filter(({ files }) => files !== null),
        formatLock(lock),
      );
      prunePristine(place, lock);
      await parts.reload();
    }
    return {
      dry_run: request.dryRun === true,
      lock: place.lockFile,
      skills: planned.map(({ report }) => report),
    };
  });
}

/** Which installed skills their sources have in another state; changes nothing. */
export function outdatedSkills(parts: InstallParts, scope: Scope): Promise<readonly OutdatedSkill[]> {
  return inSession(parts, scope, async (session) => {
    const found: OutdatedSkill[] = [];
    for (const [name, entry] of Object.entries(session.lock.skills)) {
      const { source, ref, commit, digest } = entry;
      const latest = await latestOf(session, name, { entry, parts, accept: null });
      const { tree = null, candidate = null } = latest;
      const state =
        candidate === null
          ? (latest.state ?? 'failed')
          : candidate.digest === digest
            ? 'current'
            : 'outdated';
      found.push({
        ...{ name, state, source, ref },
        commit: { from: commit, to: tree?.commit ?? null },
        digest: { from: digest, to: candidate?.digest ?? null },
        reason: latest.reason ?? null,
      });
    }
    return found;
  });
}

function namesOf({ lock }: InstallSession, wanted: readonly string[] | undefined): readonly string[] {
  const known = Object.keys(lock.skills);
  if (wanted === undefined || wanted.length === 0) return known;
  const missing = wanted.find((name) => !known.includes(name));
  if (missing === undefined) return [...new Set(wanted)];
  throw notInstalled(missing, known);
}

interface Put {
  readonly name: string;
  readonly entry: LockEntry;
  /** Null when only the lock changes. */
  readonly files: readonly BundleFile[] | null;
  readonly pristine: readonly BundleFile[];
}

interface Planned {
  readonly report: UpdatedSkill;
  readonly put: Put | null;
}

interface Wish {
  readonly parts: InstallParts;
  readonly request: UpdateRequest;
}

async function planUpdate(session: InstallSession, name: string, { parts, request }: Wish): Promise<Planned> {
  const entry = lockedEntry(session, name);
  const accept = [...entry.accepted, ...(request.accept ?? [])];
  const latest = await latestOf(session, name, { entry, parts, accept, ref: request.ref });
  const { tree, candidate, source } = latest;
  const commit = { from: entry.commit, to: tree?.commit ?? null };
  const nothing = { name, commit, changes: [], kept: [], conflicts: [], findings: [], reason: null };
  if (candidate === undefined || tree === undefined)
    return {
      report: { ...nothing, state: latest.state ?? 'failed', reason: latest.reason ?? null },
      put: null,
    };
  const next = entryOf(candidate, { source, tree, base: session.place.base });
  if (candidate.digest === entry.digest) {
    const follows = next.ref !== entry.ref;
    const put = { name, entry: next, files: null, pristine: candidate.files };
    return { report: { ...nothing, state: 'current' }, put: follows ? put : null };
  }
  const installed = readInstalled(path.join(session.place.root, name));
  const mine = installed?.files ?? candidate.files;
  const odd = (installed?.odd ?? []).map(
    (file): Conflict => ({ path: file, why: 'it is a link or a special file' }),
  );
  const base = await baseContents(session, { name, entry, mine });
  const merged = mergeTrees({ base: entry.files, baseContent: base, mine, theirs: candidate.files });
  const broken = merged.conflicts.length > 0 ? null : skillProblem(name, merged.files);
  const conflicts = [
    ...odd,
    ...merged.conflicts,
    ...(broken === null ? [] : [{ path: 'SKILL.md', why: broken }]),
  ];
  if (conflicts.length > 0) {
    const stuck = new Set(merged.conflicts.map((each) => each.path));
    const within = (files: readonly BundleFile[]) => files.filter((file) => stuck.has(file.path));
    const changes = changedFiles(name, within(mine), within(candidate.files));
    return { report: { ...nothing, state: 'conflict', conflicts, changes }, put: null };
  }
  const changes = changedFiles(name, installed?.files ?? [], merged.files);
  const { findings } = candidate;
  const report: UpdatedSkill = { ...nothing, state: 'updated', changes, kept: merged.kept, findings };
  return { report, put: { name, entry: next, files: merged.files, pristine: candidate.files } };
}

function lockedEntry({ lock }: InstallSession, name: string): LockEntry {
  const entry = lock.skills[name];
  if (entry === undefined) throw notInstalled(name, Object.keys(lock.skills));
  return entry;
}

interface Latest {
  readonly source: Source;
  readonly tree?: Awaited<ReturnType<InstallSession['fetch']>>;
  readonly candidate?: Candidate;
  readonly state?: 'gone' | 'failed';
  readonly reason?: string;
}

interface LatestWish {
  readonly entry: LockEntry;
  readonly parts: InstallParts;
  /** Null lets everything through: it is only looked at. */
  readonly accept: readonly string[] | null;
  readonly ref?: string | undefined;
}

/** One source that is down must not keep the others from being updated. */
async function latestOf(session: InstallSession, name: string, wish: LatestWish): Promise<Latest> {
  const { entry, parts, accept } = wish;
  const locked = entrySource(entry, session.place.base);
  const source = { ...locked, ref: wish.ref ?? locked.ref };
  try {
    const tree = await session.fetch(source, { names: entry.kind === 'well-known' ? [name] : null });
    const folder = folderOf(name, entry);
    const main = folder === '' ? 'SKILL.md' : `${folder}/SKILL.md`;
    if (!tree.entries.some((each) => each.path === main))
      return { source, tree, state: 'gone', reason: `the source has no ${main} any more` };
    const judge =
      accept === null
        ? { scan: () => ({ findings: [], unread: [] }), accept: [] }
        : { scan: parts.scan, accept };
    return { source, tree, candidate: await readCandidate(tree, { name, folder }, judge) };
  } catch (error) {
    if (!(error instanceof ColibriError)) throw error;
    return { source, state: 'failed', reason: error.message };
  }
}

/** What edited files were when they were installed; from the pristine copies, or from the commit of the lock. */
async function baseContents(
  session: InstallSession,
  {
    name,
    entry,
    mine,
  }: { readonly name: string; readonly entry: LockEntry; readonly mine: readonly BundleFile[] },
): Promise<(sha256: string) => Buffer | null> {
  const contents = new Map<string, Buffer>();
  const lost: string[] = [];
  for (const { path: file } of mine) {
    const sha256 = entry.files[file]?.sha256;
    const kept = sha256 === undefined ? null : readPristine(session.place, sha256);
    if (kept !== null && sha256 !== undefined) contents.set(sha256, kept);
    else if (sha256 !== undefined) lost.push(file);
  }
  if (lost.length > 0 && entry.commit !== null) await refetch(session, { name, entry, lost, contents });
  return (sha256) => contents.get(sha256) ?? null;
}

interface Refetch {
  readonly name: string;
  readonly entry: LockEntry;
  readonly lost: readonly string[];
  readonly contents: Map<string, Buffer>;
}

async function refetch(session: InstallSession, { name, entry, lost, contents }: Refetch): Promise<void> {
  const folder = folderOf(name, entry);
  const prefix = folder === '' ? '' : `${folder}/`;
  try {
    const tree = await session.fetch(entrySource(entry, session.place.base), { commit: entry.commit });
    const there = new Set(tree.entries.map((each) => each.path));
    const found = await tree.read(lost.map((file) => prefix + file).filter((file) => there.has(file)));
    for (const file of lost) setContent(contents, entry.files[file]?.sha256, found.get(prefix + file));
  } catch (error) {
    // Then the edit cannot be merged, which is told as a conflict.
    if (!(error instanceof ColibriError)) throw error;
  }
}

function setContent(
  contents: Map<string, Buffer>,
  sha256: string | undefined,
  bytes: Buffer | undefined,
): void {
  if (sha256 !== undefined && bytes !== undefined) contents.set(sha256, bytes);
}

/** Beyond this a diff helps nobody, and takes long. */
const EDITS_MAX = 4_000;
const DIFF_BYTES_MAX = 512 * 1024;

function changedFiles(
  name: string,
  before: readonly BundleFile[],
  after: readonly BundleFile[],
): readonly UpdatedFile[] {
  const [old, fresh] = [
    new Map(before.map((file) => [file.path, file])),
    new Map(after.map((file) => [file.path, file])),
  ];
  const paths = [...new Set([...old.keys(), ...fresh.keys()])];
  const changed = paths.flatMap((file): UpdatedFile[] => {
    const [a, b] = [old.get(file), fresh.get(file)];
    if (a !== undefined && b !== undefined && a.bytes.equals(b.bytes))
      return modeOf(a) === modeOf(b) ? [] : [{ path: file, change: 'mode', diff: null }];
    const change = a === undefined ? 'added' : b === undefined ? 'removed' : 'changed';
    return [{ path: file, change, diff: diffOf(`${name}/${file}`, a?.bytes, b?.bytes) }];
  });
  return byPath(changed);
}

function diffOf(label: string, before: Buffer | undefined, after: Buffer | undefined): string | null {
  const sides = [before ?? Buffer.alloc(0), after ?? Buffer.alloc(0)];
  if (sides.some((bytes) => bytes.includes(0) || bytes.length > DIFF_BYTES_MAX)) return null;
  const [a = '', b = ''] = sides.map((bytes) => bytes.toString('utf8'));
  return createTwoFilesPatch(label, label, a, b, undefined, undefined, { maxEditLength: EDITS_MAX }) ?? null;
}
