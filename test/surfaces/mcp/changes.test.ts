/** An edit on disk reaches connected clients without being asked for. */
import { rmSync } from 'node:fs';
import path from 'node:path';

import type { Client } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { describe, expect, test } from 'vitest';

import { CLI, sendInitialize, spawnRpc } from '../../support/rpc-process.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { connectHttp, connectStdio, skillsRoot, startHttp } from './harness.ts';

/** Generous: an idle machine needs about a tenth of a second. */
const VISIBLE_MS = 10_000;

const CHANGES = ['notifications/resources/list_changed', 'notifications/prompts/list_changed'] as const;

function workspaceWithSkill(): { readonly workspace: string; readonly root: string } {
  const workspace = temporaryDirectory();
  const root = skillsRoot(workspace);
  writeSkill(root, 'first', { description: 'Before.' });
  return { workspace, root };
}

/** Settles when both changes have been told; call it before the edit. */
function changesOf(client: Client): Promise<unknown> {
  return Promise.all(
    CHANGES.map(
      (method) =>
        new Promise<void>((resolve, reject) => {
          const timer = setTimeout(() => reject(new Error(`no ${method} in time`)), VISIBLE_MS);
          client.setNotificationHandler(method, () => {
            clearTimeout(timer);
            resolve();
          });
        }),
    ),
  );
}

async function descriptions(client: Client): Promise<readonly string[]> {
  const { skills } = await new SkillsClient(client).list();
  return skills.map(({ frontmatter }) => frontmatter.description);
}

/** Add, edit and remove, each told and then seen by whoever asks. */
async function expectEditsToArrive(client: Client, root: string): Promise<void> {
  expect(await descriptions(client)).toEqual(['Before.']);
  const edits: readonly [() => void, readonly string[]][] = [
    [() => writeSkill(root, 'second', { description: 'New.' }), ['Before.', 'New.']],
    [() => writeSkill(root, 'first', { description: 'After the edit.' }), ['After the edit.', 'New.']],
    [() => rmSync(path.join(root, 'second'), { recursive: true }), ['After the edit.']],
  ];
  for (const [edit, expected] of edits) {
    const told = changesOf(client);
    edit();
    await told;
    await expect.poll(() => descriptions(client), { timeout: VISIBLE_MS }).toEqual(expected);
    expect((await client.listPrompts()).prompts.map(({ description }) => description)).toEqual(expected);
  }
}

const LISTEN = { resourcesListChanged: true, promptsListChanged: true, toolsListChanged: true };

describe('over stdio', () => {
  test('2026-07-28: to whoever listens', async () => {
    const { workspace, root } = workspaceWithSkill();
    const client = await connectStdio(workspace);
    const subscription = await client.listen(LISTEN);
    // Tools never change, and the server does not promise what it will not tell.
    expect(subscription.honoredFilter).toEqual({ resourcesListChanged: true, promptsListChanged: true });
    await expectEditsToArrive(client, root);
  });

  test('2026-07-28: to nobody who does not', async () => {
    const { workspace, root } = workspaceWithSkill();
    const client = await connectStdio(workspace);
    const told: string[] = [];
    for (const method of CHANGES) client.setNotificationHandler(method, () => void told.push(method));
    writeSkill(root, 'second', { description: 'New.' });
    await expect.poll(() => descriptions(client), { timeout: VISIBLE_MS }).toEqual(['Before.', 'New.']);
    expect(told).toEqual([]);
  });

  test('2025-11-25: to every client', async () => {
    const { workspace, root } = workspaceWithSkill();
    await expectEditsToArrive(await connectStdio(workspace, { mode: 'legacy' }), root);
  });
});

describe('over HTTP', () => {
  test('2026-07-28: to whoever listens, every one of them', async () => {
    const { workspace, root } = workspaceWithSkill();
    const { url } = await startHttp(workspace);
    const [client, other] = [await connectHttp(url), await connectHttp(url)];
    for (const listener of [client, other]) await listener.listen(LISTEN);
    const otherTold = changesOf(other);
    await expectEditsToArrive(client, root);
    await otherTold;
  });

  test('2025-11-25: is seen by the next to ask', async () => {
    const { workspace, root } = workspaceWithSkill();
    const { url } = await startHttp(workspace);
    const client = await connectHttp(url, { mode: 'legacy' });
    writeSkill(root, 'first', { description: 'After the edit.' });
    await expect.poll(() => descriptions(client), { timeout: VISIBLE_MS }).toEqual(['After the edit.']);
  });

  test('by polling where the system cannot watch', async () => {
    const { workspace, root } = workspaceWithSkill();
    const { url } = await startHttp(workspace, { env: { COLIBRI_WATCH: 'poll' } });
    const client = await connectHttp(url);
    await client.listen(LISTEN);
    const told = changesOf(client);
    writeSkill(root, 'second', { description: 'New.' });
    await told;
    expect(await descriptions(client)).toEqual(['Before.', 'New.']);
  });
});

test('the first phase, which offers nothing that changes, is silent about edits', async () => {
  const { workspace, root } = workspaceWithSkill();
  const server = spawnRpc([CLI, 'serve', '--surface', 'phase-0'], { cwd: workspace });
  sendInitialize(server);
  await server.answer(0);
  await expect.poll(server.stderr, { timeout: VISIBLE_MS }).toContain('serving 1 skill');
  writeSkill(root, 'second');
  await expect.poll(server.stderr, { timeout: VISIBLE_MS }).toContain('skills loaded: 2');
  server.child.stdin.end();
  expect(await server.ended).toBe(0);
  expect(server.stderr()).not.toContain('mcp:');
  expect(server.stdout).toHaveLength(1);
});
