import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  EMPTY_SNAPSHOT,
  FINGERPRINT_NUMBERS,
  Role,
  type RootSnapshot,
  sameFingerprint,
  skillNameAt,
} from '../../../../src/domains/skills/scan/root-snapshot.ts';
import { decodeSnapshot, encodeSnapshot } from '../../../../src/domains/skills/scan/snapshot-bytes.ts';

/** Any name that a directory may have. */
const segment = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 20 })
  .filter((text) => !/[\0/\ud800-\udfff]/.test(text));
const numbers = fc.tuple(fc.double(), fc.double(), fc.nat(), fc.nat());
const entry = fc.record({
  directory: fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
  fingerprint: numbers,
  role: fc.constantFrom(...Object.values(Role)),
  name: fc.option(segment),
});

const snapshot: fc.Arbitrary<RootSnapshot> = fc
  .tuple(fc.array(entry, { maxLength: 30 }), numbers)
  .map(([entries, listed]) => ({
    listed: Float64Array.from(listed),
    directories: entries.map(({ directory }) => directory),
    fingerprints: new Float64Array(entries.flatMap(({ fingerprint }) => fingerprint)),
    roles: Uint8Array.from(entries, ({ role }) => role),
    names: new Map(entries.flatMap(({ name }, index) => (name === null ? [] : [[index, name] as const]))),
  }));

test('what was encoded is decoded, wherever the bytes lie in memory', () => {
  fc.assert(
    fc.property(snapshot, fc.nat(7), (given, offset) => {
      const bytes = encodeSnapshot(given);
      const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).subarray(offset);
      expect(decodeSnapshot(shifted)).toEqual(given);
    }),
  );
});

test('the empty snapshot is no special case', () => {
  expect(decodeSnapshot(encodeSnapshot(EMPTY_SNAPSHOT))).toEqual(EMPTY_SNAPSHOT);
});

test('a single changed bit, a missing end or an added byte gives null', () => {
  fc.assert(
    fc.property(snapshot, fc.nat(), fc.nat(7), (given, at, bit) => {
      const bytes = encodeSnapshot(given);
      const flipped = Buffer.from(bytes);
      flipped[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ (1 << bit);
      expect(decodeSnapshot(flipped)).toBeNull();
      expect(decodeSnapshot(bytes.subarray(0, at % bytes.length))).toBeNull();
      expect(decodeSnapshot(Buffer.concat([bytes, Buffer.alloc(1)]))).toBeNull();
    }),
  );
});

test('random bytes give null and never throw', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => decodeSnapshot(bytes) === null));
});

test('a fingerprint with NaN equals nothing, not even itself', () => {
  const known = Float64Array.of(1, 2, 3, 4, Number.NaN, 2, 3, 4);
  expect(known.length).toBe(2 * FINGERPRINT_NUMBERS);
  expect(sameFingerprint(known, 0, known, 0)).toBe(true);
  expect(sameFingerprint(known, 1, known, 1)).toBe(false);
  expect(sameFingerprint(known, 0, known, 1)).toBe(false);
});

test('a skill is named like its directory unless another name is noted', () => {
  const two: RootSnapshot = {
    ...EMPTY_SNAPSHOT,
    directories: ['plain', 'group/other'],
    names: new Map([[0, 'renamed']]),
  };
  expect([skillNameAt(two, 0), skillNameAt(two, 1), skillNameAt(two, 2)]).toEqual(['renamed', 'other', '']);
});
