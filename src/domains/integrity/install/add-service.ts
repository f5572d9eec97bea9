/** Installs skills: fetch, judge, plan, then change the disk and the lock as one. */
import path from 'node:path';

import { ColibriError } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import type { ScanFinding } from '../scan/scan-skill.ts';
import { type Candidate, readCandidate } from './candidate.ts';
import { compareFiles, differenceText, type FileDifference } from './compare.ts';
import { readInstalled } from './folder-tree.ts';
import { entrySource, formatLock, type Lock, type LockEntry, withEntry } from './lock.ts';
import { chooseOffers, listOffers } from './offers.ts';
import { keepPristine, prunePristine } from './pristine.ts';
import {
  entryOf,
  folderOf,
  type InstallParts,
  type InstallSession,
  inSession,
  type Scope,
} from './session.ts';
import { parseSource, type Source } from './source.ts';
import { applyChanges, type Change } from './transaction.ts';
import { sourceDifferences } from './verify-service.ts';

export interface AddRequest extends Scope {
  /** Absent with `frozen`: everything that the lock names. */
  readonly source?: string | undefined;
  /** Names, or `*`; absent takes the only skill there is. */
  readonly skills?: readonly string[] | undefined;
  readonly ref?: string | undefined;
  /** The folder inside the source to look in. */
  readonly path?: string | undefined;
  /** Installs only what the lock pins, byte for byte, and never changes the lock. */
  readonly frozen?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  /** Rules of the security scan whose errors do not refuse. */
  readonly accept?: readonly string[] | undefined;
}

export interface AddedSkill {
  readonly name: string;
  /** `adopted`: it lay there already, with the same bytes. */
  readonly state: 'installed' | 'adopted' | 'unchanged' | 'edited';
  readonly path: string;
  readonly source: string;
  readonly ref: string | null;
  readonly commit: string | null;
  readonly subpath: string;
  readonly digest: string;
  readonly files: number;
  /** Of the security scan, worst first. */
  readonly findings: readonly ScanFinding[];
  /** Files that the scan could not look into. */
  readonly unread: readonly string[];
}

export interface AddReport {
  readonly dry_run: boolean;
  readonly lock: string;
  readonly skills: readonly AddedSkill[];
}

export async function addSkills(parts: InstallParts, request: AddRequest): Promise<AddReport> {
  const { source: text, frozen = false, dryRun = false } = request;
  if (text === undefined && !frozen)
    throw new ColibriError(
      'USAGE',
      'name a source to add from, or use --frozen to install what the lock names',
    );
  return inSession(parts, request, async (session) => {
    const wanted =
      text === undefined
        ? await lockedSkills(session, parts)
        : await offeredSkills(session, parts, { ...request, source: text });
    const planned = wanted.map((each) => plan(session, each, { frozen }));
    if (!dryRun) await carryOut(session, planned, parts);
    return {
      dry_run: dryRun,
      lock: session.place.lockFile,
      skills: planned.map((each) => reportOf(session, each)),
    };
  });
}

interface Wanted {
  readonly candidate: Candidate;
  readonly entry: LockEntry;
}

async function offeredSkills(
  session: InstallSession,
  { cwd, home, scan }: InstallParts,
  request: AddRequest & { readonly source: string },
): Promise<readonly Wanted[]> {
  const { ref, path: subpath, skills, accept = [], frozen = false } = request;
  const source = parseSource(request.source, { cwd, home, ref, subpath });
  const names = skills === undefined || skills.includes('*') ? null : skills;
  const commit = frozen ? pinnedCommit(session, source, names) : null;
  const tree = await session.fetch(source, { commit, names });
  const offers = await listOffers(tree, source.subpath);
  const wanted: Wanted[] = [];
  for (const offer of chooseOffers(offers, skills ?? null, tree.known)) {
    // The lock would know it by one name, and the index by another.
    if (source.kind === 'well-known' && offer.folder !== offer.name)
      throw refused(
        offer.name,
        `the index has no skill of this name with SKILL.md at its root, only ${offer.folder}`,
      );
    const candidate = await readCandidate(tree, offer, { scan, accept });
    wanted.push({ candidate, entry: entryOf(candidate, { source, tree, base: session.place.base }) });
  }
  return wanted;
}

/** A frozen install takes the commit of the lock, wherever the branch is by now. */
function pinnedCommit(
  { lock, place }: InstallSession,
  { identity }: Source,
  names: readonly string[] | null,
): string | null {
  const pinned = Object.entries(lock.skills).find(
    ([name, entry]) =>
      (names === null || names.includes(name)) && entrySource(entry, place.base).identity === identity,
  );
  return pinned?.[1].commit ?? null;
}

