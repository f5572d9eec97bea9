/** Gives every directory its role; reads only what changed. */
import { readdirSync } from 'node:fs';

import type { Diagnostic } from '../../../lib/diagnostics.ts';
import { sha256Hex } from '../../../lib/digest.ts';
import { systemCodeOf } from '../../../lib/errors.ts';
import type { DiagnosticCode } from '../diagnostic-codes.ts';
import { parseHead } from '../parse.ts';
import { readSkillBytes, type SkillBytes } from '../skill-file.ts';
import { claim, keepClaim, keepName } from './claim.ts';
import { lookFirst } from './first-look.ts';
import { baseName, Role } from './root-snapshot.ts';
import type { PlannedDirectory, PlannedRoot } from './scan-plan.ts';
import type { Scan, Settled, SettledRoot, Visit } from './scan-state.ts';
import { isMisspelt } from './walk.ts';

const PROGRESS_DIRECTORIES = 256;
const NONE: Settled = { role: Role.none, name: null };

export function settleRoot(scan: Scan, planned: PlannedRoot): SettledRoot {
  const { visits } = scan;
  const { directories } = planned.walked;
  const roles = new Uint8Array(directories.length);
  const names = new Map<number, string>();
  directories.forEach((relative, index) => {
    if (++visits.done % PROGRESS_DIRECTORIES === 0) scan.progress?.(visits.done, visits.total);
    const { role, name } = settleOne(scan, planned, index);
    roles[index] = role;
    if (name !== null && name !== baseName(relative)) names.set(index, name);
  });
  return { roles, names };
}

function settleOne(scan: Scan, planned: PlannedRoot, index: number): Settled {
  const { walked } = planned;
  if (walked.unseen === true) return settleDirectory(scan, planned, lookFirst(scan, walked, index));
  return (
    keepWinner(scan, planned, index) ??
    settleDirectory(scan, planned, { directory: planned.directory(index), read: null })
  );
}

/** The same as `keepRole` for the most usual directory of a rescan. */
function keepWinner(scan: Scan, planned: PlannedRoot, index: number): Settled | null {
  const name = planned.unchangedWinner(index);
  if (name === null || !keepName(scan, planned.walked.root, name)) return null;
  return { role: Role.winner, name };
}

function settleDirectory(
  scan: Scan,
  { walked: { root }, sameKey }: PlannedRoot,
  { directory, read }: Pick<Visit, 'directory' | 'read'>,
): Settled {
  const { before } = directory;
  const kept = directory.inode === null ? keepRole(scan, { root, directory }) : null;
  if (kept !== null) return kept;
  const place = scan.display(`${root.path}/${directory.relative}`);
  const settled = settle(scan, { root, sameKey, directory, read, place });
  if (before !== null && recordOf(before.role) !== recordOf(settled.role)) forget(scan, place, before.role);
  if (before?.role === Role.winner && before.name !== settled.name) scan.lost.add(before.name);
  if (directory.stirred || before?.role !== settled.role) scan.touched = true;
  return settled;
}

/** Removes what was kept of a directory outside the `skills` table. */
export function forget(scan: Scan, place: string, role: Role): void {
  const record = recordOf(role);
  if (record === null) return;
  if (record === 'shadowed') scan.repository.dropShadowed(place);
  if (record === 'rejection') scan.repository.dropRejection(place);
  if (record === 'alias') scan.repository.dropAlias(place);
  scan.wrote = true;
}

function recordOf(role: Role): 'shadowed' | 'rejection' | 'alias' | null {
  switch (role) {
    case Role.shadowed:
      return 'shadowed';
    case Role.rejected:
    case Role.refused:
      return 'rejection';
    case Role.alias:
      return 'alias';
    case Role.winner:
    case Role.none:
      return null;
  }
}

function isCandidate(role: Role): boolean {
  return role === Role.winner || role === Role.shadowed;
}

function settle(scan: Scan, visit: Visit): Settled {
  switch (visit.directory.kind) {
    case 'skill':
      return settleSkill(scan, visit);
    case 'file-outside':
      return asRefused(settleContent(scan, visit));
    case 'absent':
      return settleAbsent(scan, visit);
    case 'alias':
      return settleAlias(scan, visit, visit.directory.readFrom);
    case 'misnamed':
      return refuse(scan, visit, 'name-encoding', 'directory name is not valid UTF-8; rename it');
    case 'broken':
      return asRefused(refuse(scan, visit, 'link-broken', 'link leads nowhere; remove or repair it'));
    case 'outside': {
      const message = 'link leads out of every skills root; copy the skill or configure its folder as a root';
      return asRefused(refuse(scan, visit, 'link-outside', message));
    }
  }
}

