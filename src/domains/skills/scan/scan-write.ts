/** Carries out a planned scan: gives every directory its role, and reads and stores only what changed. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

import { isoNow } from '../../../lib/clock.ts';
import type { Diagnostic } from '../../../lib/diagnostics.ts';
import { sha256Hex } from '../../../lib/digest.ts';
import type { EventDraft } from '../../events/schema.ts';
import { parseSkill } from '../parse.ts';
import type { ParsedSkill } from '../schema.ts';
import { readSkillBytes } from '../skill-file.ts';
import { skillRowValues } from '../skill-row.ts';
import { Role } from './root-snapshot.ts';
import { precedenceRule, rootKey, type SkillRoot } from './roots.ts';
import type { ScanParts } from './scan.ts';
import type { PlannedDirectory, PlannedRoot, ScanPlan } from './scan-plan.ts';

/** What a scan did to the catalog. */
export interface ScanChanges {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Copies that now stand in another's shadow. */
  readonly shadowed: number;
}

interface Scan extends ScanParts {
  readonly allowedRoots: readonly string[];
  readonly loadedAt: string;
  readonly winnersBefore: ReadonlySet<string>;
  /** Who has a name: roots come in order of precedence, so the first to ask keeps it. */
  readonly taken: Map<string, SkillRoot>;
  /** Names whose winner is another or has changed; records of the copies in its shadow are renewed. */
  readonly fresh: Set<string>;
  /** Inodes of SKILL.md files with several paths, and the directory that counts. */
  readonly inodes: Map<string, string>;
  readonly drafts: EventDraft[];
  readonly counts: { added: number; changed: number; removed: number; shadowed: number };
  /** True once anything was written besides fingerprints. */
  wrote: boolean;
  /** True when a file was touched without changing: worth remembering, so that it is not read again. */
  touched: boolean;
}

/** One directory on its way to a role. */
interface Visit {
  readonly root: SkillRoot;
  readonly sameKey: boolean;
  readonly directory: PlannedDirectory;
  /** The directory as displayed. */
  readonly place: string;
}

interface Settled {
  readonly role: Role;
  readonly name: string | null;
}

/** Runs inside the transaction. Null when only fingerprints, or nothing at all, had to be written. */
export function applyScan(plan: ScanPlan, parts: ScanParts): ScanChanges | null {
  const scan = startScan(plan, parts);
  const settled = plan.roots.map((planned) => settleRoot(scan, planned));
  for (const { path: gone, before } of plan.removed) forget(scan, parts.display(gone), before.role);
  dropLostNames(scan, plan);
  if (!scan.wrote && !scan.touched && !plan.rootsChanged) return null;
  for (const dropped of plan.droppedRoots) parts.repository.dropRoot(dropped);
  plan.roots.forEach((planned, position) => {
    storeRoot(scan, planned, { position, settled: settled[position] ?? [] });
  });
  if (!scan.wrote) return null;
  parts.repository.nextGeneration();
  parts.events.append([...scan.drafts, ...catalogUpdated(scan, plan, settled)]);
  return scan.counts;
}

function dropLostNames(scan: Scan, plan: ScanPlan): void {
  const { skills } = scan.repository;
  for (const name of scan.winnersBefore) {
    if (scan.taken.has(name)) continue;
    skills.delete(name);
    scan.counts.removed++;
  }
  // Without a record of every root, rows of unknown origin may be left, for example from the single-root loader.
  if (plan.rootsChanged) scan.counts.removed += skills.prune([...scan.taken.keys()]);
  if (scan.counts.removed > 0) scan.wrote = true;
}

function startScan(plan: ScanPlan, parts: ScanParts): Scan {
  const winnersBefore = new Set<string>();
  const known = [...plan.roots.flatMap(({ directories }) => directories), ...plan.removed];
  for (const { before } of known) if (before?.role === Role.winner) winnersBefore.add(before.name);
  return {
    ...parts,
    allowedRoots: plan.roots.map(({ walked }) => walked.root.path),
    loadedAt: isoNow(parts.clock),
    winnersBefore,
    taken: new Map(),
    fresh: new Set(),
    inodes: new Map(),
    drafts: [],
    counts: { added: 0, changed: 0, removed: 0, shadowed: 0 },
    wrote: false,
    touched: false,
  };
}

function settleRoot(scan: Scan, planned: PlannedRoot): readonly Settled[] {
  const { root } = planned.walked;
  return planned.directories.map((directory) => {
    const { before, changed } = directory;
    const unchangedElsewhere =
      !changed && before !== null && !isCandidate(before.role) && !directory.hardLinked;
    if (unchangedElsewhere) return { role: before.role, name: null };
    const place = scan.display(`${root.path}/${directory.relative}`);
    const settled = settle(scan, { root, sameKey: planned.sameKey, directory, place });
    if (before !== null && before.role !== settled.role) forget(scan, place, before.role);
    return settled;
  });
}

function isCandidate(role: Role): boolean {
  return role === Role.winner || role === Role.shadowed;
}

