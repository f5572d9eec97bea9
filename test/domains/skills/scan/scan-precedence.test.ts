/** Which of several skills with one name is used, and what is told of the others. */
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { SkillRoot } from '../../../../src/domains/skills/scan/roots.ts';
import { sha256Hex } from '../../../../src/lib/digest.ts';
import { type TestRegistry, testRegistry } from '../../../support/registry.ts';
import { skillText, writeSkill } from '../../../support/skill-files.ts';

interface Standing {
  /** Name → path of the winner. */
  readonly winners: Readonly<Record<string, string>>;
  /** Path of each copy → path of the winner that it names. */
  readonly shadowed: Readonly<Record<string, string>>;
}

function standing({ db }: TestRegistry): Standing {
  const winners = db.prepare('SELECT name, source_path FROM skills').raw().all() as [string, string][];
  const shadowed = db.prepare('SELECT source_path, winner_path FROM skill_shadowed').raw().all() as [
    string,
    string,
  ][];
  return { winners: Object.fromEntries(winners), shadowed: Object.fromEntries(shadowed) };
}

function aliases({ db }: TestRegistry): unknown {
  return Object.fromEntries(
    db.prepare('SELECT directory, target FROM skill_aliases').raw().all() as [string, string][],
  );
}

const W = '.agents/skills/one/SKILL.md';
const G = '~/.agents/skills/one/SKILL.md';
const M = '.claude/skills/one/SKILL.md';
const X = 'extra/one/SKILL.md';

function fourRoots(registry: TestRegistry): readonly SkillRoot[] {
  return [...Object.values(registry.roots), registry.root('extra')];
}

/** A copy of the skill `one` in each of these roots, each with its own text. */
function copies(which: readonly SkillRoot[]): void {
  for (const root of which) writeSkill(root.path, 'one', { description: `In ${root.display}.` });
}

function removeCopy(root: SkillRoot | undefined): void {
  rmSync(path.join(root?.path ?? '', 'one'), { recursive: true });
}

describe('precedence', () => {
  test('workspace over global over mirror over extra, as each goes', () => {
    const registry = testRegistry();
    const roots = fourRoots(registry);
    copies(roots);
    registry.scan(roots);
    expect(standing(registry)).toEqual({ winners: { one: W }, shadowed: { [G]: W, [M]: W, [X]: W } });
    removeCopy(roots[0]);
    registry.scan(roots);
    expect(standing(registry)).toEqual({ winners: { one: G }, shadowed: { [M]: G, [X]: G } });
    removeCopy(roots[1]);
    registry.scan(roots);
    expect(standing(registry)).toEqual({ winners: { one: M }, shadowed: { [X]: M } });
    removeCopy(roots[2]);
    registry.scan(roots);
    expect(standing(registry)).toEqual({ winners: { one: X }, shadowed: {} });
  });

  test('and as each comes, from the least to the best', () => {
    const registry = testRegistry();
    const roots = fourRoots(registry);
    const steps = [X, M, G, W];
    const before: string[] = [];
    for (const [step, winner] of steps.entries()) {
      copies(roots.slice(3 - step, 4 - step));
      expect(registry.scan(roots)).toMatchObject(step === 0 ? { added: 1 } : { changed: 1, shadowed: step });
      expect(standing(registry)).toEqual({
        winners: { one: winner },
        shadowed: Object.fromEntries(before.map((copy) => [copy, winner])),
      });
      before.push(winner);
    }
    expect(registry.content()).toEqual(registry.fresh(roots));
  });

  test('a copy that stands in the shadow may go without a word', () => {
    const registry = testRegistry();
    copies([registry.roots.workspace, registry.roots.global]);
    registry.scan();
    removeCopy(registry.roots.global);
    registry.scan();
    expect(standing(registry)).toEqual({ winners: { one: W }, shadowed: {} });
  });

  test('a winner that no longer passes hands its name on', () => {
    const registry = testRegistry();
    copies([registry.roots.workspace, registry.roots.global]);
    registry.scan();
    writeSkill(registry.roots.workspace.path, 'one', { lines: ['tier: 9'] });
    registry.scan();
    expect(standing(registry)).toEqual({ winners: { one: G }, shadowed: {} });
    expect(registry.content()).toEqual(registry.fresh());
  });

  test('a skill that only the mirror has is used, with that source', () => {
    const registry = testRegistry();
    copies([registry.roots.mirror]);
    registry.scan();
    expect(registry.db.prepare('SELECT source, root FROM skills').all()).toEqual([
      { source: 'mirror', root: '.claude/skills' },
    ]);
    expect(registry.events('skill.warning')).toEqual([]);
  });

  test('in one root the first path wins', () => {
    const registry = testRegistry();
    const deep = [{ ...registry.roots.workspace, depth: 3 }];
    for (const group of ['z', 'b/c', 'b']) writeSkill(path.join(deep[0]?.path ?? '', group), 'one');
    registry.scan(deep);
    const at = (group: string) => `.agents/skills/${group}/one/SKILL.md`;
    expect(standing(registry)).toEqual({
      winners: { one: at('b/c') },
      shadowed: { [at('b')]: at('b/c'), [at('z')]: at('b/c') },
    });
    expect(registry.events('skill.warning')).toMatchObject([
      { detail: { rule: 'the first path in order wins' } },
      { detail: { rule: 'the first path in order wins' } },
    ]);
  });
});

