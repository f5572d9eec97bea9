/** The official client against the built server, in both protocols. */
import path from 'node:path';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { CLI } from '../../support/rpc-process.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { makeTemporaryDirectory, removeTree } from '../../support/temporary.ts';

const PDF = {
  name: 'pdf',
  version: null,
  description: 'Reads PDF files.',
  capabilities: ['read'],
  greek_letter: null,
  path: '.agents/skills/pdf/SKILL.md',
  tier: 2,
  invokable_by: ['T0', 'T1', 'T2', 'T3'],
  source: 'workspace',
  source_dir: '.agents/skills/pdf',
};

async function connect(workspace: string, mode: 'auto' | 'legacy'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      // The surface whose one tool is contracted to the letter.
      args: [CLI, 'serve', '--surface', 'phase-0'],
      cwd: workspace,
      env: { HOME: workspace },
      stderr: 'ignore',
    }),
  );
  return client;
}

function workspaceWithSkills(): string {
  const workspace = makeTemporaryDirectory();
  const root = path.join(workspace, '.agents', 'skills');
  writeSkill(root, 'pdf', { description: 'Reads PDF files.', lines: ['capabilities: [read]'] });
  writeSkill(root, 'commit', { description: 'Writes commits.' });
  return workspace;
}

interface LoggedCall {
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly outcome: string;
}

function auditLog(workspace: string): LoggedCall[] {
  const db = new Database(path.join(workspace, 'data', 'colibri.db'), { readonly: true });
  try {
    return db
      .prepare<[], LoggedCall>('SELECT actor, action, subject, outcome FROM audit_log ORDER BY id')
      .all();
  } finally {
    db.close();
  }
}

describe.each([
  ['2026-07-28', 'auto'],
  ['2025-11-25', 'legacy'],
] as const)('over protocol %s', (version, mode) => {
  let workspace: string;
  let client: Client;

  beforeAll(async () => {
    workspace = workspaceWithSkills();
    client = await connect(workspace, mode);
  });

  afterAll(async () => {
    await client.close();
    removeTree(workspace);
  });

  test('the protocol is agreed on and the server says who it is', () => {
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getServerVersion()).toMatchObject({ name: 'colibri', title: 'Colibri' });
  });

  test('exactly one tool is listed, with its schema', async () => {
    const { tools } = await client.listTools();
    expect(tools).toEqual([
      {
        name: 'skill_list',
        title: 'skill_list',
        description: expect.stringContaining('List all skills'),
        inputSchema: {
          type: 'object',
          properties: {
            search: { type: 'string', description: expect.any(String) },
            capability: { type: 'string', description: expect.any(String) },
          },
        },
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
    ]);
  });

  test('a good call answers with the envelope, as structure and as the same JSON text', async () => {
    const result = await client.callTool({ name: 'skill_list', arguments: { capability: 'read' } });
    const envelope = { ok: true, data: { skills: [PDF], total_count: 1 } };
    expect(result.structuredContent).toEqual(envelope);
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(envelope) }]);
    expect(result.isError).toBe(undefined);
  });

  test('bad input is an answer with isError and the INVALID_PARAMS envelope', async () => {
    const result = await client.callTool({ name: 'skill_list', arguments: { search: 7 } });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toEqual({
      ok: false,
      error: {
        code: 'INVALID_PARAMS',
        message: 'schema validation failed',
        details: { issues: [expect.objectContaining({ path: ['search'], code: 'invalid_type' })] },
      },
    });
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }]);
  });

  test('an unknown tool is a protocol error that names it', async () => {
    await expect(client.callTool({ name: 'skill_lits', arguments: {} })).rejects.toThrow(
      'no such tool: skill_lits',
    );
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  test('every call leaves one row in the audit log, also a refused one', async () => {
    const before = auditLog(workspace).length;
    await client.callTool({ name: 'skill_list', arguments: {} });
    await client.callTool({ name: 'skill_list', arguments: { search: 7 } });
    await Promise.all([1, 2, 3].map(() => client.callTool({ name: 'skill_list', arguments: {} })));
    // No waiting: an answer means that its row is safe.
    const row = { actor: 'stdio', action: 'tool.call', subject: 'skill_list' };
    expect(auditLog(workspace).slice(before)).toEqual([
      { ...row, outcome: 'ok' },
      { ...row, outcome: 'INVALID_PARAMS' },
      { ...row, outcome: 'ok' },
      { ...row, outcome: 'ok' },
      { ...row, outcome: 'ok' },
    ]);
  });
});
