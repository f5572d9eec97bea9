import { rmSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { LOAD_TOKENS_MAX, LOAD_TOKENS_WARN, LOADS_MAX } from '../../../src/domains/sessions/schema.ts';
import { sha256Hex } from '../../../src/lib/digest.ts';
import { req } from '../../requirements.ts';
import { callTool } from '../../support/kernel.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { bodyOf, codeOf, dataOf, payloadOf, testSessions, textOf } from './harness.ts';

describe('skill_load', () => {
  test(
    req(
      ['M-load-1', 'M-load-8', 'M-property-1', 'M-property-2'],
      'gives the heading, the body, the directory and the files',
    ),
    async () => {
      const { open, skill, file, reload } = await testSessions();
      const body = '# Deploy\n\nStep by step.\n';
      skill('deploy', { body });
      file('deploy', 'references/guide.md', 'Guide\n');
      file('deploy', 'a.txt', '12345');
      file('deploy', '.env', 'SECRET=1');
      await reload();
      const answer = await (await open()).load('deploy');
      expect(textOf(answer)).toBe(
        [
          '# Skill: deploy (source: workspace)',
          '',
          '# Deploy',
          '',
          'Step by step.',
          '',
          'Skill directory: .agents/skills/deploy',
          'Files (read them with `skill_read`):',
          '- a.txt (5 bytes)',
          '- references/guide.md (6 bytes)',
          '',
        ].join('\n'),
      );
      expect(dataOf(answer)).toEqual({
        skill_id: 'deploy',
        skill_version: sha256Hex(body).slice(0, 16),
        source: 'workspace',
        load_size_tokens: Math.floor(body.length / 4),
        trusted: false,
        effective_allowed_tools: [],
      });
    },
  );

  test(
    req(
      ['M-load-4', 'M-load-9', 'M-event-1', 'M-event-2', 'O-contract-1'],
      'leaves exactly one event, with everything but the body',
    ),
    async () => {
      const { open, skill, reload, runtime } = await testSessions();
      skill('deploy', {
        body: 'secret body',
        lines: ['x-unknown: { deep: [1, two] }', 'allowed-tools: [Read]'],
      });
      await reload();
      const session = await open();
      const before = runtime.skills.generation();
      await session.call('skill_load', { name: 'deploy' }, { toolUseId: 'toolu_1' });
      const events = await session.events();
      expect(events.map(({ type }) => type)).toEqual([
        'session.opened',
        'tool.started',
        'skill.loaded',
        'tool.finished',
      ]);
      const [, started, loaded, finished] = events;
      const { digest } = runtime.skills.require('deploy');
      expect(loaded && payloadOf(loaded)).toEqual({
        skill_id: 'deploy',
        skill_version: sha256Hex('secret body').slice(0, 16),
        load_reason: 'on_demand',
        load_size_tokens: 2,
        source: 'workspace',
        triggered_by_tool_use_id: 'toolu_1',
        name: 'deploy',
        path: '.agents/skills/deploy/SKILL.md',
        digest,
        frontmatter: {
          name: 'deploy',
          description: 'About deploy.',
          'x-unknown': { deep: [1, 'two'] },
          'allowed-tools': ['Read'],
        },
        effective_allowed_tools: [{ pattern: 'Read', effect: 'ask' }],
        warnings: [expect.stringMatching(/^nonstandard-field: /), expect.stringMatching(/^tools-list: /)],
      });
      expect(loaded?.sensitivity).toBe('pseudonymous');
      expect([loaded?.parent_id, finished?.parent_id]).toEqual([started?.id, started?.id]);
      expect(JSON.stringify(events)).not.toContain('secret body');
      expect(runtime.skills.generation()).toBe(before);
    },
  );

  test('without an id of the model the call itself is named', async () => {
    const { open, skill, reload } = await testSessions();
    skill('one');
    await reload();
    const session = await open();
    await session.load('one');
    const [started] = await session.events('tool.started');
    const [loaded] = await session.events('skill.loaded');
    expect(loaded && payloadOf(loaded)['triggered_by_tool_use_id']).toBe(started?.id);
  });

  test(
    req(
      ['M-load-5', 'M-invariant-2', 'M-invariant-3', 'O-contract-2'],
      'the source that served the skill is recorded; the workspace stands in for the global one',
    ),
    async () => {
      const { open } = await testSessions({
        before: (root, home) => {
          const global = path.join(home, '.agents', 'skills');
          writeSkill(root, 'both', { description: 'Mine.' });
          writeSkill(global, 'both', { description: 'Theirs.' });
          writeSkill(global, 'only-global');
        },
      });
      const session = await open();
      expect(await session.catalog()).toContain('- both: Mine. [untrusted]\n- only-global: ');
      expect(textOf(await session.load('both'))).toMatch(/^# Skill: both \(source: workspace\)/);
      expect(textOf(await session.load('only-global'))).toMatch(/^# Skill: only-global \(source: global\)/);
      const sources = (await session.events('skill.loaded')).map((row) => payloadOf(row)['source']);
      expect(sources).toEqual(['workspace', 'global']);
    },
  );

  test(
    req(
      ['M-load-6', 'M-activation-1', 'M-activation-6'],
      'a second load is a pointer without event and without budget',
    ),
    async () => {
      const { open, skill, reload, runtime } = await testSessions();
      for (const name of ['a', 'b', 'c']) skill(name, { body: 'The body of it.' });
      await reload();
      const session = await open();
      expect((await runtime.sessions.get(session.id)).loaded).toEqual([]);
      await session.load('b');
      await session.load('a');
      for (let times = 0; times < 5; times++) {
        const again = await session.load('a');
        expect(textOf(again)).toBe(
          "The skill 'a' was loaded earlier in this session; its text is above and is not repeated.",
        );
        expect(dataOf(again)).toMatchObject({ skill_id: 'a', already_loaded: true });
      }
      expect(codeOf(await session.load('c'))).toBe('ok');
      expect(await session.events('skill.loaded')).toHaveLength(3);
      const { loaded } = await runtime.sessions.get(session.id);
      expect(loaded.map(({ name, tokens }) => [name, tokens])).toEqual([
        ['b', 3],
        ['a', 3],
        ['c', 3],
      ]);
    },
  );

  test('at the same time, too, a body is given once', async () => {
    const { open, skill, reload } = await testSessions();
    skill('one');
    await reload();
    const session = await open();
    const answers = await Promise.all(Array.from({ length: 8 }, () => session.load('one')));
    expect(answers.filter((answer) => textOf(answer).startsWith('# Skill:'))).toHaveLength(1);
    expect(await session.events('skill.loaded')).toHaveLength(1);
  });

  test(
    req('M-load-2', 'an unknown name is an error that names it and the nearest ones, and leaves no load'),
    async () => {
      const { open, skill, reload } = await testSessions();
      for (const name of ['commit', 'code-review']) skill(name);
      await reload();
      const session = await open();
      const answer = await session.load('comit');
      expect(textOf(answer)).toBe(
        'SKILL_NOT_FOUND: no skill registered with name "comit"; did you mean commit?',
      );
      expect(answer).toMatchObject({ error: { details: { name: 'comit', nearest: ['commit'] } } });
      expect(textOf(await session.load('zzzzzzzz'))).toContain('skill_search finds skills by words');
      expect(await session.events('skill.loaded')).toEqual([]);
      expect(await session.events('tool.failed')).toHaveLength(2);
    },
  );

  test('names of files that would break the text are written out', async () => {
    const { open, skill, file, reload } = await testSessions();
    skill('one');
    file('one', 'a\nb\u001b[2J.md', 'x');
    await reload();
    expect(textOf(await (await open()).load('one'))).toContain('- a b\\u{1b}[2J.md (1 bytes)\n');
  });

  test('more than fifty files are counted, not named; a large one shows its size', async () => {
    const { open, skill, file, reload } = await testSessions();
    skill('one');
    for (let index = 0; index < 60; index++) file('one', `f${String(index).padStart(2, '0')}`, 'x');
    file('one', 'a-large', Buffer.alloc(1024 * 1024 + 1));
    await reload();
    const text = textOf(await (await open()).load('one'));
    expect(text).toContain('- a-large (1048577 bytes)\n');
    expect(text.match(/^- f/gm)).toHaveLength(49);
    expect(text).toContain('- and 11 more\n');
  });
});

describe('the budget', () => {
  test(
    req(['M-activation-2', 'M-activation-4'], 'the fourth load fails and leaves no event of a load'),
    async () => {
      const { open, skill, reload } = await testSessions();
      for (const name of ['a', 'b', 'c', 'd']) skill(name);
      await reload();
      const session = await open();
      for (const name of ['a', 'b', 'c']) expect(codeOf(await session.load(name))).toBe('ok');
      expect(textOf(await session.load('d'))).toBe(
        `BUDGET_EXHAUSTED: activation budget exhausted: ${LOADS_MAX} of ${LOADS_MAX} skills are loaded; use those, or open a new session`,
      );
      expect(await session.events('skill.loaded')).toHaveLength(3);
      expect(await session.events('tool.failed')).toHaveLength(1);
    },
  );

  test(
    req('M-activation-3', 'exactly the cap is allowed, one token more is not, and a smaller one still fits'),
    async () => {
      const { open, skill, reload } = await testSessions();
      skill('most', { body: bodyOf(LOAD_TOKENS_MAX - 10) });
      skill('rest', { body: bodyOf(10) });
      skill('over', { body: bodyOf(11) });
      await reload();
      const session = await open();
      expect(codeOf(await session.load('most'))).toBe('ok');
      expect(textOf(await session.load('over'))).toBe(
        `BUDGET_EXHAUSTED: activation token cap exhausted: over needs 11 tokens and 10 of ${LOAD_TOKENS_MAX} are left`,
      );
      expect(codeOf(await session.load('rest'))).toBe('ok');
      expect((await session.events('skill.loaded')).map((row) => payloadOf(row)['name'])).toEqual([
        'most',
        'rest',
      ]);
    },
  );

  test(req('M-activation-5', 'reaching 10 000 tokens warns, once'), async () => {
    const { open, skill, reload } = await testSessions();
    skill('a', { body: bodyOf(LOAD_TOKENS_WARN - 1) });
    skill('b', { body: bodyOf(1) });
    skill('c', { body: bodyOf(5_000) });
    await reload();
    const session = await open();
    const warnings: unknown[] = [];
    for (const name of ['a', 'b', 'c']) warnings.push(dataOf(await session.load(name))['warning']);
    expect(warnings).toEqual([undefined, 'loaded skills now take 10000 of 30000 tokens', undefined]);
    const events = await session.events('skill.warning');
    expect(events.map(payloadOf)).toEqual([
      { kind: 'budget', name: 'b', detail: { reason: 'loaded skills now take 10000 of 30000 tokens' } },
    ]);
  });

  test('holds against calls of several processes at once, which no lock of this one keeps apart', async () => {
    const { open, skill, reload, runtime } = await testSessions();
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    for (const name of names) skill(name);
    await reload();
    const { id } = await open();
    const outcomes = await Promise.allSettled(
      names.map((name) =>
        runtime.sessions.call(
          { tool: 'skill_load', input: { name } },
          { session: id, callId: `call-${name}`, actor: 'test' },
        ),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(LOADS_MAX);
    expect((await runtime.sessions.get(id)).loaded).toHaveLength(LOADS_MAX);
  });

  test('a session may be opened with another budget', async () => {
    const { open, skill, reload } = await testSessions();
    skill('a');
    await reload();
    const none = await open({ budget: { max_loads: 0 } });
    expect(codeOf(await none.load('a'))).toBe('BUDGET_EXHAUSTED');
    const small = await open({ budget: { max_tokens: 0 } });
    expect(codeOf(await small.load('a'))).toBe('BUDGET_EXHAUSTED');
  });
});

describe('a session keeps what it was opened with', () => {
  test(
    req('M-invariant-1', 'the body of the start is given after an edit, and after the files are gone'),
    async () => {
      const { open, skill, reload, root } = await testSessions();
      skill('edited', { body: 'Old.' });
      skill('deleted', { body: 'Still here.' });
      await reload();
      const session = await open();
      skill('edited', { body: 'New.' });
      rmSync(path.join(root, 'deleted'), { recursive: true });
      skill('added');
      await reload();
      expect(await session.catalog()).not.toContain('added');
      expect(textOf(await session.load('edited'))).toContain('\nOld.\n');
      expect(textOf(await session.load('deleted'))).toContain('\nStill here.\n');
      expect(codeOf(await session.load('added'))).toBe('SKILL_NOT_FOUND');
      const next = await open();
      expect(textOf(await next.load('edited'))).toContain('\nNew.\n');
      expect(codeOf(await next.load('deleted'))).toBe('SKILL_NOT_FOUND');
    },
  );

  test('after a refresh the new body is given, with its own event; an unchanged one stays a pointer', async () => {
    const { open, skill, reload, runtime } = await testSessions();
    skill('edited', { body: 'Old.' });
    skill('same', { body: 'Same.' });
    await reload();
    const session = await open();
    await session.load('edited');
    await session.load('same');
    skill('edited', { body: 'New.' });
    await reload();
    expect(dataOf(await session.load('edited'))['already_loaded']).toBe(true);
    await runtime.sessions.refresh(session.id);
    expect(dataOf(await session.load('same'))['already_loaded']).toBe(true);
    expect(textOf(await session.load('edited'))).toContain('\nNew.\n');
    expect(dataOf(await session.load('edited'))['already_loaded']).toBe(true);
    expect(await session.events('skill.loaded')).toHaveLength(3);
    expect(await runtime.replay(session.id, { live: false })).toMatchObject({ equal: true });
  });

  test(req('M-invariant-4', 'a bad skill beside them does not matter'), async () => {
    const { open, skill, reload, file } = await testSessions();
    skill('good');
    file('bad', 'SKILL.md', 'no frontmatter');
    await reload();
    const session = await open();
    expect(await session.catalog()).toContain('- good: ');
    expect(codeOf(await session.load('bad'))).toBe('SKILL_NOT_FOUND');
    expect(codeOf(await session.load('good'))).toBe('ok');
  });
});

describe('what may be seen', () => {
  test('a skill that is for people alone is in no catalog, search, load or read', async () => {
    const { open, skill, reload } = await testSessions();
    skill('hidden', { lines: ['disable-model-invocation: true'] });
    skill('shown');
    await reload();
    const session = await open();
    expect(await session.catalog()).not.toContain('hidden');
    expect(await session.catalog('xml')).not.toContain('hidden');
    expect(dataOf(await session.call('skill_search', { query: '' }))['result_names']).toEqual(['shown']);
    expect(codeOf(await session.load('hidden'))).toBe('SKILL_NOT_FOUND');
    expect(codeOf(await session.read('hidden', 'a'))).toBe('SKILL_NOT_FOUND');
    expect(codeOf(await session.call('skill_get', { name: 'hidden' }))).toBe('SKILL_NOT_FOUND');
    expect(textOf(await session.load('hiden'))).not.toContain('hidden');
  });

  test('tiers hide only where they are enforced', async () => {
    const write = (root: string) => {
      writeSkill(root, 'for-all', { lines: ['tier: 1'] });
      writeSkill(root, 'for-few', { lines: ['tier: 3'] });
    };
    const advised = await testSessions({ before: write });
    expect(await (await advised.open({ agent_tier: 'T4' })).catalog()).toContain('for-few');
    const enforced = await testSessions({ before: write, env: { COLIBRI_TIERS: 'enforce' } });
    const low = await enforced.open({ agent_tier: 'T4' });
    expect(await low.catalog()).not.toContain('for-few');
    expect(codeOf(await low.load('for-few'))).toBe('SKILL_NOT_FOUND');
    expect(codeOf(await low.load('for-all'))).toBe('ok');
    const stateless = await callTool(enforced.runtime.ctx, 'skill_load', { name: 'for-few' });
    expect(codeOf(stateless)).toBe('SKILL_NOT_FOUND');
  });

  test('where tiers are enforced, session_open may lower the tier and never raise it', async () => {
    const enforced = await testSessions({ env: { COLIBRI_TIERS: 'enforce' } });
    const ask = (agent_tier: string) => callTool(enforced.runtime.ctx, 'session_open', { agent_tier });
    expect(textOf(await ask('T0'))).toBe(
      "INVALID_PARAMS: agent_tier T0 is above this connection's T3; leave it out or ask for a lower one",
    );
    expect(dataOf(await ask('T4'))).toMatchObject({ options: { agent_tier: 'T4' } });
    const advised = await testSessions();
    expect(codeOf(await callTool(advised.runtime.ctx, 'session_open', { agent_tier: 'T0' }))).toBe('ok');
  });

  test('session_open takes the folder that is served and a profile that narrows, and refuses another folder', async () => {
    const { runtime } = await testSessions();
    const { workspace } = runtime.config;
    const ask = (input: object) => callTool(runtime.ctx, 'session_open', input);
    expect(dataOf(await ask({ workspace, policy: 'read-only' }))).toMatchObject({
      options: { profile: 'read-only' },
    });
    expect(codeOf(await ask({ workspace: '/elsewhere' }))).toBe('INVALID_PARAMS');
  });

  test('without a session nothing is counted or remembered, and each body leaves its event', async () => {
    const { runtime, skill, reload } = await testSessions();
    for (const name of ['a', 'b', 'c', 'd', 'e']) skill(name);
    await reload();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'e']) {
      expect(textOf(await callTool(runtime.ctx, 'skill_load', { name }))).toMatch(/^# Skill: /);
    }
    const loads = await runtime.events.read({ types: ['skill.loaded'] });
    expect(loads.map((row) => [payloadOf(row)['name'], row.session_id, row.stream])).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'e'].map((name) => [name, null, 'catalog']),
    );
    const calls = runtime.db.prepare('SELECT id FROM audit_log ORDER BY id').pluck().all();
    expect(loads.map((row) => payloadOf(row)['triggered_by_tool_use_id'])).toEqual(calls);
  });
});
