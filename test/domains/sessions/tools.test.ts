import { describe, expect, test } from 'vitest';

import { REQUIREMENTS, req } from '../../requirements.ts';
import { callTool } from '../../support/kernel.ts';
import { codeOf, dataOf, testSession, testSessions, textOf } from './harness.ts';

describe('the session tools', () => {
  test(
    req(
      ['M-tool-1', 'M-tool-3'],
      'refuse unknown keys, names without or with too many characters, and wrong types',
    ),
    async () => {
      const { runtime, open, skill, reload } = await testSessions();
      skill('one');
      await reload();
      const session = await open();
      const refused: readonly (readonly [string, object])[] = [
        ['skill_search', { query: 'x', extra: 1 }],
        ['skill_search', {}],
        ['skill_load', { name: 'one', path: 'x' }],
        ['skill_load', { name: '' }],
        ['skill_load', { name: 'x'.repeat(65) }],
        ['skill_load', { name: 1 }],
        ['skill_read', { name: 'one' }],
        ['skill_read', { name: 'one', path: 'a', encoding: 'utf-8' }],
        ['skill_get', { name: 'one', x: null }],
        ['session_close', { force: true }],
      ];
      for (const [tool, input] of refused) {
        expect([tool, input, codeOf(await session.call(tool, input))]).toEqual([
          tool,
          input,
          'INVALID_PARAMS',
        ]);
      }
      for (const input of [
        { agent_tier: 'T9' },
        { budget: { max_loads: -1 } },
        { preload: { flor: 1 } },
        { x: 1 },
      ]) {
        expect(codeOf(await callTool(runtime.ctx, 'session_open', input))).toBe('INVALID_PARAMS');
      }
      expect(codeOf(await session.load('x'.repeat(64)))).toBe('SKILL_NOT_FOUND');
    },
  );

  test(req('M-tool-2', 'search, load, read and get are marked as reading only'), async () => {
    const { runtime } = await testSessions();
    for (const name of ['skill_search', 'skill_load', 'skill_read', 'skill_get']) {
      expect(runtime.ctx.tools.get(name)?.annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
    }
  });

  test('session_open gives an id, the options and the catalog; session_close ends it', async () => {
    const { runtime, skill, reload } = await testSessions();
    skill('one', { description: 'The first.' });
    await reload();
    const answer = await callTool(runtime.ctx, 'session_open', {
      agent_id: 'robin',
      budget: { max_loads: 7 },
    });
    const id = String(dataOf(answer)['session_id']);
    expect(dataOf(answer)).toEqual({
      session_id: id,
      options: {
        agent_tier: 'T3',
        agent_id: 'robin',
        budget: { max_loads: 7, max_tokens: 30_000, warn_tokens: 10_000, catalog_tokens: 8_000 },
        preload: null,
      },
      catalog: await testSession(runtime, id).catalog(),
      shown: 1,
      dropped: 0,
      descriptions_cut_to: null,
    });
    const session = testSession(runtime, id);
    expect(codeOf(await session.load('one'))).toBe('ok');
    expect(dataOf(await session.call('session_close'))).toEqual({ closed: id });
    expect((await session.events('tool.started')).map(({ actor }) => actor)).toEqual(['robin', 'robin']);
    expect((await session.events('session.closed')).map(({ payload }) => JSON.parse(payload))).toEqual([
      { loads: 1, tokens: 1 },
    ]);
  });

  test('a session that is unknown or closed answers with its own code and gets no event', async () => {
    const { runtime, open, skill, reload } = await testSessions();
    skill('one');
    await reload();
    const session = await open();
    await runtime.sessions.close(session.id);
    await runtime.sessions.close(session.id);
    const before = (await session.events()).length;
    for (const tool of ['skill_load', 'skill_search', 'skill_read', 'skill_get', 'session_close']) {
      expect(textOf(await session.call(tool, { name: 'one', query: 'x', path: 'a' }))).toMatch(
        new RegExp(`^SESSION_CLOSED: session ${session.id} was closed at .*; open a new one$`),
      );
      expect(textOf(await callTool(runtime.ctx, tool, { session_id: 'nobody' }))).toBe(
        'SESSION_NOT_FOUND: no session "nobody"; open one with session_open',
      );
    }
    expect(await session.events()).toHaveLength(before);
    await expect(runtime.sessions.resume(session.id)).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
    await expect(runtime.sessions.refresh(session.id)).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
    await expect(runtime.sessions.get('nobody')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(runtime.replay('nobody', { live: false })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });

  test('skill_get gives everything but the text, and leaves no load', async () => {
    const { open, skill, reload } = await testSessions();
    skill('one', { body: 'The text.', lines: ['version: "1.2"', 'capabilities: [a, b]', 'x-more: 1'] });
    await reload();
    const session = await open();
    const { skill: facts } = dataOf(await session.call('skill_get', { name: 'one' })) as { skill: object };
    expect(facts).toMatchObject({
      name: 'one',
      version: '1.2',
      capabilities: ['a', 'b'],
      source: 'workspace',
      path: '.agents/skills/one/SKILL.md',
      frontmatter: { 'x-more': 1 },
    });
    expect(JSON.stringify(facts)).not.toContain('The text.');
    expect(await session.events('skill.loaded')).toEqual([]);
  });

  test('two sessions know nothing of each other', async () => {
    const { open, skill, reload } = await testSessions();
    skill('one');
    await reload();
    const [a, b] = [await open(), await open()];
    await a.load('one');
    expect(textOf(await b.load('one'))).toMatch(/^# Skill: one/);
    expect(
      [await a.events('skill.loaded'), await b.events('skill.loaded')].map((rows) => rows.length),
    ).toEqual([1, 1]);
  });
});

test('the list of requirements says each thing once', () => {
  const texts = Object.values(REQUIREMENTS);
  expect(new Set(texts).size).toBe(texts.length);
});
