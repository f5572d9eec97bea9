/** Reads the canonical roots and the mirrors, and pairs their copies by name. */
import type { SkillRoot } from '../skills/scan/roots.ts';
import type { CopyPair } from './drift.ts';
import type { SkillCopy, SyncedFile } from './drift-manifest.ts';
import { type RootCopies, realPathOf, type TreeReader } from './drift-reader.ts';

export interface MirrorPairs {
  readonly mirror: SkillRoot;
  readonly exists: boolean;
  /** The mirror as a whole is a link to a canonical root. */
  readonly linked: boolean;
  /** By name. */
  readonly pairs: readonly CopyPair[];
}

export interface PairSources {
  readonly roots: readonly SkillRoot[];
  readonly reader: TreeReader;
  /** What the copies of a mirror were when they were last in step. */
  readonly states: (mirror: string) => Promise<ReadonlyMap<string, readonly SyncedFile[]>>;
}

/** Canonical is what people edit: every root of the workspace, the first to name a skill having it. */
export function canonicalRoots(roots: readonly SkillRoot[]): readonly SkillRoot[] {
  return roots.filter(({ source }) => source === 'workspace');
}

export async function readPairs({ roots, reader, states }: PairSources): Promise<readonly MirrorPairs[]> {
  const mirrors = roots.filter(({ source }) => source === 'mirror');
  if (mirrors.length === 0) return [];
  const allowedRoots = roots.flatMap((root) => realPathOf(root.path) ?? []);
  const canonical: RootCopies[] = [];
  for (const root of canonicalRoots(roots)) canonical.push(await reader.readRoot(root, { allowedRoots }));
  const skills = new Map<string, SkillCopy>();
  for (const { copies } of canonical) {
    for (const [name, copy] of copies) if (!skills.has(name)) skills.set(name, copy);
  }
  const found: MirrorPairs[] = [];
  for (const mirror of mirrors) {
    const copies = await reader.readRoot(mirror, { allowedRoots, also: new Set(skills.keys()) });
    const linked = canonical.some(({ real }) => real !== null && real === copies.real);
    const base = await states(mirror.display);
    const names = [...new Set([...skills.keys(), ...copies.copies.keys(), ...base.keys()])].sort();
    const pairs = names.map((name) => ({
      name,
      canonical: skills.get(name) ?? null,
      mirror: copies.copies.get(name) ?? null,
      base: base.get(name) ?? null,
    }));
    found.push({ mirror, exists: copies.real !== null, linked, pairs });
  }
  return found;
}
