/** Compares installed skills with the lock, and removes them. */
import path from 'node:path';

import { ColibriError } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { compareFiles, differenceText, type FileDifference } from './compare.ts';
import { readInstalled, readSource } from './folder-tree.ts';
import { entrySource, formatLock, type Lock, type LockEntry, withEntry } from './lock.ts';
import type { Place } from './place.ts';
import { prunePristine } from './pristine.ts';
import { type InstallParts, inSession, notInstalled, type Scope } from './session.ts';
import { applyChanges } from './transaction.ts';

export interface VerifiedSkill {
  readonly name: string;
  /** `missing`: the whole folder is gone. `source`: the copy is as pinned, its source on this machine is not. */
  readonly state: 'ok' | 'changed' | 'missing' | 'source';
  readonly source: string;
  readonly commit: string | null;
  readonly digest: string;
  /** Of the copy; for `source`, of the source. */
  readonly differences: readonly FileDifference[];
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly lock: string;
  readonly skills: readonly VerifiedSkill[];
}

export function verifySkills(parts: InstallParts, scope: Pick<Scope, 'global'>): Promise<VerifyReport> {
  return inSession(parts, scope, async ({ place, lock }) => {
    const skills = Object.entries(lock.skills).map(([name, entry]) => verifySkill(place, name, entry));
    return { ok: skills.every(({ state }) => state === 'ok'), lock: place.lockFile, skills };
  });
}

function verifySkill(place: Place, name: string, entry: LockEntry): VerifiedSkill {
  const installed = readInstalled(path.join(place.root, name));
  const differences = compareFiles(entry.files, installed?.files ?? [], installed?.odd);
  const { source, commit, digest } = entry;
  const facts = { name, source, commit, digest };
  if (installed === null) return { ...facts, state: 'missing', differences };
  if (differences.length > 0) return { ...facts, state: 'changed', differences };
  const elsewhere = sourceDifferences(place, entry);
  return { ...facts, state: elsewhere.length === 0 ? 'ok' : 'source', differences: elsewhere };
}

/** A folder of this machine is looked at, too. A commit cannot change, and what lies elsewhere is asked for by an update. */
export function sourceDifferences({ base }: Place, entry: LockEntry): readonly FileDifference[] {
  if (entry.kind !== 'path') return [];
  const { location } = entrySource(entry, base);
  const tree = readSource(path.join(location, entry.subpath));
  return tree === null ? [] : compareFiles(entry.files, tree.files, tree.odd);
}

export interface RemoveRequest extends Pick<Scope, 'global'> {
  readonly names: readonly string[];
  /** Also a skill that was edited. */
  readonly force?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface RemoveReport {
  readonly dry_run: boolean;
  readonly removed: readonly string[];
}

export function removeSkills(parts: InstallParts, request: RemoveRequest): Promise<RemoveReport> {
  const { force = false, dryRun = false } = request;
  return inSession(parts, request, async ({ place, lock }) => {
    const names = [...new Set(request.names)];
    for (const name of names) {
      const entry = lock.skills[name];
      if (entry === undefined) throw notInstalled(name, Object.keys(lock.skills));
      const { state, differences } = verifySkill(place, name, entry);
      if (state === 'changed' && !force) throw edited(name, differences);
    }
    const report = { dry_run: dryRun, removed: names };
    if (dryRun) return report;
    const rest = names.reduce<Lock>((all, name) => withEntry(all, name, null), lock);
    applyChanges(
      place,
      names.map((name) => ({ name, files: null })),
      formatLock(rest),
    );
    prunePristine(place, rest);
    await parts.reload();
    return report;
  });
}

function edited(name: string, differences: readonly FileDifference[]): ColibriError {
  const [first] = differences;
  const place = first === undefined ? '' : `: ${differenceText(first)}`;
  const message = `${name} was edited since it was installed${place}; keep the edit elsewhere, or remove it with --force`;
  return new ColibriError('SKILL_CHANGED', printable(message), { name, differences });
}
