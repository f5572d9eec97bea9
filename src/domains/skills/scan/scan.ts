/** Brings the index in line with the disk: walk, compare, read what changed, write in one transaction. */
import { realpathSync } from 'node:fs';

import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { EventLog } from '../../events/log-repository.ts';
import type { SkillRoot } from './roots.ts';
import { nothingChanged, planScan } from './scan-plan.ts';
import type { ScanRepository } from './scan-repository.ts';
import { applyScan, type ScanChanges } from './scan-write.ts';
import { walkRoot } from './walk.ts';

export interface ScanParts {
  readonly repository: ScanRepository;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** An absolute path as users know it. */
  readonly display: (absolute: string) => string;
}

/** How often a scan is planned anew because another process changed the index meanwhile. */
const ATTEMPTS_MAX = 5;

/**
 * Throws when a root cannot be read; the index then stays as it was.
 * Null means that nothing on the disk has changed, and nothing was written.
 */
export function scanRoots(roots: readonly SkillRoot[], parts: ScanParts): ScanChanges | null {
  for (let attempt = 1; ; attempt++) {
    const { repository } = parts;
    const generation = repository.generation();
    const walked = distinctRoots(roots).map((root) => walkRoot(root, parts.clock.now()));
    const stored = repository.storedRoots();
    if (nothingChanged(stored, walked)) return null;
    const plan = planScan(stored, walked);
    if (!plan.anythingChanged) return null;
    const applied = repository.transaction(() =>
      repository.generation() === generation ? applyScan(plan, parts) : 'outdated',
    );
    if (applied !== 'outdated') return applied;
    if (attempt === ATTEMPTS_MAX)
      throw new Error('the index keeps changing under the scan; is another process scanning?');
  }
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