function settle(scan: Scan, visit: Visit): Settled {
  const { directory } = visit;
  switch (directory.kind) {
    case 'absent':
      return settleAbsent(scan, visit);
    case 'alias':
      return settleAlias(scan, visit, directory.readFrom);
    case 'outside':
      return reject(scan, visit, [
        refusal(
          visit,
          'link-outside',
          'link leads out of every skills root; copy the skill or configure its folder as a root',
        ),
      ]);
    case 'broken':
      return reject(scan, visit, [refusal(visit, 'link-broken', 'link leads nowhere; remove or repair it')]);
    case 'skill':
    case 'link':
      return settleSkill(scan, visit);
  }
}

function settleSkill(scan: Scan, visit: Visit): Settled {
  const { directory } = visit;
  const original = directory.hardLinked ? sameInodeAs(scan, visit) : null;
  if (original !== null) return settleAlias(scan, visit, original);
  const { before } = directory;
  if (!directory.changed && before?.role === Role.rejected) return { role: Role.rejected, name: null };
  if (!directory.changed && before !== null && isCandidate(before.role)) {
    return claim(scan, visit, before.name, null);
  }
  const file = `${directory.readFrom}/SKILL.md`;
  const read = readSkillBytes(file, { allowedRoots: scan.allowedRoots });
  if (!read.ok)
    return read.diagnostic.code === 'skill-md-missing' ? none() : reject(scan, visit, [read.diagnostic]);
  if (before !== null && visit.sameKey && sha256Hex(read.bytes) === digestBefore(scan, visit)) {
    if (!directory.settling) scan.touched = true;
    return claim(scan, visit, before.name, null);
  }
  const where = { file: `${visit.place}/SKILL.md`, directory: path.basename(directory.relative) };
  const { skill, diagnostics } = parseSkill(read.bytes, where, { profile: visit.root.profile });
  if (skill === null) {
    const lenient = parseSkill(read.bytes, where, { profile: 'lenient' });
    return reject(scan, visit, diagnostics, lenient.skill !== null);
  }
  return claim(scan, visit, skill.name, { skill, diagnostics });
}

interface Fresh {
  readonly skill: ParsedSkill;
  readonly diagnostics: readonly Diagnostic[];
}

/** Gives the name to the first that asks for it. `fresh` is null when the index already has this very content. */
function claim(scan: Scan, visit: Visit, name: string, fresh: Fresh | null): Settled {
  const holder = scan.taken.get(name);
  const role = holder === undefined ? Role.winner : Role.shadowed;
  if (holder === undefined) scan.taken.set(name, visit.root);
  const sameRole = visit.directory.before?.role === role && visit.directory.before.name === name;
  const upToDate = fresh === null && sameRole && (role === Role.winner || !scan.fresh.has(name));
  if (!upToDate) {
    const content = fresh ?? readAgain(scan, visit);
    // Gone between the walk and now: the next scan sees it as removed.
    if (content === null) return none();
    scan.wrote = true;
    if (holder === undefined) storeWinner(scan, visit, content);
    else storeShadowed(scan, visit, content.skill, holder);
  }
  return { role, name };
}

function readAgain(scan: Scan, { directory, place, root }: Visit): Fresh | null {
  const read = readSkillBytes(`${directory.readFrom}/SKILL.md`, { allowedRoots: scan.allowedRoots });
  if (!read.ok) return null;
  const where = { file: `${place}/SKILL.md`, directory: path.basename(directory.relative) };
  const { skill, diagnostics } = parseSkill(read.bytes, where, { profile: root.profile });
  return skill === null ? null : { skill, diagnostics };
}

function storeWinner(scan: Scan, { root, place }: Visit, { skill, diagnostics }: Fresh): void {
  const known = scan.winnersBefore.has(skill.name);
  known ? scan.counts.changed++ : scan.counts.added++;
  scan.fresh.add(skill.name);
  const origin = { source: root.source, root: root.display, directory: place };
  const row = skillRowValues(skill, { place: origin, diagnostics, loadedAt: scan.loadedAt });
  scan.repository.skills.upsert(row);
}

function storeShadowed(scan: Scan, { root, place }: Visit, skill: ParsedSkill, holder: SkillRoot): void {
  const winner = scan.repository.winner(skill.name);
  if (winner === null) throw new Error(`no winner is stored for ${skill.name}`);
  const shadowed = { path: `${place}/SKILL.md`, source: root.source, digest: skill.digest };
  const rule = precedenceRule(holder, root);
  scan.counts.shadowed++;
  scan.repository.putShadowed({
    ...shadowed,
    name: skill.name,
    description: skill.description,
    version: skill.version,
    root: root.display,
    directory: place,
    winner_path: winner.path,
  });
  scan.drafts.push({
    type: 'skill.warning',
    stream: 'catalog',
    actor: 'registry',
    sensitivity: 'private',
    payload: { kind: 'collision', name: skill.name, detail: { rule, winner, shadowed } },
  });
  scan.logger(`[colibri] skill shadowed: ${skill.name}: ${winner.path} over ${shadowed.path} (${rule})`);
}