/** Everything that the lock names and that is not there. */
async function lockedSkills(session: InstallSession, { scan }: InstallParts): Promise<readonly Wanted[]> {
  const wanted: Wanted[] = [];
  for (const [name, entry] of Object.entries(session.lock.skills)) {
    const installed = readInstalled(path.join(session.place.root, name));
    if (installed !== null) {
      refuseDifferences(name, compareFiles(entry.files, installed.files, installed.odd));
      refuseDifferences(name, sourceDifferences(session.place, entry));
      const { digest, accepted, files: pinned } = entry;
      const judged = { findings: [], unread: [], accepted };
      wanted.push({
        candidate: { name, folder: '', files: installed.files, pinned, digest, ...judged },
        entry,
      });
      continue;
    }
    const source = entrySource(entry, session.place.base);
    const tree = await session.fetch(source, {
      commit: entry.commit,
      names: entry.kind === 'well-known' ? [name] : null,
    });
    const offer = { name, folder: folderOf(name, entry) };
    wanted.push({ candidate: await readCandidate(tree, offer, { scan, accept: entry.accepted }), entry });
  }
  return wanted;
}

interface Planned extends Wanted {
  readonly state: AddedSkill['state'];
}

function plan(session: InstallSession, wanted: Wanted, { frozen }: { readonly frozen: boolean }): Planned {
  const { candidate, entry } = wanted;
  const { lock, place } = session;
  const known = lock.skills[candidate.name];
  const installed = readInstalled(path.join(place.root, candidate.name));
  const differences =
    installed === null ? [] : compareFiles(candidate.pinned, installed.files, installed.odd);
  if (frozen) {
    if (known === undefined)
      throw refused(candidate.name, 'the lock does not name it; leave --frozen out to add it');
    refuseDifferences(candidate.name, compareFiles(known.files, candidate.files));
    refuseDifferences(candidate.name, differences);
    return { candidate, entry: known, state: installed === null ? 'installed' : 'unchanged' };
  }
  if (known === undefined) {
    if (installed === null) return { ...wanted, state: 'installed' };
    if (differences.length === 0) return { ...wanted, state: 'adopted' };
    throw refused(
      candidate.name,
      `${path.join(place.root, candidate.name)} is there already and was not installed by colibri; move it away first`,
    );
  }
  if (originOf(known, place.base) !== originOf(entry, place.base))
    throw refused(
      candidate.name,
      `it is installed from ${known.source} already; run \`colibri remove ${candidate.name}\` first`,
    );
  if (known.digest !== entry.digest)
    throw refused(
      candidate.name,
      `another state of it is installed; run \`colibri update ${candidate.name}\``,
    );
  if (installed === null) return { ...wanted, state: 'installed' };
  return { candidate, entry: known, state: differences.length === 0 ? 'unchanged' : 'edited' };
}

/** However it is written. */
function originOf(entry: LockEntry, base: string): string {
  return [entry.kind, entrySource(entry, base).identity, entry.subpath].join(' ');
}

async function carryOut(
  session: InstallSession,
  planned: readonly Planned[],
  { reload }: InstallParts,
): Promise<void> {
  const { place } = session;
  const fresh = planned.filter(({ state }) => state === 'installed' || state === 'adopted');
  if (fresh.length === 0) return;
  const lock = fresh.reduce<Lock>(
    (all, { candidate, entry }) => withEntry(all, candidate.name, entry),
    session.lock,
  );
  const changes = fresh
    .filter(({ state }) => state === 'installed')
    .map(({ candidate }): Change => ({ name: candidate.name, files: candidate.files }));
  for (const { candidate } of fresh) keepPristine(place, candidate.files);
  applyChanges(place, changes, formatLock(lock));
  prunePristine(place, lock);
  await reload();
}

function reportOf({ place }: InstallSession, { candidate, entry, state }: Planned): AddedSkill {
  const { name, findings, unread } = candidate;
  const { source, ref, commit, subpath, digest, files } = entry;
  return {
    name,
    state,
    path: path.join(place.root, name),
    ...{ source, ref, commit, subpath, digest },
    files: Object.keys(files).length,
    findings,
    unread,
  };
}

function refuseDifferences(name: string, differences: readonly FileDifference[]): void {
  if (differences.length === 0) return;
  const lines = differences.map((difference) => `${name}/${differenceText(difference)}`);
  const message = `${name} is not what colibri.lock.json pins: ${lines.join('; ')}; nothing was changed`;
  throw new ColibriError('LOCK_MISMATCH', printable(message), { name, differences });
}

function refused(name: string, why: string): ColibriError {
  return new ColibriError('SKILL_REFUSED', `${printable(name)} is not installed: ${printable(why)}`, {
    name,
    reason: why,
  });
}
