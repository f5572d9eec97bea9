/** Who gets a name: the first that asks for it, and visits come in order of precedence. */
import type { Diagnostic } from '../../../lib/diagnostics.ts';
import { bodyText, type SkillHead } from '../parse.ts';
import { skillRowValues } from '../skill-row.ts';
import { Role } from './root-snapshot.ts';
import { precedenceRule, type SkillRoot } from './roots.ts';
import type { Scan, Settled, SharedByWinners, Visit } from './scan-state.ts';

export interface Content {
  readonly head: SkillHead;
  readonly diagnostics: readonly Diagnostic[];
  /** Of the whole file. */
  readonly bytes: Uint8Array;
}

/** Lets a directory with the same content as before keep its row; null when the row must be written anew. */
export function keepClaim(
  scan: Scan,
  { root, directory }: Pick<Visit, 'root' | 'directory'>,
): Settled | null {
  const { before } = directory;
  if (before === null) return null;
  const { role, name } = before;
  if (role === Role.winner) return keepName(scan, root, name) ? before : null;
  return role === Role.shadowed && scan.names.isKept(name) ? before : null;
}

/** False: another has taken it. That one is fresh, because of the winners of the last scan no two have one name. */
export function keepName({ names }: Scan, root: SkillRoot, name: string): boolean {
  if (names.fresh.has(name)) return false;
  names.keep(name, root);
  return true;
}

function sharedIn(shared: Scan['shared'], root: SkillRoot): SharedByWinners {
  const found = shared.get(root);
  if (found === undefined) throw new Error(`the scan knows no root ${root.display}`);
  return found;
}

export function claim(scan: Scan, visit: Visit, content: Content): Settled {
  const { name } = content.head.standard;
  const { before } = visit.directory;
  const wasOwn = before?.role === Role.winner && before.name === name;
  const holder = wasOwn ? scan.names.fresh.get(name) : scan.names.holder(name);
  scan.wrote = true;
  if (holder !== undefined) {
    storeShadowed(scan, visit, { head: content.head, holder });
    return { role: Role.shadowed, name };
  }
  scan.names.take(name, visit.root);
  storeWinner(scan, visit, content);
  return { role: Role.winner, name };
}

function storeWinner(scan: Scan, { root, place }: Visit, { head, diagnostics, bytes }: Content): void {
  const { name } = head.standard;
  const { origin, displayStart } = sharedIn(scan.shared, root);
  if (scan.hadWinners && scan.repository.winner(name) !== null) scan.counts.changed++;
  else scan.counts.added++;
  const row = skillRowValues(head, { directory: place, diagnostics });
  scan.repository.skills.upsert(row, { origin, capabilities: head.colibri.capabilities });
  // A path that is not shown below its root's does not lead back to the file.
  const isFound = place.startsWith(displayStart);
  if (scan.keepBodies || !isFound) scan.repository.putBody(head.digest, bodyText(bytes, head));
}

function storeShadowed(
  scan: Scan,
  { root, place }: Visit,
  { head, holder }: { readonly head: SkillHead; readonly holder: SkillRoot },
): void {
  const { name, description } = head.standard;
  // The winner may be as new as this one.
  scan.repository.skills.flush();
  const winner = scan.repository.winner(name);
  if (winner === null) throw new Error(`no winner is stored for ${name}`);
  const shadowed = { path: `${place}/SKILL.md`, source: root.source, digest: head.digest };
  const rule = precedenceRule(holder, root);
  scan.counts.shadowed++;
  scan.repository.putShadowed({
    ...shadowed,
    name,
    description,
    version: head.colibri.version,
    root: root.display,
    directory: place,
    winner_path: winner.path,
  });
  scan.drafts.push({
    type: 'skill.warning',
    stream: 'catalog',
    actor: 'registry',
    sensitivity: 'private',
    payload: { kind: 'collision', name, detail: { rule, winner, shadowed } },
  });
  scan.logger(`[colibri] skill shadowed: ${name}: ${winner.path} over ${shadowed.path} (${rule})`);
}
