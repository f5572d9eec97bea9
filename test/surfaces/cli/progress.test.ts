import path from 'node:path';

import { expect, test } from 'vitest';

import { startup } from '../../../src/startup.ts';
import { createProgress } from '../../../src/surfaces/cli/progress.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri, recordedStream, skillText, writeSkill } from './harness.ts';

/** A clock that stands still until it is moved. */
function handClock() {
  let time = 0;
  return {
    now: () => time,
    monotonic: () => time,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

test('a short scan draws nothing and clears nothing', () => {
  const stream = recordedStream(80);
  const clock = handClock();
  const progress = createProgress(stream, { hidden: false, clock });
  clock.pass(299);
  progress.report?.(256, 512);
  progress.clear();
  expect(stream.text()).toBe('');
});

test('a long one draws a bar on one line, not too often, and takes it off again', () => {
  const stream = recordedStream(80);
  const clock = handClock();
  const progress = createProgress(stream, { hidden: false, clock });
  clock.pass(300);
  progress.report?.(0, 1000);
  progress.report?.(256, 1000);
  clock.pass(80);
  progress.report?.(500, 1000);
  progress.clear();
  progress.clear();
  const seeking = 'looking for skills: 1000 folders so far';
  const reading = `reading skills [${'#'.repeat(12)}${'.'.repeat(12)}] 500 of 1000`;
  expect(stream.text()).toBe(`\r${seeking}\r${reading}\r${' '.repeat(reading.length)}\r`);
});

test('a longer text before leaves nothing behind, and no line is wider than the terminal', () => {
  const stream = recordedStream(20);
  const clock = handClock();
  const progress = createProgress(stream, { hidden: false, clock });
  clock.pass(300);
  progress.report?.(10, 20);
  progress.clear();
  expect(stream.text()).toBe(`\rreading skills [###\r${' '.repeat(19)}\r`);
});

test('a scan after the results have begun draws nothing', () => {
  const stream = recordedStream(80);
  const clock = handClock();
  const progress = createProgress(stream, { hidden: false, clock });
  progress.clear();
  clock.pass(300);
  progress.report?.(1, 2);
  expect(stream.text()).toBe('');
});

test('nothing is drawn where it would not be seen or is not wanted', () => {
  expect(createProgress(recordedStream(), { hidden: false }).report).toBeUndefined();
  expect(createProgress(recordedStream(80), { hidden: true }).report).toBeUndefined();
});

test('a scan tells how far it is, over all roots', async () => {
  const workspace = temporaryDirectory();
  for (let index = 0; index < 300; index++) {
    const name = `skill-${index}`;
    const root = index % 2 === 0 ? '.agents/skills' : '.claude/skills';
    writeSkill(path.join(workspace, root, name), skillText({ name, description: 'x' }));
  }
  const told: [number, number][] = [];
  const runtime = await startup({
    workspace,
    home: temporaryDirectory(),
    env: {},
    dbPath: ':memory:',
    logger: () => undefined,
    progress: (done, total) => told.push([done, total]),
  });
  const first = told.splice(0);
  await runtime.skills.reload();
  await runtime.close();
  // The first look only lists the folders, which is over at once.
  expect(first).toEqual([
    [0, 300],
    [256, 300],
  ]);
  // Later ones look at every file, root by root, before they do what there is to do.
  expect(told.slice(0, 3)).toEqual([
    [0, 150],
    [0, 150],
    [0, 300],
  ]);
});

/** A start that takes long and reports often. */
const slowBoot = async () => {
  const { startup: start, ...rest } = await import('../../../src/startup.ts');
  const slow: typeof start = async (options = {}) => {
    options.progress?.(1, 2);
    await new Promise((resolve) => setTimeout(resolve, 350));
    options.progress?.(1, 2);
    return start(options);
  };
  return { ...rest, startup: slow };
};

test('the bar is off the screen before the results, and never in a pipe, with --quiet or beside a log', async () => {
  const cwd = temporaryDirectory();
  const { stderr } = await colibri(['list'], { cwd, boot: slowBoot, terminal: 80 });
  const bar = `reading skills [${'#'.repeat(12)}${'.'.repeat(12)}] 1 of 2`;
  expect(stderr.startsWith(`\r${bar}`)).toBe(true);
  // A slow start may draw once more; whatever stood there last is blanked out before the results.
  const [shown = '', blank = '', results = ''] = stderr.split('\r').slice(-3);
  expect(blank).toBe(' '.repeat(shown.trimEnd().length));
  expect(results).toMatch(/^no skills in /);
  expect((await colibri(['list'], { cwd, boot: slowBoot })).stderr).not.toContain('\r');
  expect((await colibri(['list', '-q'], { cwd, boot: slowBoot, terminal: 80 })).stderr).toBe('');
  const debug = { cwd, boot: slowBoot, terminal: 80, env: { COLIBRI_DEBUG: '1' } };
  expect((await colibri(['list'], debug)).stderr).not.toContain('\r');
});