describe('a collision', () => {
  test('is an event with both candidates and one line of the log', () => {
    const registry = testRegistry();
    copies([registry.roots.workspace, registry.roots.global]);
    registry.scan();
    const digestOf = (where: string) =>
      sha256Hex(Buffer.from(skillText('one', { description: `In ${where}.` })));
    expect(registry.events('skill.warning')).toEqual([
      {
        kind: 'collision',
        name: 'one',
        detail: {
          rule: 'workspace overrides global',
          winner: { path: W, source: 'workspace', digest: digestOf('.agents/skills') },
          shadowed: { path: G, source: 'global', digest: digestOf('~/.agents/skills') },
        },
      },
    ]);
    expect(registry.lines).toEqual([
      `[colibri] skill shadowed: one: ${W} over ${G} (workspace overrides global)`,
    ]);
    expect(registry.events('skill.catalog_updated')).toMatchObject([{ count: 1, collisions: 1 }]);
  });

  test('is not told again when nothing about it changes', () => {
    const registry = testRegistry();
    copies([registry.roots.workspace, registry.roots.global]);
    registry.scan();
    writeSkill(registry.roots.workspace.path, 'two');
    registry.scan();
    expect(registry.events('skill.warning')).toHaveLength(1);
    expect(registry.lines).toHaveLength(1);
  });

  test('is told again with the new digest when one of the two changes', () => {
    const registry = testRegistry();
    copies([registry.roots.workspace, registry.roots.global]);
    registry.scan();
    for (const root of [registry.roots.workspace, registry.roots.global]) {
      writeSkill(root.path, 'one', { description: 'New.' });
      registry.scan();
    }
    const digest = sha256Hex(Buffer.from(skillText('one', { description: 'New.' })));
    expect(registry.events('skill.warning').slice(1)).toMatchObject([
      { detail: { winner: { digest } } },
      { detail: { winner: { digest }, shadowed: { digest } } },
    ]);
  });
});

