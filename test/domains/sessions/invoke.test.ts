/** Commands that people give: `/skill:name arguments`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { parseCommandText, parseCustomCommand } from '../../../src/domains/sessions/command-file.ts';
import { openColibri } from '../../../src/library.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { codeOf, dataOf, payloadOf, testSessions, textOf } from './harness.ts';

async function world() {
  return testSessions({
    env: { COLIBRI_COMMAND_DIRS: 'commands' },
    before: (root) => {
      writeSkill(root, 'greet', {
        lines: ['allowed-tools: Read'],
        body: 'Say hello to $ARGUMENTS, first $ARGUMENTS[0].\n',
      });
      writeSkill(root, 'named', { lines: ['arguments: [from, to]'], body: 'From $from to $to.\n' });
      writeSkill(root, 'private', {
        lines: ['disable-model-invocation: true', 'allowed-tools: Read'],
        body: 'Only people.\n',
      });
      writeSkill(root, 'agents-only', { lines: ['user-invocable: false'] });
      writeSkill(root, 'other', { body: 'Other.\n' });
      const commands = path.join(root, '..', '..', 'commands');
      mkdirSync(commands, { recursive: true });
      writeFileSync(path.join(commands, 'deploy.md'), '---\ndescription: Ship it.\n---\nShip $ARGUMENTS.\n');
      writeFileSync(path.join(commands, 'greet.md'), 'I would shadow a skill.\n');
      writeFileSync(path.join(commands, 'agents-only.md'), 'I would shadow it, too.\n');
    },
  });
}

describe('invoke', () => {
  test('gives the whole text with the arguments in it, loads once and records each command', async () => {
    const session = await (await world()).open();
    const first = await session.call('skill_invoke', { name: 'greet', args: 'Ada Lovelace' });
    expect(textOf(first)).toBe('Say hello to Ada Lovelace, first Ada.\n');
    expect(dataOf(first)).toEqual({
      kind: 'skill',
      skill_id: 'greet',
      skill_version: expect.any(String),
      source: 'workspace',
      load_size_tokens: expect.any(Number),
      args: 'Ada Lovelace',
      mode: 'manual',
      trusted: false,
      effective_allowed_tools: [{ pattern: 'Read', effect: 'ask', why: expect.any(String) }],
    });
    expect(textOf(await session.call('skill_invoke', { name: 'greet', args: 'Bob' }))).toBe(
      'Say hello to Bob, first Bob.\n',
    );
    const events = await session.events();
    expect(events.map(({ type }) => type).filter((type) => type.startsWith('skill.'))).toEqual([
      'skill.loaded',
      'skill.invoked',
      'skill.invoked',
    ]);
    const invoked = events.filter(({ type }) => type === 'skill.invoked').map(payloadOf);
    expect(invoked[0]).toEqual({
      name: 'greet',
      args: 'Ada Lovelace',
      mode: 'manual',
      effective_allowed_tools: [{ pattern: 'Read', effect: 'ask' }],
    });
    expect(textOf(await session.load('greet'))).toContain('was loaded earlier in this session');
  });

  test('takes named arguments', async () => {
    const session = await (await world()).open();
    expect(textOf(await session.call('skill_invoke', { name: 'named', args: 'a b' }))).toBe('From a to b.\n');
    const named = { from: 'x y', to: 'z' };
    expect(textOf(await session.call('skill_invoke', { name: 'named', args: 'x y z', named }))).toBe(
      'From x y to z.\n',
    );
  });

  test('uses no budget', async () => {
    const session = await (await world()).open({ budget: { max_loads: 1 } });
    expect(codeOf(await session.call('skill_invoke', { name: 'greet' }))).toBe('ok');
    expect(codeOf(await session.call('skill_invoke', { name: 'named' }))).toBe('ok');
    expect(codeOf(await session.load('other'))).toBe('ok');
    expect(codeOf(await session.call('skill_invoke', { name: 'private' }))).toBe('ok');
  });

  test('reaches a skill that is hidden from agents, and its files after that', async () => {
    const sessions = await world();
    sessions.file('private', 'references/guide.md', 'the guide\n');
    const session = await sessions.open();
    expect(codeOf(await session.load('private'))).toBe('SKILL_NOT_FOUND');
    expect(codeOf(await session.read('private', 'references/guide.md'))).toBe('SKILL_NOT_FOUND');
    expect(textOf(await session.call('skill_invoke', { name: 'private' }))).toBe('Only people.\n');
    expect(textOf(await session.read('private', 'references/guide.md'))).toBe('the guide\n');
  });

  test('refuses what people may not invoke, and says so even when a command has the name', async () => {
    const session = await (await world()).open();
    expect(codeOf(await session.call('skill_invoke', { name: 'agents-only' }))).toBe('SKILL_NOT_INVOCABLE');
    expect(codeOf(await session.call('skill_invoke', { name: 'nowhere' }))).toBe('SKILL_NOT_FOUND');
  });

  test('a Markdown file of a command folder works the same way and never shadows a skill', async () => {
    const session = await (await world()).open();
    const shipped = await session.call('skill_invoke', { name: 'deploy', args: 'v2' });
    expect(textOf(shipped)).toBe('Ship v2.\n');
    expect(dataOf(shipped)).toEqual({ kind: 'command', name: 'deploy', args: 'v2', mode: 'manual' });
    expect(textOf(await session.call('skill_invoke', { name: 'greet' }))).toContain('Say hello');
    expect(await session.events('skill.loaded')).toHaveLength(1);
    expect(await session.events('skill.invoked')).toHaveLength(2);
  });

  test('is replayed by the engine, on the record and on the skills of today', async () => {
    const sessions = await world();
    const session = await sessions.open();
    await session.call('skill_invoke', { name: 'greet', args: 'Ada' });
    await session.call('skill_invoke', { name: 'private' });
    await session.call('skill_invoke', { name: 'agents-only' });
    await session.load('other');
    await session.call('skill_get', { name: 'other' });
    const { replay, policy } = sessions.runtime;
    expect(await replay(session.id, { live: false })).toMatchObject({ equal: true, taken: [] });
    expect(await replay(session.id, { live: true })).toMatchObject({ equal: true, taken: [] });
    // The policy of today is no part of a recording.
    await policy.trust(['greet', 'other'], { actor: 'test' });
    expect(await replay(session.id, { live: false })).toMatchObject({ equal: true, taken: [] });
    expect(await replay(session.id, { live: true })).toMatchObject({ equal: false });
    sessions.skill('greet', { body: 'Changed.\n' });
    await sessions.reload();
    expect(await replay(session.id, { live: false })).toMatchObject({ equal: true });
  });

  test('a command of the user is taken as it was recorded', async () => {
    const sessions = await world();
    const session = await sessions.open();
    await session.call('skill_invoke', { name: 'deploy', args: 'v2' });
    writeFileSync(path.join(sessions.workspace, 'commands', 'deploy.md'), 'Changed.\n');
    const { replay } = sessions.runtime;
    expect(await replay(session.id, { live: false })).toMatchObject({ equal: true, taken: ['skill_invoke'] });
    expect(await replay(session.id, { live: true })).toMatchObject({ equal: false });
  });
});

describe('preloading', () => {
  const preload = { prefix_tokens: 0, floor: 1_000, ceiling: 10_000 };

  test('takes trusted skills alone, and replays so whatever is trusted later', async () => {
    const sessions = await world();
    const { policy, replay } = sessions.runtime;
    const before = await sessions.open({ preload });
    expect(await before.events('skill.loaded')).toEqual([]);
    await policy.trust(['greet'], { actor: 'test' });
    const after = await sessions.open({ preload });
    const loaded = (await after.events('skill.loaded')).map(payloadOf);
    expect(loaded.map(({ name }) => name)).toEqual(['greet']);
    for (const { id } of [before, after])
      expect(await replay(id, { live: false })).toMatchObject({ equal: true });
  });
});

test('the use of a profile that asks nothing is on the record of each session', async () => {
  const sessions = await testSessions({
    before: (root) => writeFileSync(path.join(root, '..', '..', 'colibri.policy.yaml'), 'use: full-auto\n'),
  });
  const session = await sessions.open();
  expect((await session.events('policy.decision')).map(payloadOf)).toEqual([
    { kind: 'profile', profile: 'full-auto', policy_digest: expect.any(String) },
  ]);
  expect(await sessions.runtime.replay(session.id, { live: false })).toMatchObject({ equal: true });
});

test('the library takes what a person types', async () => {
  const workspace = temporaryDirectory();
  writeSkill(path.join(workspace, '.agents/skills'), 'greet', { body: 'Hello $ARGUMENTS.\n' });
  const colibri = await openColibri({ workspace, home: path.join(workspace, 'home'), dbPath: ':memory:' });
  try {
    const session = await colibri.sessions.open();
    expect((await session.command('/skill:greet big world')).text).toBe('Hello big world.\n');
    expect(await session.command('greet')).toMatchObject({
      isError: true,
      text: expect.stringContaining('is no command; write /skill:<name>'),
    });
    expect(session.tools.map(({ name }) => name)).not.toContain('skill_invoke');
  } finally {
    await colibri.close();
  }
});

describe('what is typed and what is in a file', () => {
  test('a command is a slash, the word skill, a name and the rest', () => {
    expect(parseCommandText('/skill:a  b  c\nd ')).toEqual({ name: 'a', args: 'b  c\nd' });
    expect(parseCommandText('/skill:a')).toEqual({ name: 'a', args: '' });
    for (const text of ['a', '/a', 'see /skill:a', '/skill: a']) expect(parseCommandText(text)).toBeNull();
  });

  test('frontmatter is optional, and a broken one leaves the text', () => {
    expect(parseCustomCommand('a', '# Title\n\nText.\n')).toEqual({
      name: 'a',
      description: 'Title',
      arguments: [],
      argument_hint: null,
      body: '# Title\n\nText.\n',
    });
    const full = '---\ndescription: D\nargument-hint: "<x>"\narguments: [x, "1"]\n---\nText.\n';
    expect(parseCustomCommand('a', full)).toEqual({
      name: 'a',
      description: 'D',
      arguments: ['x'],
      argument_hint: '<x>',
      body: 'Text.\n',
    });
    expect(parseCustomCommand('a', '---\n: [\n---\nText.\n')).toMatchObject({ body: 'Text.\n' });
  });
});