/** Rejected for where it leads and not for what it holds. */
function asRefused(settled: Settled): Settled {
  return settled.role === Role.rejected ? { role: Role.refused, name: null } : settled;
}

/** Two paths to one file are one skill: the first that can have the name keeps it, the others are aliases. */
function settleSkill(scan: Scan, visit: Visit): Settled {
  const { inode, readFrom } = visit.directory;
  const original = inode === null ? undefined : scan.inodes.get(inode);
  if (original !== undefined) return settleAlias(scan, visit, original);
  // An alias whose original has gone must show what it holds.
  const wasAlias = visit.directory.before?.role === Role.alias;
  const settled = (wasAlias ? null : keepRole(scan, visit)) ?? settleContent(scan, visit);
  if (inode !== null && isCandidate(settled.role)) scan.inodes.set(inode, readFrom);
  return settled;
}

/** What an unchanged directory may stay without another look; null when its name goes to another or comes to it. */
function keepRole(scan: Scan, visit: Pick<Visit, 'root' | 'directory'>): Settled | null {
  const { changed, before } = visit.directory;
  if (changed || before === null) return null;
  if (isCandidate(before.role)) return keepClaim(scan, visit);
  return { role: before.role, name: null };
}

function settleContent(scan: Scan, visit: Visit): Settled {
  const { directory, place, root } = visit;
  const file = `${place}/SKILL.md`;
  const read = visit.read ?? readContent(scan, directory);
  if (!read.ok) {
    // Gone between the walk and now: the next scan sees it as removed.
    if (read.diagnostic.code === 'skill-md-missing') return NONE;
    return reject(scan, visit, [{ ...read.diagnostic, file }]);
  }
  const digest = sha256Hex(read.bytes);
  if (visit.sameKey && directory.before !== null && digest === digestBefore(scan, visit)) {
    const kept = keepClaim(scan, visit);
    if (kept !== null) return kept;
  }
  const where = { file, directory: baseName(directory.relative) };
  const { head, diagnostics } = parseHead(read.bytes, where, { profile: root.profile, digest });
  if (head !== null) return claim(scan, visit, { head, diagnostics, bytes: read.bytes });
  const lenient = parseHead(read.bytes, where, { profile: 'lenient' });
  return reject(scan, visit, diagnostics, lenient.head !== null);
}

function readContent({ allowedRoots, buffer }: Scan, { readFrom }: PlannedDirectory): SkillBytes {
  return readSkillBytes(`${readFrom}/SKILL.md`, { allowedRoots, into: buffer });
}

/** The digest of the content that the index has of this directory. */
function digestBefore(scan: Scan, { directory, place }: Visit): string | null {
  const { before } = directory;
  if (before?.role === Role.shadowed) return scan.repository.shadowed(place)?.digest ?? null;
  if (before?.role !== Role.winner) return null;
  const winner = scan.repository.winner(before.name);
  return winner?.path === `${place}/SKILL.md` ? winner.digest : null;
}

function settleAbsent(scan: Scan, visit: Visit): Settled {
  const misspelt = misspeltFile(visit.directory.readFrom);
  if (misspelt === null) return NONE;
  const message = `did you mean SKILL.md? rename ${misspelt}; file names are case-sensitive`;
  return refuse(scan, visit, 'skill-md-missing', message);
}

function misspeltFile(directory: string): string | null {
  try {
    return readdirSync(directory).find(isMisspelt) ?? null;
  } catch (error) {
    // Gone or closed: either way there is no skill to tell of.
    if (systemCodeOf(error) === undefined) throw error;
    return null;
  }
}

function settleAlias(scan: Scan, { place, root }: Visit, target: string): Settled {
  const alias = { directory: place, root: root.display, target: scan.display(target) };
  if (!scan.repository.hasAlias(alias)) {
    scan.repository.putAlias(alias);
    scan.wrote = true;
  }
  return { role: Role.alias, name: null };
}

function refuse(scan: Scan, visit: Visit, code: DiagnosticCode, message: string): Settled {
  return reject(scan, visit, [{ code, severity: 'error', file: visit.place, message }]);
}

function reject(
  scan: Scan,
  { root, place }: Visit,
  diagnostics: readonly Diagnostic[],
  lenientOk = false,
): Settled {
  const { display, source } = root;
  const rejection = { directory: place, root: display, source, lenient_ok: lenientOk, diagnostics };
  if (!scan.repository.hasRejection(rejection)) {
    scan.repository.putRejection(rejection);
    const first = diagnostics.find(({ severity }) => severity === 'error');
    scan.logger('[colibri] skill skipped:', `${place}/SKILL.md:`, first?.message ?? 'invalid');
    scan.wrote = true;
  }
  return { role: Role.rejected, name: null };
}
