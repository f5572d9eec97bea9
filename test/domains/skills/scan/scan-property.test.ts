/** Whatever happens to the disk, an incremental scan ends where a first scan would. */

import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { SkillRoot } from '../../../../src/domains/skills/scan/roots.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { applyChange, CHANGES, type Change } from '../../../support/random-tree.ts';
import { LATER, type TestRegistry, testRegistry } from '../../../support/registry.ts';

const RUNS = Number(process.env['COLIBRI_PROPERTY_RUNS'] ?? 120);
const seed = Number(process.env['COLIBRI_PROPERTY_SEED'] ?? Date.now() % 1_000_000_000);

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom(...CHANGES),
  at: fc.nat(1000),
  to: fc.nat(1000),
  text: fc.nat(100),
});

interface Round {
  readonly changes: readonly Change[];
  /** Which arrangement of the roots the scan after them uses. */
  readonly arrangement: number;
  /** Whether the files are looked at right after they were written, when their times tell least. */
  readonly hasty: boolean;
}

const round: fc.Arbitrary<Round> = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 12 }),
  arrangement: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(6)),
  hasty: fc.boolean(),
});

test(`after random changes the index is what a first scan makes (COLIBRI_PROPERTY_SEED=${seed})`, {
  timeout: 300_000,
}, () => {
  fc.assert(
    fc.property(fc.array(round, { minLength: 1, maxLength: 8 }), (rounds) => {
      const registry = testRegistry();
      for (const { changes, arrangement, hasty } of rounds) {
        for (const each of changes) applyChange(foldersOf(registry), each);
        const roots = arrange(registry, arrangement);
        registry.scan(roots, hasty ? systemClock : LATER);
        expect(registry.content()).toEqual(registry.fresh(roots));
        const before = registry.db.prepare('SELECT total_changes()').pluck().get();
        expect(registry.scan(roots, LATER)).toBeNull();
        expect(registry.db.prepare('SELECT total_changes()').pluck().get()).toBe(before);
      }
    }),
    { numRuns: RUNS, seed },
  );
});

function foldersOf({ roots, root }: TestRegistry): readonly string[] {
  return [...Object.values(roots), root('extra/skills'), root('extra/skills/group')].map((one) => one.path);
}

/** The roots as different configurations would name them. */
function arrange({ roots, root }: TestRegistry, arrangement: number): readonly SkillRoot[] {
  const { workspace, global, mirror } = roots;
  const extra = root('extra/skills', { depth: 3 });
  switch (arrangement) {
    case 1:
      return [global, workspace, mirror];
    case 2:
      return [workspace, { ...global, profile: 'lenient' }, mirror, extra];
    case 3:
      return [workspace, mirror];
    case 4:
      return [workspace, global, { ...mirror, depth: 2 }, { ...extra, depth: 1 }];
    case 5:
      return [root('extra/skills/group', { profile: 'lenient' }), workspace, extra];
    case 6:
      return [workspace, extra, root('extra/skills/group'), { ...mirror, source: 'repo' }];
    default:
      return [workspace, global, mirror, extra];
  }
}
