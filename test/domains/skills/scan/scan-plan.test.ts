import { describe, expect, test } from 'vitest';

import { NEVER_LISTED, Role } from '../../../../src/domains/skills/scan/root-snapshot.ts';
import { rootKey, type SkillRoot } from '../../../../src/domains/skills/scan/roots.ts';
import {
  nothingChanged,
  type PlannedDirectory,
  type PlannedRoot,
  planScan,
  type StoredRoot,
  withoutRepeats,
} from '../../../../src/domains/skills/scan/scan-plan.ts';
import type { Oddity, WalkedRoot } from '../../../../src/domains/skills/scan/walk.ts';

const A: SkillRoot = { path: '/a', display: 'a', source: 'workspace', profile: 'strict', depth: 1 };
const B: SkillRoot = { ...A, path: '/b', display: 'b', source: 'global' };

type Entry = Partial<Oddity> & {
  readonly relative: string;
  readonly mark?: number;
};

function walked(root: SkillRoot, entries: readonly Entry[], realPath: string | null = root.path): WalkedRoot {
  return {
    root,
    realPath,
    directories: entries.map(({ relative }) => relative),
    oddities: new Map(
      entries.flatMap(({ mark: _, relative: __, kind, ...rest }, index) =>
        kind === undefined ? [] : [[index, { kind, ...rest }]],
      ),
    ),
    listed: NEVER_LISTED,
    fingerprints: new Float64Array(entries.flatMap(({ mark = 1 }) => [mark, mark, mark, mark])),
  };
}

/** What a scan that saw this would have stored. */
function stored(
  root: SkillRoot,
  position: number,
  entries: readonly (Entry & { role?: Role })[],
): StoredRoot {
  const { directories, fingerprints, listed } = walked(root, entries);
  const snapshot = {
    ...{ directories, fingerprints, listed },
    roles: Uint8Array.from(entries, ({ role = Role.winner }) => role),
    names: new Map<number, string>(),
  };
  return { path: root.path, position, key: rootKey(root), display: root.display, snapshot };
}

function directoriesOf(planned: PlannedRoot | undefined): readonly PlannedDirectory[] {
  return planned?.walked.directories.map((_, index) => planned.directory(index)) ?? [];
}

function changedIn(before: readonly StoredRoot[], now: readonly WalkedRoot[]): unknown {
  const plan = planScan(before, now);
  return {
    changed: plan.roots.flatMap((planned) =>
      directoriesOf(planned)
        .filter(({ changed }) => changed)
        .map(({ relative }) => `${planned.walked.root.path}/${relative}`),
    ),
    removed: plan.removed.map(({ path }) => path),
    rootsChanged: plan.rootsChanged,
    anythingChanged: plan.anythingChanged,
  };
}

const QUIET = { changed: [], removed: [], rootsChanged: false, anythingChanged: false };

describe('directories', () => {
  const before = [stored(A, 0, [{ relative: 'x' }, { relative: 'y' }])];

  test('the same fingerprints mean that there is nothing to do', () => {
    const now = [walked(A, [{ relative: 'x' }, { relative: 'y' }])];
    expect(changedIn(before, now)).toEqual(QUIET);
    expect(nothingChanged(before, now)).toBe(true);
  });

  test('another fingerprint means that this one directory is read', () => {
    const now = [walked(A, [{ relative: 'x' }, { relative: 'y', mark: 2 }])];
    expect(changedIn(before, now)).toEqual({ ...QUIET, changed: ['/a/y'], anythingChanged: true });
    expect(nothingChanged(before, now)).toBe(false);
  });

  test('a new directory is read and the others are not', () => {
    const now = [walked(A, [{ relative: 'new' }, { relative: 'x' }, { relative: 'y' }])];
    expect(changedIn(before, now)).toEqual({ ...QUIET, changed: ['/a/new'], anythingChanged: true });
    expect(nothingChanged(before, now)).toBe(false);
  });

  test('a missing directory is removed with what was known of it', () => {
    const now = [walked(A, [{ relative: 'y' }])];
    expect(planScan(before, now).removed).toEqual([
      { path: '/a/x', before: { role: Role.winner, name: 'x' } },
    ]);
    expect(nothingChanged(before, now)).toBe(false);
  });

  test('one that was too young to be trusted is read again, but is no reason to write', () => {
    const young = [stored(A, 0, [{ relative: 'x', mark: Number.NaN }])];
    const [directory] = directoriesOf(planScan(young, [walked(A, [{ relative: 'x' }])]).roots[0]);
    expect(directory).toMatchObject({ changed: true, stirred: false });
  });
});

