/** What the policy asks reaches the person behind the client; prompts belong to the session of the connection. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';

import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { connectHttp, connectStdio, GENERATIONS, type Mode, skillsRoot, startHttp } from './harness.ts';

function workspaceWithScript(): string {
  const workspace = temporaryDirectory();
  const root = skillsRoot(workspace);
  writeSkill(root, 'tools', { body: 'Do $ARGUMENTS.\n' });
  mkdirSync(path.join(root, 'tools', 'scripts'));
  writeFileSync(path.join(root, 'tools', 'scripts', 'a.sh'), 'echo "ran $1"\n');
  mkdirSync(path.join(workspace, 'commands'));
  writeFileSync(path.join(workspace, 'commands', 'ship.md'), 'Ship $ARGUMENTS.\n');
  writeFileSync(path.join(workspace, 'colibri.config.yaml'), 'command: { custom_dirs: [commands] }\n');
  return workspace;
}

const TRUSTED = { COLIBRI_TRUST_WORKSPACE: '1' };
const ELICITATION = { capabilities: { elicitation: { form: {} } } } as const;

type Answer = { action: 'accept'; content: { allow: boolean } } | { action: 'decline' };

function answering(client: Client, answer: Answer): string[] {
  const questions: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    questions.push(params.message);
    return answer;
  });
  return questions;
}

async function run(client: Client, more: object = {}) {
  const input = { name: 'tools', script: 'scripts/a.sh', args: ['x'], ...more };
  const { content, structuredContent } = await client.callTool({ name: 'skill_run', arguments: input });
  const [first] = content;
  const { ok, error } = structuredContent as { ok: boolean; error?: { code: string } };
  return ok && first?.type === 'text' ? first.text : error?.code;
}

describe.each(GENERATIONS)('over protocol %s', (_version, mode: Mode) => {
  test.each([
    [{ action: 'accept', content: { allow: true } } as const, 'ran x\n'],
    [{ action: 'accept', content: { allow: false } } as const, 'ASK_REFUSED'],
    [{ action: 'decline' } as const, 'ASK_REFUSED'],
  ])('on stdio an answer %j ends in %j', async (answer, outcome) => {
    const client = await connectStdio(workspaceWithScript(), { mode, env: TRUSTED, ...ELICITATION });
    const questions = answering(client, answer);
    await client.callTool({ name: 'skill_load', arguments: { name: 'tools' } });
    expect(await run(client)).toBe(outcome);
    expect(questions).toEqual([expect.stringContaining('may the skill tools run scripts/a.sh "x"?')]);
  });

  test('a client that cannot ask gets a refusal', async () => {
    const client = await connectStdio(workspaceWithScript(), { mode, env: TRUSTED });
    await client.callTool({ name: 'skill_load', arguments: { name: 'tools' } });
    expect(await run(client)).toBe('ASK_REFUSED');
  });
});

test('over HTTP the question comes as well, in a session', async () => {
  const workspace = workspaceWithScript();
  const { url } = await startHttp(workspace, { env: TRUSTED });
  const client = await connectHttp(url, ELICITATION);
  answering(client, { action: 'accept', content: { allow: true } });
  const opened = await client.callTool({ name: 'session_open', arguments: {} });
  const { data } = opened.structuredContent as { data: { session_id: string } };
  const session = { session_id: data.session_id };
  await client.callTool({ name: 'skill_load', arguments: { name: 'tools', ...session } });
  expect(await run(client, session)).toBe('ran x\n');
});

test('a prompt on stdio is a command in the session of the connection', async () => {
  const client = await connectStdio(workspaceWithScript());
  const textOf = async (name: string) => {
    const { messages } = await client.getPrompt({ name, arguments: { arguments: 'it' } });
    return messages[0]?.content.type === 'text' ? messages[0].content.text : '';
  };
  expect(await textOf('tools')).toBe('Do it.\n');
  expect(await textOf('ship')).toBe('Ship it.\n');
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['ship', 'tools']);
  // So it counts as loaded: the answer points to it.
  const { content } = await client.callTool({ name: 'skill_load', arguments: { name: 'tools' } });
  expect(content[0]).toMatchObject({ text: expect.stringContaining('was loaded earlier') });
  await expect(client.callTool({ name: 'skill_invoke', arguments: { name: 'tools' } })).rejects.toThrow(
    'no such tool',
  );
});
