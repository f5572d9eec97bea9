import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, onTestFinished, test } from 'vitest';

import { type Colibri, type OpenOptions, openColibri } from '../src/library.ts';
import { req } from './requirements.ts';
import { writeSkill } from './support/skill-files.ts';
import { namesOf } from './support/skill-index.ts';
import { temporaryDirectory } from './support/temporary.ts';
import { connectHttp, connectStdio, skillsRoot, startHttp } from './surfaces/mcp/harness.ts';

async function open(workspace: string, more: OpenOptions = {}): Promise<Colibri> {
  const colibri = await openColibri({ workspace, home: workspace, dbPath: ':memory:', ...more });
  onTestFinished(() => colibri.close());
  return colibri;
}

describe('the library', () => {
  test('lists, gets, opens a session, runs calls, replays', async () => {
    const workspace = temporaryDirectory();
    writeSkill(skillsRoot(workspace), 'one', { body: 'The body.' });
    const colibri = await open(workspace);
    expect(namesOf(colibri.skills.list())).toEqual(['one']);
    expect(colibri.skills.get('nobody')).toBeNull();
    const session = await colibri.sessions.open();
    expect(await session.catalog()).toContain('- one: About one.');
    expect(await session.catalog('xml')).toContain('<name>\none\n</name>');
    const loaded = await session.handleToolCall({ id: 'call_1', name: 'skill_load', input: { name: 'one' } });
    expect([loaded.isError, loaded.text.includes('The body.')]).toEqual([false, true]);
    await session.close();
    expect(await colibri.sessions.replay(session.id, { live: false })).toMatchObject({ equal: true });
    expect(await colibri.events.verify()).toMatchObject({ broken: null });
    const [event] = await colibri.events.read({ session: session.id, types: ['skill.loaded'] });
    expect(JSON.parse(event?.payload ?? '{}').triggered_by_tool_use_id).toBe('call_1');
  });

  test('what a model does wrong is an answer, never a throw', async () => {
    const workspace = temporaryDirectory();
    writeSkill(skillsRoot(workspace), 'one');
    const session = await (await open(workspace)).sessions.open();
    const wrong: readonly (readonly [string, unknown, RegExp])[] = [
      ['skill_fly', {}, /^TOOL_UNKNOWN: no tool named "skill_fly"; use one of skill_search/],
      ['skill_load', null, /^INVALID_PARAMS/],
      ['skill_load', 'one', /^INVALID_PARAMS/],
      ['skill_load', ['one'], /^INVALID_PARAMS/],
      ['skill_load', undefined, /^INVALID_PARAMS/],
      ['skill_load', { name: 'nobody' }, /^SKILL_NOT_FOUND/],
      ['skill_read', { name: 'one', path: '../x' }, /^SKILL_NOT_LOADED/],
    ];
    for (const [name, input, text] of wrong) {
      const outcome = await session.handleToolCall({ name, input });
      expect([name, input, outcome.isError]).toEqual([name, input, true]);
      expect(outcome.text).toMatch(text);
    }
  });

  test('tool definitions fit any model: no session_id, no $schema; a call cannot leave its session', async () => {
    const workspace = temporaryDirectory();
    writeSkill(skillsRoot(workspace), 'one');
    const colibri = await open(workspace);
    const [mine, other] = [await colibri.sessions.open(), await colibri.sessions.open()];
    expect(mine.tools.map(({ name }) => name)).toEqual([
      'skill_search',
      'skill_match',
      'skill_load',
      'skill_read',
      'skill_get',
      'skill_run',
    ]);
    const load = mine.tools.find(({ name }) => name === 'skill_load');
    expect(load?.inputSchema).toEqual({
      type: 'object',
      properties: { name: expect.objectContaining({ type: 'string', minLength: 1, maxLength: 64 }) },
      required: ['name'],
      additionalProperties: false,
    });
    await mine.handleToolCall({ name: 'skill_load', input: { name: 'one', session_id: other.id } });
    expect(await colibri.events.read({ session: other.id, types: ['skill.loaded'] })).toEqual([]);
    expect(await colibri.events.read({ session: mine.id, types: ['skill.loaded'] })).toHaveLength(1);
  });

  test('skills are searched and matched without a session', async () => {
    const workspace = temporaryDirectory();
    writeSkill(skillsRoot(workspace), 'pdf-forms', { description: 'Fill in PDF forms and merge PDF files.' });
    const colibri = await open(workspace);
    expect(await colibri.skills.search('pdf', { limit: 1 })).toMatchObject([
      { name: 'pdf-forms', source: 'workspace', why: 'in name and description' },
    ]);
    const task = 'fill in the pdf forms and merge the pdf files';
    expect(await colibri.skills.match(task)).toMatchObject([{ name: 'pdf-forms' }]);
    expect(await colibri.skills.match('good morning')).toEqual([]);
  });

  test('a session is resumed by another process of the same database, and not once it is closed', async () => {
    const workspace = temporaryDirectory();
    const dbPath = path.join(workspace, 'colibri.db');
    for (const name of ['a', 'b', 'c', 'd']) writeSkill(skillsRoot(workspace), name);
    const load = (name: string) => ({ name: 'skill_load', input: { name } });
    const first = await open(workspace, { dbPath });
    const session = await first.sessions.open();
    await session.handleToolCall(load('a'));
    await first.close();
    const second = await open(workspace, { dbPath });
    const resumed = await second.sessions.resume(session.id);
    expect((await resumed.handleToolCall(load('a'))).text).toContain('was loaded earlier');
    const outcomes: boolean[] = [];
    for (const name of ['b', 'c', 'd']) outcomes.push((await resumed.handleToolCall(load(name))).isError);
    expect(outcomes).toEqual([false, false, true]);
    await resumed.close();
    await expect(second.sessions.resume(session.id)).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
    await expect(second.sessions.resume('nobody')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('refresh takes the skills of now', async () => {
    const workspace = temporaryDirectory();
    const colibri = await open(workspace);
    const session = await colibri.sessions.open();
    writeSkill(skillsRoot(workspace), 'late');
    await colibri.skills.reload();
    expect(await session.catalog()).toBe('');
    await session.refresh();
    expect(await session.catalog()).toContain('- late: ');
  });

  test('under enforced tiers whoever opens the library says who is asking', async () => {
    const workspace = temporaryDirectory();
    writeSkill(skillsRoot(workspace), 'few', { lines: ['tier: 3'] });
    writeFileSync(path.join(workspace, 'colibri.config.json'), '{"tiers":"enforce"}');
    const colibri = await open(workspace);
    expect(await (await colibri.sessions.open()).catalog()).toBe('');
    expect(await (await colibri.sessions.open({ agent_tier: 'T0' })).catalog()).toContain('few');
  });

  test('failures are thrown and never end the process', async () => {
    const workspace = temporaryDirectory();
    const dbPath = path.join(workspace, 'broken.db');
    writeFileSync(dbPath, 'no database '.repeat(1_000));
    await expect(openColibri({ workspace, home: workspace, dbPath })).rejects.toMatchObject({
      code: 'DB_CORRUPT',
    });
  });

  test('importing does nothing; after close nothing keeps the process alive, not even a follower', async () => {
    const workspace = temporaryDirectory();
    const library = pathToFileURL(path.resolve(import.meta.dirname, '../dist/library.js')).href;
    const script = `const { openColibri } = await import(${JSON.stringify(library)});
      const colibri = await openColibri({ workspace: ${JSON.stringify(workspace)}, home: ${JSON.stringify(workspace)}, dbPath: ':memory:' });
      colibri.events.follow({}, () => undefined);
      await colibri.sessions.open();
      await colibri.close();
      process.stdout.write('closed');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' });
    onTestFinished(() => void child.kill('SIGKILL'));
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += String(chunk)));
    const [code] = await once(child, 'exit');
    expect([code, out]).toEqual([0, 'closed']);
  });
});

test(
  req('O-contract-5', 'library, stdio and HTTP give the same answers and leave the same events'),
  async () => {
    const workspace = temporaryDirectory();
    writeSkill(skillsRoot(workspace), 'one', { body: 'The body.' });
    const calls: readonly (readonly [string, Record<string, unknown>])[] = [
      ['skill_search', { query: 'one' }],
      ['skill_load', { name: 'one' }],
      ['skill_load', { name: 'one' }],
      ['skill_load', { name: 'nobody' }],
      ['skill_read', { name: 'one', path: '../x' }],
    ];
    const db = (name: string) => path.join(workspace, `${name}.db`);
    const answers: unknown[] = [];

    const library = await open(workspace, { dbPath: db('library') });
    const session = await library.sessions.open();
    for (const [name, input] of calls) answers.push((await session.handleToolCall({ name, input })).envelope);
    await session.close();

    const http = await startHttp(workspace, { dbPath: db('http') });
    const client = await connectHttp(http.url);
    const opened = await client.callTool({ name: 'session_open', arguments: {} });
    const session_id = (opened.structuredContent as { data: { session_id: string } }).data.session_id;
    const overHttp: unknown[] = [];
    for (const [name, input] of calls) {
      const { structuredContent } = await client.callTool({ name, arguments: { ...input, session_id } });
      overHttp.push(structuredContent);
    }
    await http.runtime.sessions.close(session_id);

    const stdio = await connectStdio(workspace, { args: ['--db', db('stdio')] });
    const overStdio: unknown[] = [];
    for (const [name, input] of calls) {
      overStdio.push((await stdio.callTool({ name, arguments: input })).structuredContent);
    }
    await stdio.close();

    const plain = answers.map((answer) => {
      const { text: _, ...rest } = answer as { text?: string };
      return rest;
    });
    expect(overHttp).toEqual(plain);
    expect(overStdio).toEqual(plain);
    const kinds = async (colibri: Colibri) => {
      const rows = await colibri.events.read();
      // A client may have tried a connection before; the one that matters is the one that made calls.
      const used = rows.find(({ type }) => type === 'tool.started')?.session_id;
      return rows
        .filter(({ session_id: of }) => of === used)
        .map(({ type, payload }) => [type, JSON.parse(payload).skill_id ?? JSON.parse(payload).code ?? null]);
    };
    const [first, ...others] = await Promise.all(
      ['library', 'http', 'stdio'].map(async (name) => kinds(await open(workspace, { dbPath: db(name) }))),
    );
    expect(first?.length).toBeGreaterThan(calls.length * 2);
    for (const other of others) expect(other).toEqual(first);
  },
);
