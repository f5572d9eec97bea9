/** What the two surfaces offer. */
import { describe, expect, test } from 'vitest';

import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { connectHttp, connectStdio, GENERATIONS, skillsRoot, startHttp } from './harness.ts';

/** A client pays for this list in every conversation. */
const TOOLS_BYTES_MAX = 8 * 1024;

function workspaceWithSkill(): string {
  const workspace = temporaryDirectory();
  writeSkill(skillsRoot(workspace), 'one');
  return workspace;
}

describe.each(GENERATIONS)('over protocol %s', (_version, mode) => {
  test('phase-0 is one tool and nothing else', async () => {
    const client = await connectStdio(workspaceWithSkill(), { mode, args: ['--surface', 'phase-0'] });
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: false } });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['skill_list']);
    await expect(client.request({ method: 'prompts/list' })).rejects.toThrow(/method not found|not support/i);
    await expect(client.request({ method: 'resources/list' })).rejects.toThrow(
      /method not found|not support/i,
    );
  });

  test('full is every tool, prompts, resources and skills', async () => {
    const { url } = await startHttp(workspaceWithSkill());
    const client = await connectHttp(url, { mode });
    expect(client.getServerCapabilities()).toEqual({
      tools: { listChanged: false },
      prompts: { listChanged: true },
      resources: { listChanged: true },
      extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
    });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['skill_list', 'skill_get', 'skill_reload']),
    );
  });
});

test('the list of tools is small, and in the same order every time', async () => {
  const { url } = await startHttp(workspaceWithSkill());
  const client = await connectHttp(url);
  const { tools } = await client.listTools();
  const bytes = Buffer.byteLength(JSON.stringify(tools));
  process.stdout.write(`tools/list: ${tools.length} tools, ${bytes} bytes\n`);
  expect(bytes).toBeLessThan(TOOLS_BYTES_MAX);
  expect((await client.listTools({}, { cacheMode: 'refresh' })).tools).toEqual(tools);
});

describe('skill_list on the full surface', () => {
  const call = async (given: Readonly<Record<string, unknown>>) => {
    const workspace = temporaryDirectory();
    for (const name of ['a', 'b', 'c']) writeSkill(skillsRoot(workspace), name);
    const client = await connectHttp((await startHttp(workspace)).url);
    return (await client.callTool({ name: 'skill_list', arguments: given })).structuredContent;
  };
  const named = (name: string) => expect.objectContaining({ name });

  test('pages by limit and cursor', async () => {
    expect(await call({ limit: 2 })).toEqual({
      ok: true,
      data: { skills: [named('a'), named('b')], total_count: 3, next_cursor: 'b' },
    });
    expect(await call({ limit: 2, cursor: 'b' })).toEqual({
      ok: true,
      data: { skills: [named('c')], total_count: 3 },
    });
    expect(await call({ limit: 3 })).not.toHaveProperty('data.next_cursor');
    expect(await call({ cursor: 'zzz' })).toEqual({ ok: true, data: { skills: [], total_count: 3 } });
  });

  test.each([0, -1, 1.5, 1e9, '2'])('a limit of %j is refused', async (limit) => {
    expect(await call({ limit })).toMatchObject({ ok: false, error: { code: 'INVALID_PARAMS' } });
  });
});