describe('configuration', () => {
  test('another order of the roots gives the name to another', () => {
    const registry = testRegistry();
    const { workspace, global, mirror } = registry.roots;
    copies([workspace, global]);
    registry.scan();
    registry.scan([global, workspace, mirror]);
    expect(standing(registry)).toEqual({ winners: { one: G }, shadowed: { [W]: G } });
  });

  test('a root that is taken out takes its skills along', () => {
    const registry = testRegistry();
    const { workspace, global } = registry.roots;
    copies([workspace, global]);
    writeSkill(workspace.path, 'two');
    registry.scan();
    registry.scan([global]);
    expect(standing(registry)).toEqual({ winners: { one: G }, shadowed: {} });
    expect(registry.content()).toEqual(registry.fresh([global]));
  });

  test('a lenient root loads what a strict one rejects, under the name in the file', () => {
    const registry = testRegistry();
    const { workspace, global } = registry.roots;
    writeSkill(global.path, 'one');
    renameSync(path.join(global.path, 'one'), path.join(global.path, 'uno'));
    registry.scan([workspace, global]);
    expect(registry.content().skill_rejections).toMatchObject([
      { directory: '~/.agents/skills/uno', lenient_ok: 1 },
    ]);
    const lenient = [workspace, { ...global, profile: 'lenient' }] as const;
    registry.scan(lenient);
    expect(standing(registry)).toEqual({
      winners: { one: '~/.agents/skills/uno/SKILL.md' },
      shadowed: {},
    });
    expect(registry.content().skill_rejections).toEqual([]);
    copies([workspace]);
    registry.scan(lenient);
    expect(standing(registry).shadowed).toEqual({ '~/.agents/skills/uno/SKILL.md': W });
    removeCopy(workspace);
    registry.scan(lenient);
    expect(registry.content()).toEqual(registry.fresh(lenient));
    registry.scan([workspace, global]);
    expect(standing(registry)).toEqual({ winners: {}, shadowed: {} });
  });

  test('a deeper look finds more, a flatter one less', () => {
    const registry = testRegistry();
    const { workspace } = registry.roots;
    writeSkill(path.join(workspace.path, 'group', 'deep'), 'one');
    const winnersAt = (depth: number) => {
      registry.scan([{ ...workspace, depth }]);
      return Object.keys(standing(registry).winners);
    };
    expect([winnersAt(2), winnersAt(3), winnersAt(1)]).toEqual([[], ['one'], []]);
  });

  test('a skill below two roots, one inside the other, belongs to the first and never collides with itself', () => {
    const registry = testRegistry();
    const outer = registry.root('extra', { depth: 3 });
    const inner = registry.root('extra/team');
    writeSkill(inner.path, 'one');
    for (const roots of [[outer, inner], [inner, outer], [inner], [outer]]) {
      registry.scan(roots);
      expect(standing(registry)).toEqual({ winners: { one: 'extra/team/one/SKILL.md' }, shadowed: {} });
      expect(registry.db.prepare('SELECT root FROM skills').pluck().get()).toBe(roots[0]?.display);
    }
    expect(registry.events('skill.warning')).toEqual([]);
  });

  test('a root that is a link to another root is the same root', () => {
    const registry = testRegistry();
    const { workspace, mirror } = registry.roots;
    copies([workspace]);
    mkdirSync(path.dirname(mirror.path), { recursive: true });
    symlinkSync(workspace.path, mirror.path);
    registry.scan();
    expect(standing(registry)).toEqual({ winners: { one: W }, shadowed: {} });
    expect(registry.scan()).toBeNull();
  });
});

