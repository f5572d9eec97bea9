import { rmSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { estimateTokens } from '../../../src/domains/sessions/catalog.ts';
import { choosePreloads } from '../../../src/domains/sessions/preload.ts';
import { PRELOAD_CEILING, PRELOAD_FLOOR } from '../../../src/domains/sessions/schema.ts';
import { req } from '../../requirements.ts';
import { bodyOf, codeOf, dataOf, payloadOf, testSessions, textOf } from './harness.ts';

function chosen(
  sizes: Readonly<Record<string, number>>,
  limits: { readonly prefix?: number; readonly catalog?: number } = {},
): readonly string[] {
  const candidates = Object.entries(sizes).map(([name, tokens]) => ({ name, body: bodyOf(tokens) }));
  const preload = { prefix_tokens: limits.prefix ?? 0, floor: 100, ceiling: 150 };
  return choosePreloads(candidates, preload, {
    catalogTokens: limits.catalog ?? 0,
    estimate: (text) => Math.floor((text.length - '### Skill: a\n\n\n'.length) / 4),
  }).map(({ name }) => name);
}

describe('which bodies are put in', () => {
  test(req('M-preload-1', 'whole ones by name until the floor is reached, none past the ceiling'), () => {
    expect(chosen({ a: 60, b: 60, c: 10 })).toEqual(['a', 'b']);
    expect(chosen({ a: 100, b: 1 })).toEqual(['a']);
    expect(chosen({ a: 99, b: 1, c: 1 })).toEqual(['a', 'b']);
    expect(chosen({ a: 151, b: 50 })).toEqual(['b']);
    expect(chosen({ a: 150 })).toEqual(['a']);
    expect(chosen({ a: 90, b: 61, c: 60 })).toEqual(['a', 'c']);
  });

  test(req('M-preload-2', 'none when the prefix and the catalog are above the floor already'), () => {
    expect(chosen({ a: 10 }, { prefix: 100 })).toEqual([]);
    expect(chosen({ a: 10 }, { prefix: 60, catalog: 40 })).toEqual([]);
    expect(chosen({ a: 10 }, { prefix: 60, catalog: 39 })).toEqual(['a']);
  });

  test('no body is asked for once the floor is reached', () => {
    const asked: string[] = [];
    function* candidates() {
      for (const name of ['a', 'b', 'c']) {
        asked.push(name);
        yield { name, body: bodyOf(100) };
      }
    }
    const preload = { prefix_tokens: 0, floor: 100, ceiling: 150 };
    choosePreloads(candidates(), preload, { catalogTokens: 0, estimate: (text) => text.length / 4 });
    expect(asked).toEqual(['a', 'b']);
  });
});

describe('a session with preloaded skills', () => {
  async function opened() {
    const sessions = await testSessions({ env: { COLIBRI_TRUST_WORKSPACE: '1' } });
    sessions.skill('alpha', { body: bodyOf(2_000) });
    sessions.skill('beta', { body: bodyOf(9_000) });
    sessions.skill('gamma', { body: bodyOf(2_600) });
    sessions.skill('zeta', { body: 'Zeta body.' });
    await sessions.reload();
    return { ...sessions, session: await sessions.open({ preload: true }) };
  }

  test(
    req(
      ['M-preload-3', 'M-preload-6', 'M-discovery-2'],
      'has whole bodies behind the catalog, marked, within floor and ceiling, the same every time',
    ),
    async () => {
      const { session } = await opened();
      const text = await session.catalog();
      expect(text.split('\n').filter((line) => line.startsWith('- '))).toEqual([
        '- alpha [preloaded]: About alpha.',
        '- beta: About beta.',
        '- gamma [preloaded]: About gamma.',
        '- zeta: About zeta.',
      ]);
      expect(text).toContain(`\n### Skill: alpha\n\n${bodyOf(2_000)}\n`);
      expect(text).toContain(`\n### Skill: gamma\n\n${bodyOf(2_600)}\n`);
      expect(text).not.toContain('Zeta body.');
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(PRELOAD_FLOOR);
      expect(estimateTokens(text)).toBeLessThanOrEqual(PRELOAD_CEILING);
      expect(await session.catalog()).toBe(text);
    },
  );

  test('the XML form has the bodies, too: what is called preloaded can be read', async () => {
    const { session } = await opened();
    const text = await session.catalog('xml');
    expect(text).toContain('<description>\n[preloaded] About alpha.\n</description>');
    expect(text).toContain(`\n### Skill: alpha\n\n${bodyOf(2_000)}\n`);
  });

  test(
    req('M-preload-4', 'has one event per body, always, without an id of a call, right after the opening'),
    async () => {
      const { session } = await opened();
      const events = await session.events();
      expect(events.map(({ type }) => type)).toEqual(['session.opened', 'skill.loaded', 'skill.loaded']);
      expect(events.slice(1).map((row) => [payloadOf(row)['name'], row.parent_id])).toEqual([
        ['alpha', null],
        ['gamma', null],
      ]);
      for (const row of events.slice(1)) {
        expect(payloadOf(row)).toMatchObject({ load_reason: 'always', triggered_by_tool_use_id: null });
      }
    },
  );

  test(
    req(['M-load-7', 'M-preload-5'], 'answers a load of one with a pointer; no event, no budget'),
    async () => {
      const { session } = await opened();
      const answer = await session.load('alpha');
      expect(textOf(answer)).toBe(
        "The skill 'alpha' is part of the system prompt; its text is above and is not repeated.",
      );
      expect(dataOf(answer)).toMatchObject({ skill_id: 'alpha', already_preloaded: true });
      expect(await session.events('skill.loaded')).toHaveLength(2);
      expect(codeOf(await session.load('beta'))).toBe('ok');
      expect(codeOf(await session.load('zeta'))).toBe('ok');
    },
  );

  test('preloaded files can be read', async () => {
    const sessions = await testSessions({ env: { COLIBRI_TRUST_WORKSPACE: '1' } });
    sessions.skill('alpha', { body: bodyOf(5_000) });
    sessions.file('alpha', 'a.md', 'x');
    await sessions.reload();
    const session = await sessions.open({ preload: true });
    expect(textOf(await session.read('alpha', 'a.md'))).toBe('x');
  });

  test('after a refresh a body that changed or went is no longer called preloaded', async () => {
    const { session, skill, root, reload, runtime } = await opened();
    skill('alpha', { body: 'New alpha.' });
    rmSync(path.join(root, 'gamma'), { recursive: true });
    await reload();
    await runtime.sessions.refresh(session.id);
    const text = await session.catalog();
    expect(text).not.toMatch(/preloaded|### Skill|gamma/);
    expect(textOf(await session.load('alpha'))).toContain('New alpha.');
  });

  test('without preload nothing is put in', async () => {
    const { open } = await opened();
    expect(await (await open()).catalog()).not.toMatch(/preloaded|###/);
    expect(await (await open({ preload: { prefix_tokens: 5_000 } })).catalog()).not.toMatch(/preloaded|###/);
  });
});
