/** Who gets a name: the first that asks for it, and visits come in order of precedence. */
import type { Diagnostic } from '../../../lib/diagnostics.ts';
import { bodyText, type SkillHead } from '../parse.ts';
import { skillRowValues } from '../skill-row.ts';
import { Role } from './root-snapshot.ts';
import { precedenceRule, type SkillRoot } from './roots.ts';
import type { Scan, Settled, Visit } from './scan-state.ts';

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
  const held = scan.taken.has(name);
  if (role === Role.winner && !held) {
    scan.taken.set(name, root);
    return before;
  }
  return role === Role.shadowed && held && !scan.fresh.has(name) ? before : null;
}

export function claim(scan: Scan, visit: Visit, content: Content): Settled {
  const { name } = content.head.fields;
  const holder = scan.taken.get(name);
  scan.wrote = true;
  if (holder !== undefined) {
    storeShadowed(scan, visit, { head: content.head, holder });
    return { role: Role.shadowed, name };
  }
  scan.taken.set(name, visit.root);
  storeWinner(scan, visit, content);
  return { role: Role.winner, name };
}

function storeWinner(scan: Scan, { root, place }: Visit, { head, diagnostics, bytes }: Content): void {
  const { name, capabilities } = head.fields;
  if (scan.winnersBefore.has(name)) scan.counts.changed++;
  else scan.counts.added++;
  scan.fresh.add(name);
  const { loadedAt, generation } = scan;
  const origin = { source: root.source, root: root.display, directory: place };
  const row = skillRowValues(head, { place: origin, diagnostics, loadedAt, generation });
  scan.repository.skills.upsert(row, capabilities);
  // A path that is not shown below its root's does not lead back to the file.
  const isFound = place.startsWith(`${root.display}/`);
  if (scan.keepBodies || !isFound) scan.repository.putBody(head.digest, bodyText(bytes, head));
}

function storeShadowed(
  scan: Scan,
  { root, place }: Visit,
  { head, holder }: { readonly head: SkillHead; readonly holder: SkillRoot },
): void {
  const { name, description, version } = head.fields;
  const winner = scan.repository.winner(name);
  if (winner === null) throw new Error(`no winner is stored for ${name}`);
  const shadowed = { path: `${place}/SKILL.md`, source: root.source, digest: head.digest };
  const rule = precedenceRule(holder, root);
  scan.counts.shadowed++;
  scan.repository.putShadowed({
    ...shadowed,
    name,
    description,
    version,
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
