/** `skill_run` with a real sandbox: what is allowed runs, everything else is refused or contained. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { sha256Hex } from '../../../src/lib/digest.ts';
import { openColibri } from '../../../src/library.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { codeOf, dataOf, payloadOf, textOf } from './harness.ts';
import { ALLOW, loadedSkill } from './script-session.ts';

describe('a run', () => {
  test('gives what the script wrote, and keeps all of it', async () => {
    const script = 'echo "hello $1"; cat; echo oops >&2; echo made > out.txt; exit 3\n';
    const { run, session, sessions, scratchRoot } = await loadedSkill({ 'hi.sh': script });
    const answer = await run('hi.sh', { args: ['big world'], stdin: 'from stdin\n' });
    expect(textOf(answer)).toBe('hello big world\nfrom stdin\n\n[stderr]\noops\n\n[exit code 3]');
    expect(dataOf(answer)).toEqual({
      name: 'tools',
      script: 'scripts/hi.sh',
      exit_code: 3,
      signal: null,
      stopped: null,
      timed_out: false,
      truncated: false,
      asked: false,
      sandbox: 'bubblewrap',
      argv: expect.arrayContaining(['big world']),
      digests: { script: sha256Hex(script), files: expect.stringMatching(/^[0-9a-f]{64}$/) },
      stdout: { digest: sha256Hex('hello big world\nfrom stdin\n'), bytes: 27, truncated: false },
      stderr: { digest: sha256Hex('oops\n'), bytes: 5, truncated: false },
      files: [{ path: 'out.txt', size: 5, digest: sha256Hex('made\n') }],
      skipped: [],
    });
    const { events } = sessions.runtime;
    for (const text of ['hello big world\nfrom stdin\n', 'oops\n', 'made\n'])
      expect(Buffer.from((await events.artifact(sha256Hex(text))) ?? []).toString()).toBe(text);
    const rows = (await session.events()).slice(-3);
    expect(rows.map(({ type }) => type)).toEqual(['tool.started', 'policy.decision', 'tool.finished']);
    expect(rows[1]?.parent_id).toBe(rows[0]?.id);
    expect(payloadOf(rows[1] ?? fail())).toMatchObject({
      kind: 'call',
      tool: 'skill_run',
      argument: "scripts/hi.sh 'big world'",
      skill: 'tools',
      trusted: true,
      effect: 'allow',
      rule: 1,
    });
    expect(readdirSync(scratchRoot)).toEqual([]);
  });

  test('is not made again by a replay: its outcome is taken, and its artifacts are checked', async () => {
    const { run, session, sessions } = await loadedSkill({ 'now.sh': 'date +%N\n' });
    expect(codeOf(await run('now.sh'))).toBe('ok');
    const { replay, db } = sessions.runtime;
    expect(await replay(session.id, { live: false })).toMatchObject({ equal: true, taken: ['skill_run'] });
    const finished = (await session.events('tool.finished')).at(-1);
    const digest = String(payloadOf(finished ?? fail())['result_digest']);
    db.prepare('UPDATE artifacts SET bytes = ? WHERE digest = ?').run(Buffer.from('other'), digest);
    expect(await replay(session.id, { live: false })).toMatchObject({ equal: false });
  });
});

function fail(): never {
  throw new Error('an event is missing');
}

describe('is refused before anything starts', () => {
  const MARK = 'echo ran\n';

  test('without a session, before the load, and for anything but a listed script', async () => {
    const { run, session, sessions } = await loadedSkill({ 'a.sh': MARK });
    const alone = await sessions.runtime.ctx.tools
      .get('skill_run')
      ?.call({ name: 'tools', script: 'scripts/a.sh' }, { door: 'library' });
    expect(alone && codeOf(alone)).toBe('SESSION_NOT_FOUND');
    const fresh = await sessions.open();
    expect(codeOf(await fresh.call('skill_run', { name: 'tools', script: 'scripts/a.sh' }))).toBe(
      'SKILL_NOT_LOADED',
    );
    expect(codeOf(await session.call('skill_run', { name: 'none', script: 'scripts/a.sh' }))).toBe(
      'SKILL_NOT_FOUND',
    );
    expect(codeOf(await run('b.sh'))).toBe('FILE_NOT_FOUND');
    expect(codeOf(await session.call('skill_run', { name: 'tools', script: 'SKILL.md' }))).toBe(
      'SCRIPT_INVALID',
    );
    expect(codeOf(await run('../../x.sh'))).toBe('PATH_OUTSIDE');
  });

  test('when a file is not what it was at the load', async () => {
    const { run, sessions } = await loadedSkill({ 'a.sh': MARK });
    sessions.file('tools', 'scripts/a.sh', 'echo other\n');
    expect(codeOf(await run('a.sh'))).toBe('FILE_CHANGED');
  });

  test('when nobody vouched for the skill, and the refusal is on the record', async () => {
    const { run, session, sessions } = await loadedSkill({ 'a.sh': MARK }, { trusted: false });
    const answer = await run('a.sh', {}, { canAsk: true });
    expect(codeOf(answer)).toBe('POLICY_DENIED');
    expect(textOf(answer)).toContain('colibri trust tools');
    const [decision] = await session.events('policy.decision');
    expect(payloadOf(decision ?? fail())).toMatchObject({ effect: 'deny', trusted: false });
    await sessions.runtime.policy.trust(['tools', 'colibri.policy.yaml'], { actor: 'test' });
    expect(textOf(await run('a.sh'))).toBe('ran\n');
  });

  test('by a rule, by disallowed-tools, by allowed-tools', async () => {
    const deny = ALLOW.replace('allow', 'deny');
    expect(codeOf(await (await loadedSkill({ 'a.sh': MARK }, { policy: deny })).run('a.sh'))).toMatch(
      /^(?:POLICY_DENIED|TOOL_LOCKED)$/,
    );
    const refused = { lines: ['disallowed-tools: skill_run'] };
    expect(codeOf(await (await loadedSkill({ 'a.sh': MARK }, refused)).run('a.sh'))).toBe('POLICY_DENIED');
    const elsewhere = { lines: ['allowed-tools: Read'] };
    expect(codeOf(await (await loadedSkill({ 'a.sh': MARK }, elsewhere)).run('a.sh'))).toBe('POLICY_DENIED');
  });

  test('without a sandbox, unless the policy says otherwise', async () => {
    const programFolders = [temporaryDirectory()];
    const { run } = await loadedSkill({ 'a.sh': MARK }, { programFolders });
    expect(codeOf(await run('a.sh'))).toBe('SANDBOX_MISSING');
    const policy = `unsandboxed: true\n${ALLOW}`;
    const open = await loadedSkill({ 'a.sh': MARK }, { programFolders, policy });
    expect(dataOf(await open.run('a.sh'))).toMatchObject({ sandbox: 'none', exit_code: 0 });
    const inside = await loadedSkill({ 'a.sh': MARK }, { policy });
    expect(dataOf(await inside.run('a.sh'))).toMatchObject({ sandbox: 'bubblewrap' });
  });

  test('a policy file that nobody vouched for opens no sandbox', async () => {
    const programFolders = [temporaryDirectory()];
    const options = { trusted: false, programFolders, policy: `unsandboxed: true\n${ALLOW}` };
    const { run, sessions } = await loadedSkill({ 'a.sh': MARK }, options);
    await sessions.runtime.policy.trust(['tools'], { actor: 'test' });
    const asked = await run('a.sh', {}, { canAsk: true });
    expect(codeOf(asked)).toBe('ASK_REQUIRED');
    const key = asked.ok ? '' : String(asked.error.details?.['key']);
    expect(codeOf(await run('a.sh', {}, { answers: new Map([[key, true]]) }))).toBe('SANDBOX_MISSING');
  });
});

describe('what has to be asked', () => {
  test('is refused where nobody can be asked', async () => {
    const { run } = await loadedSkill({ 'a.sh': 'echo ran\n' }, { policy: null });
    const answer = await run('a.sh');
    expect(codeOf(answer)).toBe('ASK_REFUSED');
    expect(textOf(answer)).toContain('nobody can be asked here');
  });

  test('is asked with a key for exactly this call; a yes for it counts for no other', async () => {
    const { run } = await loadedSkill({ 'a.sh': 'echo ran\n' }, { policy: null });
    const asked = await run('a.sh', { args: ['x'] }, { canAsk: true });
    expect(codeOf(asked)).toBe('ASK_REQUIRED');
    expect(textOf(asked)).toContain('may the skill tools run scripts/a.sh "x"?');
    const key = asked.ok ? '' : String(asked.error.details?.['key']);
    const yes = new Map([[key, true]]);
    expect(codeOf(await run('a.sh', { args: ['y'] }, { answers: yes }))).toBe('ASK_REFUSED');
    expect(codeOf(await run('a.sh', { args: ['x'], stdin: 'z' }, { answers: yes }))).toBe('ASK_REFUSED');
    expect(codeOf(await run('a.sh', { args: ['x'] }, { answers: new Map([[key, false]]) }))).toBe(
      'ASK_REFUSED',
    );
    const answer = await run('a.sh', { args: ['x'] }, { answers: yes });
    expect(dataOf(answer)).toMatchObject({ exit_code: 0, asked: true });
  });

  test('the library puts the question to its `ask`, and without one refuses', async () => {
    const workspace = temporaryDirectory();
    const root = path.join(workspace, 'home', '.agents', 'skills');
    writeSkill(root, 'tools');
    mkdirSync(path.join(root, 'tools', 'scripts'));
    writeFileSync(path.join(root, 'tools', 'scripts', 'a.sh'), 'echo ran\n');
    const call = { name: 'skill_run', input: { name: 'tools', script: 'scripts/a.sh' } };
    const outcomes: string[] = [];
    const questions: string[] = [];
    for (const answer of [true, false, undefined]) {
      const ask = async (question: string) => {
        questions.push(question);
        return answer === true;
      };
      const places = { workspace: path.join(workspace, 'work'), home: path.join(workspace, 'home') };
      mkdirSync(places.workspace, { recursive: true });
      const options = { ...places, dbPath: ':memory:', ...(answer === undefined ? {} : { ask }) };
      const colibri = await openColibri(options);
      const session = await colibri.sessions.open();
      await session.handleToolCall({ name: 'skill_load', input: { name: 'tools' } });
      outcomes.push((await session.handleToolCall(call)).text);
      await colibri.close();
    }
    expect(outcomes[0]).toBe('ran\n');
    expect(outcomes.slice(1)).toEqual([
      expect.stringMatching(/^ASK_REFUSED: a person refused/),
      expect.stringMatching(/^ASK_REFUSED: .*nobody can be asked/),
    ]);
    expect(questions).toHaveLength(2);
  });
});

describe('a run that goes on', () => {
  test('after the caller has given up is ended', async () => {
    const { run } = await loadedSkill({ 'long.sh': 'sleep 60\n' });
    const signal = AbortSignal.timeout(700);
    const answer = await run('long.sh', {}, { signal });
    expect(dataOf(answer)).toMatchObject({ exit_code: null, signal: 'SIGKILL' });
  }, 20_000);
});
