/** Who gets a name: the first that asks for it, and visits come in order of precedence. */
import type { Diagnostic } from '../../../lib/diagnostics.ts';
import type { ParsedSkill } from '../schema.ts';
import { skillRowValues } from '../skill-row.ts';
import { Role } from './root-snapshot.ts';
import { precedenceRule, type SkillRoot } from './roots.ts';
import type { Scan, Settled, Visit } from './scan-state.ts';

export interface Content {
  readonly skill: ParsedSkill;
  readonly diagnostics: readonly Diagnostic[];
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
  const { name } = content.skill;
  const holder = scan.taken.get(name);
  scan.wrote = true;
  if (holder !== undefined) {
    storeShadowed(scan, visit, { skill: content.skill, holder });
    return { role: Role.shadowed, name };
  }
  scan.taken.set(name, visit.root);
  storeWinner(scan, visit, content);
  return { role: Role.winner, name };
}

function storeWinner(scan: Scan, { root, place }: Visit, { skill, diagnostics }: Content): void {
  if (scan.winnersBefore.has(skill.name)) scan.counts.changed++;
  else scan.counts.added++;
  scan.fresh.add(skill.name);
  const origin = { source: root.source, root: root.display, directory: place };
  scan.repository.skills.upsert(
    skillRowValues(skill, {
      place: origin,
      diagnostics,
      loadedAt: scan.loadedAt,
      generation: scan.generation,
    }),
  );
}

function storeShadowed(
  scan: Scan,
  { root, place }: Visit,
  { skill, holder }: { readonly skill: ParsedSkill; readonly holder: SkillRoot },
): void {
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