function settleAbsent(scan: Scan, visit: Visit): Settled {
  const misspelt = visit.directory.changed ? misspeltFile(visit.directory.readFrom) : null;
  if (misspelt !== null) {
    const message = `did you mean SKILL.md? rename ${misspelt}; file names are case-sensitive`;
    return reject(scan, visit, [refusal(visit, 'skill-md-missing', message)]);
  }
  const { before } = visit.directory;
  if (!visit.directory.changed && before?.role === Role.rejected) return { role: Role.rejected, name: null };
  return none();
}

function misspeltFile(directory: string): string | null {
  try {
    return (
      readdirSync(directory).find((name) => name !== 'SKILL.md' && name.toLowerCase() === 'skill.md') ?? null
    );
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}

function settleAlias(scan: Scan, visit: Visit, target: string): Settled {
  if (visit.directory.changed || visit.directory.before?.role !== Role.alias) {
    scan.repository.putAlias({
      directory: visit.place,
      root: visit.root.display,
      target: scan.display(target),
    });
    scan.wrote = true;
  }
  return { role: Role.alias, name: null };
}

/** The directory that holds the same SKILL.md by another path, if it came first. */
function sameInodeAs(scan: Scan, { directory }: Visit): string | null {
  const stats = statSync(`${directory.readFrom}/SKILL.md`, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  const inode = `${stats.dev}:${stats.ino}`;
  const first = scan.inodes.get(inode);
  if (first === undefined) scan.inodes.set(inode, directory.readFrom);
  return first ?? null;
}

function reject(scan: Scan, visit: Visit, diagnostics: readonly Diagnostic[], lenientOk = false): Settled {
  const { root, place, directory } = visit;
  if (directory.changed && scan.repository.rejection(place) !== JSON.stringify(diagnostics)) {
    scan.repository.putRejection({
      directory: place,
      root: root.display,
      source: root.source,
      lenient_ok: lenientOk,
      diagnostics,
    });
    const first = diagnostics.find(({ severity }) => severity === 'error');
    scan.logger('[colibri] skill skipped:', `${place}/SKILL.md:`, first?.message ?? 'invalid');
    scan.wrote = true;
  } else if (directory.changed && !directory.settling) {
    scan.touched = true;
  }
  return { role: Role.rejected, name: null };
}

function refusal({ place }: Visit, code: Diagnostic['code'], message: string): Diagnostic {
  return { code, severity: 'error', file: place, message };
}

function none(): Settled {
  return { role: Role.none, name: null };
}

function digestBefore(scan: Scan, { directory, place }: Visit): string | null {
  const { before } = directory;
  if (before?.role === Role.shadowed) return scan.repository.shadowed(place)?.digest ?? null;
  if (before?.role !== Role.winner) return null;
  const winner = scan.repository.winner(before.name);
  return winner?.path === `${place}/SKILL.md` ? winner.digest : null;
}

/** Removes what was kept of a directory outside the `skills` table. */
function forget(scan: Scan, place: string, role: Role): void {
  switch (role) {
    case Role.shadowed:
      scan.repository.dropShadowed(place);
      break;
    case Role.rejected:
      scan.repository.dropRejection(place);
      break;
    case Role.alias:
      scan.repository.dropAlias(place);
      break;
    case Role.winner:
    case Role.none:
      return;
  }
  scan.wrote = true;
}

function storeRoot(
  scan: Scan,
  { walked, directories }: PlannedRoot,
  { position, settled }: { readonly position: number; readonly settled: readonly Settled[] },
): void {
  const names = new Map<number, string>();
  settled.forEach(({ name }, index) => {
    if (name !== null && name !== path.posix.basename(directories[index]?.relative ?? ''))
      names.set(index, name);
  });
  scan.repository.putRoot(
    { path: walked.root.path, position, key: rootKey(walked.root) },
    {
      directories: directories.map(({ relative }) => relative),
      fingerprints: walked.fingerprints,
      roles: Uint8Array.from(settled, ({ role }) => role),
      names,
    },
  );
}

function catalogUpdated(
  scan: Scan,
  plan: ScanPlan,
  settled: readonly (readonly Settled[])[],
): readonly EventDraft[] {
  const { added, changed, removed, shadowed } = scan.counts;
  if (added + changed + removed + shadowed === 0) return [];
  const roots = plan.roots.map(({ walked }, position) => ({
    path: walked.root.display,
    source: walked.root.source,
    count: (settled[position] ?? []).filter(({ role }) => role === Role.winner).length,
  }));
  return [
    {
      type: 'skill.catalog_updated',
      stream: 'catalog',
      actor: 'registry',
      sensitivity: 'pseudonymous',
      payload: {
        count: scan.taken.size,
        roots,
        collisions: scan.repository.shadowedCount(),
        added,
        changed,
        removed,
      },
    },
  ];
}
