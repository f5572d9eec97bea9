/** A running registry follows the disk. Times are printed and never asserted. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, onTestFinished, test } from 'vitest';

import { watchRoots } from '../../../src/domains/skills/watch.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { type Runtime, startup } from '../../../src/startup.ts';
import { randomFrom } from '../../support/random.ts';
import { applyChange, CHANGES } from '../../support/random-tree.ts';
import { indexContent, type TestRegistry, testRegistry } from '../../support/registry.ts';
import { skillText, writeSkill } from '../../support/skill-files.ts';

const WAIT_MS = 10_000;
const LOOK_MS = 5;
/** Long enough that no second look is due any more: the next change is seen by its own hint or not at all. */
const QUIET_MS = 300;
const seed = Number(process.env['COLIBRI_WATCH_SEED'] ?? Date.now() % 1_000_000);
const CHANGE_COUNT = Number(process.env['COLIBRI_WATCH_CHANGES'] ?? 1000);

interface Live {
  readonly registry: TestRegistry;
  readonly runtime: Runtime;
  readonly root: string;
  readonly lines: string[];
  /** Waits until the index says so and prints how long that took. */
  until(what: string, condition: () => boolean): Promise<void>;
}

async function live(mode: 'auto' | 'poll', config: object = {}): Promise<Live> {
  const registry = testRegistry();
  const { workspace, home, roots } = registry;
  mkdirSync(workspace, { recursive: true });
  writeFileSync(path.join(workspace, 'colibri.config.json'), JSON.stringify(config));
  writeSkill(roots.workspace.path, 'first');
  const lines: string[] = [];
  const logger = (...args: unknown[]) => void lines.push(args.map(String).join(' '));
  const runtime = await startup({
    workspace,
    home,
    env: {},
    dbPath: ':memory:',
    logger,
    exit: () => undefined,
  });
  // As a server does, which answers between an edit and the scan that notices it.
  await runtime.skills.keep();
  const watch = watchRoots(runtime.skills, { mode, logger, clock: systemClock });
  onTestFinished(async () => {
    await watch.close();
    await runtime.close();
  });
  return {
    registry,
    runtime,
    root: roots.workspace.path,
    lines,
    async until(what, condition) {
      const started = performance.now();
      while (!condition()) {
        expect(performance.now() - started, `waited too long for ${what}`).toBeLessThan(WAIT_MS);
        await sleep(LOOK_MS);
      }
      process.stderr.write(`watch (${mode}): ${what} after ${(performance.now() - started).toFixed(0)} ms\n`);
      await sleep(QUIET_MS);
    },
  };
}

describe.each(['auto', 'poll'] as const)('with watch: %s', (mode) => {
  test('an added, edited, renamed and deleted skill is followed', async () => {
    const { runtime, root, until } = await live(mode);
    const { skills } = runtime;
    writeSkill(root, 'new');
    await until('an added skill', () => skills.get('new') !== null);
    writeSkill(root, 'new', { description: 'Edited.' });
    await until('an edit', () => skills.get('new')?.description === 'Edited.');
    const file = path.join(root, 'new', 'SKILL.md');
    writeFileSync(`${file}.tmp`, skillText('new', { description: 'By an editor.' }));
    renameSync(`${file}.tmp`, file);
    await until('an edit by rename', () => skills.get('new')?.description === 'By an editor.');
    renameSync(path.join(root, 'new'), path.join(root, 'newer'));
    await until('a renamed folder', () => skills.get('new') === null && skills.rejections().length === 1);
    rmSync(path.join(root, 'newer'), { recursive: true });
    await until('a deleted skill', () => skills.rejections().length === 0);
    expect(skills.names()).toEqual(['first']);
  });

  test('a root that comes later, goes, and comes again is followed', async () => {
    const { runtime, registry, root, until } = await live(mode);
    const { skills } = runtime;
    writeSkill(registry.roots.mirror.path, 'later');
    await until('a new root', () => skills.get('later') !== null);
    writeSkill(registry.roots.mirror.path, 'later', { description: 'Edited.' });
    await until('an edit in a new root', () => skills.get('later')?.description === 'Edited.');
    rmSync(root, { recursive: true });
    await until('a deleted root', () => skills.get('first') === null);
    writeSkill(root, 'again');
    await until('a root made again', () => skills.get('again') !== null);
    writeSkill(root, 'again', { description: 'Edited.' });
    await until('an edit in a root made again', () => skills.get('again')?.description === 'Edited.');
  });
});

test('a root that is a link is followed to where it leads', async () => {
  const { runtime, registry, until } = await live('auto');
  const real = path.join(registry.workspace, 'real');
  writeSkill(real, 'linked');
  mkdirSync(path.dirname(registry.roots.mirror.path), { recursive: true });
  symlinkSync(real, registry.roots.mirror.path);
  await until('a linked root', () => runtime.skills.get('linked') !== null);
  writeSkill(real, 'linked', { description: 'Edited.' });
  await until('an edit in a linked root', () => runtime.skills.get('linked')?.description === 'Edited.');
});

test('a checkout that changes 500 skills ends in the new state, in few steps', async () => {
  const { runtime, registry, root, until } = await live('auto');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: registry.workspace,
      stdio: 'ignore',
    });
  const writeAll = (text: string) => {
    for (let number = 0; number < 500; number++) writeSkill(root, `skill-${number}`, { description: text });
  };
  git('init', '-q', '-b', 'main');
  writeAll('Main.');
  git('add', '.agents');
  git('commit', '-q', '-m', 'main');
  git('checkout', '-q', '-b', 'other');
  writeAll('Other.');
  git('commit', '-q', '-a', '-m', 'other');
  const described = (text: string) => () =>
    runtime.db.prepare('SELECT count(*) FROM skills WHERE description = ?').pluck().get(text) === 500;
  await until('500 new skills', described('Other.'));
  const before = Number(runtime.db.prepare('SELECT count(*) FROM events').pluck().get());
  git('checkout', '-q', 'main');
  await until('a checkout of 500 skills', described('Main.'));
  const events = Number(runtime.db.prepare('SELECT count(*) FROM events').pluck().get()) - before;
  process.stderr.write(`watch: the checkout made ${events} events\n`);
  expect(indexContent(runtime.db)).toEqual(registry.fresh(runtime.skills.roots));
});

test(`${CHANGE_COUNT} random changes end with the index of a first scan (COLIBRI_WATCH_SEED=${seed})`, {
  timeout: 120_000,
}, async () => {
  const { runtime, registry, until } = await live('auto', {
    roots: { extra: [{ path: 'extra/skills', depth: 3 }] },
  });
  const { roots } = runtime.skills;
  const folders = roots.map((root) => root.path);
  const random = randomFrom(seed);
  const upTo = (limit: number) => Math.floor(random() * limit);
  for (let number = 0; number < CHANGE_COUNT; number++) {
    const kind = CHANGES[upTo(CHANGES.length)] ?? 'write';
    applyChange(folders, { kind, at: upTo(1000), to: upTo(1000), text: upTo(100) });
    if (number % 10 === 0) await sleep(upTo(60));
  }
  const expected = JSON.stringify(registry.fresh(roots));
  await until(`seed ${seed}`, () => JSON.stringify(indexContent(runtime.db)) === expected);
  await sleep(400);
  expect(indexContent(runtime.db)).toEqual(registry.fresh(roots));
});
