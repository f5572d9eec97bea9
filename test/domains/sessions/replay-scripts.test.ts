/** Sessions that ran scripts: their recording is enough to say what came out; `--live` runs them again. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { codeOf, dataOf, textOf } from './harness.ts';
import { ALLOW, loadedSkill } from './script-session.ts';

const SCRIPTS = {
  'hello.sh': 'echo "hello $1"; echo made > out.txt\n',
  'fail.sh': 'echo no >&2; exit 7\n',
  'count.py': 'import sys\nprint(len(sys.stdin.read()))\n',
};

async function threeRuns(options: object = {}) {
  const world = await loadedSkill(SCRIPTS, options);
  expect(textOf(await world.run('hello.sh', { args: ['you'] }))).toBe('hello you\n');
  expect(dataOf(await world.run('fail.sh'))).toMatchObject({ exit_code: 7 });
  expect(textOf(await world.run('count.py', { stdin: 'four' }))).toBe('4\n');
  return world;
}

describe('a session with three runs', () => {
  test('is replayed from its record without running anything', async () => {
    const { sessions, session } = await threeRuns();
    const marker = path.join(sessions.root, 'tools', 'scripts', 'hello.sh');
    writeFileSync(marker, 'echo something else\n');
    const report = await sessions.runtime.replay(session.id, { live: false });
    expect(report).toMatchObject({
      equal: true,
      difference: null,
      taken: ['skill_run', 'skill_run', 'skill_run'],
    });
  });

  test('is run again by a live replay, and comes out the same', async () => {
    const { sessions, session } = await threeRuns();
    const report = await sessions.runtime.replay(session.id, { live: true });
    expect(report).toMatchObject({ equal: true, difference: null, taken: [] });
  });

  test('live, a script of today is what runs, and the first line that differs is shown', async () => {
    const { sessions, session } = await threeRuns();
    appendFileSync(path.join(sessions.root, 'tools', 'scripts', 'count.py'), 'print("more")\n');
    const report = await sessions.runtime.replay(session.id, { live: true });
    expect(report.equal).toBe(false);
    expect(report.difference).toMatchObject({
      where: expect.stringMatching(/answer/),
      type: 'tool.finished',
    });
  });

  test('live, the policy of today decides', async () => {
    const { sessions, session } = await threeRuns();
    const file = path.join(sessions.workspace, 'colibri.policy.yaml');
    writeFileSync(file, ALLOW.replace('skill_run', '"skill_run(scripts/hello.sh:*)"'));
    const asked: string[] = [];
    const refused = await sessions.runtime.replay(session.id, { live: true });
    expect(refused.equal).toBe(false);
    const ask = async (question: string) => asked.push(question) > 0;
    await sessions.runtime.replay(session.id, { live: true, ask });
    expect(asked).toEqual([
      expect.stringContaining('scripts/fail.sh'),
      expect.stringContaining('scripts/count.py'),
    ]);
  });
});

test('a run that a person was asked about is asked about again, and only once', async () => {
  const { run, session, sessions } = await loadedSkill({ 'a.sh': 'echo ran\n' }, { policy: null });
  const asked = await run('a.sh', {}, { canAsk: true });
  const key = asked.ok ? '' : String(asked.error.details?.['key']);
  expect(textOf(await run('a.sh', {}, { canAsk: true, answers: new Map([[key, true]]) }))).toBe('ran\n');
  const questions: string[] = [];
  const answering = (yes: boolean) => async (question: string) => {
    questions.push(question);
    return yes;
  };
  const { replay } = sessions.runtime;
  expect(await replay(session.id, { live: true, ask: answering(true) })).toMatchObject({ equal: true });
  expect(questions).toHaveLength(1);
  expect(await replay(session.id, { live: true, ask: answering(false) })).toMatchObject({ equal: false });
  expect(await replay(session.id, { live: true })).toMatchObject({ equal: false });
});

test('what runs is what was vouched for: a skill that was another one at its load is refused', async () => {
  const { run, sessions } = await loadedSkill({ 'a.sh': 'echo good\n' }, { trusted: false });
  const file = path.join(sessions.root, 'tools', 'scripts', 'a.sh');
  const policy = path.join(sessions.workspace, 'colibri.policy.yaml');
  expect(readFileSync(policy, 'utf8')).toContain('allow');
  // Loaded as it is, then changed, vouched for, and changed back: at the judgement the disk is what was trusted.
  writeFileSync(file, 'echo better\n');
  await sessions.runtime.policy.trust('all', { actor: 'test' });
  expect(codeOf(await run('a.sh'))).toBe('FILE_CHANGED');
  writeFileSync(file, 'echo good\n');
  expect(codeOf(await run('a.sh'))).toBe('POLICY_DENIED');
});

test('a file that is too long to be read can still be used by a script', async () => {
  const { sessions } = await loadedSkill({ 'size.sh': 'wc -c < /skill/assets/big.bin\n' });
  sessions.file('tools', 'assets/big.bin', Buffer.alloc(3 * 1024 * 1024, 1));
  const session = await sessions.open();
  await session.load('tools');
  const answer = await session.call('skill_run', { name: 'tools', script: 'scripts/size.sh' });
  expect(textOf(answer).trim()).toBe('3145728');
  expect(codeOf(await session.read('tools', 'assets/big.bin'))).toBe('FILE_TOO_LARGE');
});
