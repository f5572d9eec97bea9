/** Brings the index in line with the disk: walk, compare, read what changed, write in one transaction. */
import { realpathSync } from 'node:fs';

import { WalkNeeded } from './first-look.ts';
import type { SkillRoot } from './roots.ts';
import { nothingChanged, planScan, type StoredRoot, withoutRepeats } from './scan-plan.ts';
import type { BegunScan, ScanParts } from './scan-state.ts';
import { applyScan, type ScanChanges } from './scan-write.ts';
import { listRoots, type WalkedRoot, walkRoot } from './walk.ts';

/** How often a scan is planned anew because another process changed the index meanwhile. */
const ATTEMPTS_MAX = 5;

/**
 * Throws when a root cannot be read; the index then stays as it was.
 * Null means that nothing on the disk has changed, and nothing was written.
 */
export function scanRoots(roots: readonly SkillRoot[], parts: ScanParts): ScanChanges | null {
  const { repository, logger, clock } = parts;
  let walkNeeded = false;
  for (let attempt = 1; ; attempt++) {
    const generation = repository.skills.generation();
    const stored = repository.storedRoots();
    const began = clock.now();
    const isFirst = stored.every(({ snapshot }) => snapshot.directories.length === 0);
    const listed = isFirst && !walkNeeded ? listFirst(roots, { ...parts, began }) : null;
    const walked = listed ?? walkRoots(roots, { ...parts, stored });
    if (nothingChanged(stored, walked)) return null;
    const plan = planScan(stored, walked);
    if (!plan.anythingChanged) return null;
    const lines: unknown[][] = [];
    const quiet = { ...parts, began, logger: (...line: unknown[]) => void lines.push(line) };
    const applied = unlessWalkNeeded(() =>
      repository.transaction(() =>
        repository.skills.generation() === generation ? applyScan(plan, quiet) : 'outdated',
      ),
    );
    if (applied !== 'outdated' && applied !== 'walk-needed') {
      // Told only now: a transaction that fails has done nothing worth telling.
      for (const line of lines) logger(...line);
      return applied;
    }
    walkNeeded ||= applied === 'walk-needed';
    if (attempt === ATTEMPTS_MAX)
      throw new Error('the index keeps changing under the scan; is another process scanning?');
  }
}

function unlessWalkNeeded<T>(work: () => T): T | 'walk-needed' {
  try {
    return work();
  } catch (error) {
    if (error instanceof WalkNeeded) return 'walk-needed';
    throw error;
  }
}

function listFirst(
  roots: readonly SkillRoot[],
  { progress, began }: Pick<BegunScan, 'progress' | 'began'>,
): readonly WalkedRoot[] | null {
  const listed = listRoots(distinctRoots(roots), began);
  if (listed === null) return null;
  progress?.(
    0,
    listed.reduce((sum, { directories }) => sum + directories.length, 0),
  );
  return withoutRepeats(listed);
}

function walkRoots(
  roots: readonly SkillRoot[],
  {
    clock,
    progress,
    stored,
  }: Pick<ScanParts, 'clock' | 'progress'> & { readonly stored: readonly StoredRoot[] },
): readonly WalkedRoot[] {
  const before = new Map(stored.map(({ path, snapshot }) => [path, snapshot]));
  let seen = 0;
  const walked = distinctRoots(roots).map((root) => {
    const one = walkRoot(root, clock.now(), before.get(root.path));
    seen += one.directories.length;
    progress?.(0, seen);
    return one;
  });
  return withoutRepeats(walked);
}

/** Two roots with one real path are one root; the first keeps its precedence. */
function distinctRoots(roots: readonly SkillRoot[]): readonly SkillRoot[] {
  const seen = new Set<string>();
  return roots.filter(({ path }) => {
    const real = realPathOf(path);
    if (seen.has(real)) return false;
    seen.add(real);
    return true;
  });
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    // A missing or closed root is told apart later; here it just stands for itself.
    if (error instanceof Error) return path;
    throw error;
  }
}