describe('roots', () => {
  const before = [stored(A, 0, [{ relative: 'x' }]), stored(B, 1, [{ relative: 'y' }])];
  const a = walked(A, [{ relative: 'x' }]);
  const b = walked(B, [{ relative: 'y' }]);

  test('in another order are changed roots, but nothing is read for it', () => {
    expect(changedIn(before, [b, a])).toEqual({ ...QUIET, rootsChanged: true, anythingChanged: true });
    expect(nothingChanged(before, [b, a])).toBe(false);
  });

  test('that are configured no more take their directories with them', () => {
    expect(changedIn(before, [a])).toEqual({
      changed: [],
      removed: ['/b/y'],
      rootsChanged: true,
      anythingChanged: true,
    });
    expect(nothingChanged(before, [a])).toBe(false);
  });

  test.each([
    ['profile', { profile: 'lenient' }],
    ['source', { source: 'repo' }],
    ['depth', { depth: 2 }],
    ['display', { display: 'elsewhere' }],
  ] as const)('with another %s are read anew', (_, setting) => {
    const now = [a, walked({ ...B, ...setting }, [{ relative: 'y' }])];
    expect(changedIn(before, now)).toEqual({
      ...QUIET,
      changed: ['/b/y'],
      rootsChanged: true,
      anythingChanged: true,
    });
    expect(nothingChanged(before, now)).toBe(false);
  });

  test('that lie in one another hand each directory to the first of them', () => {
    const outer = walked({ ...A, depth: 2 }, [
      { relative: 'team/x', mark: 1 },
      { relative: 'y', mark: 2 },
    ]);
    const inner = walked({ ...B, path: '/a/team' }, [
      { relative: 'x', mark: 1 },
      { relative: 'z', mark: 3 },
    ]);
    const kept = (roots: readonly WalkedRoot[]) =>
      withoutRepeats(roots).map(({ directories, fingerprints }) => ({
        directories,
        fingerprints: [...fingerprints],
      }));
    expect(kept([outer, inner])).toEqual([
      { directories: ['team/x', 'y'], fingerprints: [1, 1, 1, 1, 2, 2, 2, 2] },
      { directories: ['z'], fingerprints: [3, 3, 3, 3] },
    ]);
    expect(kept([inner, outer]).map(({ directories }) => directories)).toEqual([['x', 'z'], ['y']]);
  });
});

describe('links', () => {
  const real = walked(B, [{ relative: 'real' }]);
  const judged = (entry: Entry) =>
    directoriesOf(planScan([], [walked(A, [entry]), real]).roots[0]).map(({ kind, readFrom }) => ({
      kind,
      readFrom,
    }));

  test.each([
    ['to a skill of a root is an alias', '/b/real', { kind: 'alias', readFrom: '/b/real' }],
    ['to a hidden place in a root is a skill', '/b/.store/x', { kind: 'skill', readFrom: '/b/.store/x' }],
    ['to a root itself leads outside', '/b', { kind: 'outside', readFrom: '/b' }],
    [
      'to a folder that only starts like a root leads outside',
      '/bb/x',
      { kind: 'outside', readFrom: '/bb/x' },
    ],
    ['to nothing is broken', null, { kind: 'broken', readFrom: '/a/l' }],
  ])('a linked directory %s', (_, target, expected) => {
    expect(judged({ relative: 'l', kind: 'link', target })).toEqual([expected]);
  });

  test.each([
    ['of a skill of a root is an alias', '/b/real/SKILL.md', { kind: 'alias', readFrom: '/b/real' }],
    ['to a file in a root is read', '/b/.store/SKILL.md', { kind: 'skill', readFrom: '/a/l' }],
    ['to a file elsewhere is not', '/etc/passwd', { kind: 'file-outside', readFrom: '/a/l' }],
    ['to nothing is left to the reader', null, { kind: 'skill', readFrom: '/a/l' }],
  ])('a linked SKILL.md %s', (_, target, expected) => {
    expect(judged({ relative: 'l', kind: 'file-link', target })).toEqual([expected]);
  });

  test('an unchanged link is judged again, because its target may lie in a root by now', () => {
    const link = { relative: 'l', kind: 'link', target: '/b/.store/x' } as const;
    const before = [stored(A, 0, [{ ...link, role: Role.refused }])];
    expect(planScan(before, [walked(A, [link])]).anythingChanged).toBe(false);
    expect(nothingChanged(before, [walked(A, [link])])).toBe(false);
    const [directory] = directoriesOf(planScan(before, [walked(A, [link]), real]).roots[0]);
    expect(directory).toMatchObject({ kind: 'skill', changed: true });
  });
});
