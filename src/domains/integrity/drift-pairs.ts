/** Reads the canonical roots and the mirrors, and pairs their copies by name. */
import { realPathOf } from '../../lib/real-path.ts';
import type { SkillRoot } from '../skills/scan/roots.ts';
import type { CopyPair } from './drift.ts';
import type { SkillCopy, SyncedFile } from './drift-manifest.ts';
import type { TreeReader } from './drift-reader.ts';

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

/** Copies are read only for mirrors that `wanted` names: a workspace without mirrors pays nothing. */
export async function readPairs(
  { roots, reader, states }: PairSources,
  wanted: (mirror: Pick<MirrorPairs, 'exists' | 'linked'>) => boolean,
): Promise<readonly MirrorPairs[]> {
  const canonical = canonicalRoots(roots).map((root) => ({ root, real: realPathOf(root.path) }));
  const mirrors = roots
    .filter(({ source }) => source === 'mirror')
    .map((mirror) => {
      const real = realPathOf(mirror.path);
      return {
        mirror,
        exists: real !== null,
        linked: real !== null && canonical.some((each) => each.real === real),
      };
    });
  if (!mirrors.some(wanted)) return mirrors.map((mirror) => ({ ...mirror, pairs: [] }));
  const allowedRoots = roots.flatMap((root) => realPathOf(root.path) ?? []);
  const skills = new Map<string, SkillCopy>();
  for (const { root } of canonical) {
    const { copies } = await reader.readRoot(root, { allowedRoots });
    for (const [name, copy] of copies) if (!skills.has(name)) skills.set(name, copy);
  }
  const found: MirrorPairs[] = [];
  for (const place of mirrors) {
    if (!wanted(place)) {
      found.push({ ...place, pairs: [] });
      continue;
    }
    const { copies } = await reader.readRoot(place.mirror, { allowedRoots, also: new Set(skills.keys()) });
    const base = await states(place.mirror.display);
    const names = [...new Set([...skills.keys(), ...copies.keys(), ...base.keys()])].sort();
    const pairs = names.map((name) => ({
      name,
      canonical: skills.get(name) ?? null,
      mirror: copies.get(name) ?? null,
      base: base.get(name) ?? null,
    }));
    found.push({ ...place, pairs });
  }
  return found;
}