describe('several paths to one skill', () => {
  test('a linked directory is an alias, whatever root it is in, and never a collision', () => {
    const registry = testRegistry();
    const { workspace, global, mirror } = registry.roots;
    copies([global]);
    for (const { path: root } of [workspace, mirror]) {
      mkdirSync(root, { recursive: true });
      symlinkSync(path.join(global.path, 'one'), path.join(root, 'one'));
    }
    registry.scan();
    const target = '~/.agents/skills/one';
    expect(standing(registry)).toEqual({ winners: { one: G }, shadowed: {} });
    expect(aliases(registry)).toEqual({ '.agents/skills/one': target, '.claude/skills/one': target });
    expect(registry.events('skill.warning')).toEqual([]);
  });

  test('an alias whose target was renamed tells the new place', () => {
    const registry = testRegistry();
    const { workspace, global } = registry.roots;
    writeSkill(global.path, 'bad', { lines: ['tier: 9'] });
    mkdirSync(workspace.path, { recursive: true });
    const link = path.join(workspace.path, 'x');
    symlinkSync(path.join(global.path, 'bad'), link);
    registry.scan();
    renameSync(path.join(global.path, 'bad'), path.join(global.path, 'other'));
    rmSync(link);
    symlinkSync(path.join(global.path, 'other'), link);
    registry.scan();
    expect(aliases(registry)).toEqual({ '.agents/skills/x': '~/.agents/skills/other' });
  });

  test('a chain of links leads to the one skill', () => {
    const registry = testRegistry();
    const { workspace } = registry.roots;
    copies([workspace]);
    for (const [from, to] of [
      ['b', 'one'],
      ['c', 'b'],
      ['d', 'c'],
    ] as const) {
      symlinkSync(to, path.join(workspace.path, from));
    }
    registry.scan();
    const target = '.agents/skills/one';
    expect(aliases(registry)).toEqual({
      '.agents/skills/b': target,
      '.agents/skills/c': target,
      '.agents/skills/d': target,
    });
  });

  test('a loop of links, and a link to the folder above, are told and end the walk', () => {
    const registry = testRegistry();
    const deep = [{ ...registry.roots.workspace, depth: 8 }];
    const root = registry.roots.workspace.path;
    writeSkill(path.join(root, 'group'), 'one');
    symlinkSync('..', path.join(root, 'group', 'up'));
    symlinkSync('there', path.join(root, 'back'));
    symlinkSync('back', path.join(root, 'there'));
    registry.scan(deep);
    expect(Object.keys(standing(registry).winners)).toEqual(['one']);
    expect(
      registry.db
        .prepare(`SELECT directory, diagnostics ->> '$[0].code' FROM skill_rejections ORDER BY 1`)
        .raw()
        .all(),
    ).toEqual([
      ['.agents/skills/back', 'link-broken'],
      ['.agents/skills/group/up', 'link-outside'],
      ['.agents/skills/there', 'link-broken'],
    ]);
  });

  test('hard links to one SKILL.md are one skill', () => {
    const registry = testRegistry();
    const { workspace, global } = registry.roots;
    copies([global]);
    mkdirSync(path.join(workspace.path, 'one'), { recursive: true });
    linkSync(path.join(global.path, 'one', 'SKILL.md'), path.join(workspace.path, 'one', 'SKILL.md'));
    registry.scan();
    expect(standing(registry)).toEqual({ winners: { one: W }, shadowed: {} });
    expect(aliases(registry)).toEqual({ '~/.agents/skills/one': '.agents/skills/one' });
    removeCopy(workspace);
    registry.scan();
    expect(standing(registry)).toEqual({ winners: { one: G }, shadowed: {} });
    expect(aliases(registry)).toEqual({});
  });

  test('a hard link takes the name when the other path is out of sight, although the file has not changed', () => {
    const registry = testRegistry();
    const { workspace, global } = registry.roots;
    copies([global]);
    mkdirSync(path.join(workspace.path, 'one'), { recursive: true });
    linkSync(path.join(global.path, 'one', 'SKILL.md'), path.join(workspace.path, 'one', 'SKILL.md'));
    registry.scan([workspace, global]);
    renameSync(path.join(workspace.path, 'one'), path.join(workspace.path, '.one'));
    registry.scan([workspace, global]);
    expect(standing(registry)).toEqual({ winners: { one: G }, shadowed: {} });
    expect(aliases(registry)).toEqual({});
  });

  test('a hard link in a folder of the wrong name does not take the skill from the right one', () => {
    const registry = testRegistry();
    const { workspace } = registry.roots;
    copies([workspace]);
    mkdirSync(path.join(workspace.path, 'also'));
    linkSync(path.join(workspace.path, 'one', 'SKILL.md'), path.join(workspace.path, 'also', 'SKILL.md'));
    registry.scan();
    expect(standing(registry)).toEqual({ winners: { one: W }, shadowed: {} });
  });

  test('a SKILL.md that is a link to that of another skill is an alias too', () => {
    const registry = testRegistry();
    const { workspace, global } = registry.roots;
    copies([global]);
    mkdirSync(path.join(workspace.path, 'one'), { recursive: true });
    symlinkSync(path.join(global.path, 'one', 'SKILL.md'), path.join(workspace.path, 'one', 'SKILL.md'));
    registry.scan();
    expect(standing(registry)).toEqual({ winners: { one: G }, shadowed: {} });
    expect(aliases(registry)).toEqual({ '.agents/skills/one': '~/.agents/skills/one' });
  });

  test('a link out of every root is refused until its folder is a root', () => {
    const registry = testRegistry();
    const { workspace } = registry.roots;
    const extra = registry.root('extra');
    writeSkill(path.join(extra.path, 'hidden'), 'one');
    mkdirSync(workspace.path, { recursive: true });
    symlinkSync(path.join(extra.path, 'hidden', 'one'), path.join(workspace.path, 'one'));
    registry.scan([workspace]);
    expect(registry.content().skill_rejections).toMatchObject([{ directory: '.agents/skills/one' }]);
    registry.scan([workspace, extra]);
    expect(standing(registry)).toEqual({ winners: { one: W }, shadowed: {} });
    registry.scan([workspace]);
    expect(standing(registry)).toEqual({ winners: {}, shadowed: {} });
    expect(registry.content()).toEqual(registry.fresh([workspace]));
  });
});
