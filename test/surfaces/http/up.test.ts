/** `colibri up` as a person starts it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, onTestFinished, test } from 'vitest';

import { CLI } from '../../support/rpc-process.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { skillsRoot } from './harness.ts';

function up(workspace: string, ...words: string[]): ChildProcess {
  const child = spawn(process.execPath, [CLI, 'up', ...words], {
    cwd: workspace,
    env: { HOME: temporaryDirectory() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

/** What a stream has brought until it holds the text. */
async function printed(child: ChildProcess, stream: 'stdout' | 'stderr', until: string): Promise<string> {
  let text = '';
  for await (const chunk of child[stream] ?? []) {
    text += String(chunk);
    if (text.includes(until)) return text;
  }
  return text;
}

test('prints where everything is and how to connect, serves it, and ends with a signal', async () => {
  const workspace = temporaryDirectory();
  writeSkill(skillsRoot(workspace), 'one');
  const child = up(workspace, '--port', '0');
  const text = await printed(child, 'stdout', 'Ctrl+C');
  const origin = /page\s+(http:\/\/127\.0\.0\.1:\d+)\//.exec(text)?.[1] ?? '';
  expect(text).toContain('1 skill from .agents/skills');
  expect(text).toContain(`claude mcp add --transport http colibri ${origin}/mcp`);
  expect(text).toContain(`{"mcpServers":{"colibri":{"type":"http","url":"${origin}/mcp"}}}`);
  const page = await fetch(`${origin}/skills/one`);
  expect(await page.text()).toContain('<title>Colibri</title>');
  expect(page.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
  expect(await (await fetch(`${origin}/healthz`)).json()).toEqual({ status: 'ok' });
  writeSkill(skillsRoot(workspace), 'two');
  const status = async () => (await fetch(`${origin}/v1/status`)).json();
  await expect.poll(status, { timeout: 10_000 }).toMatchObject({ skills: 2 });
  const second = up(workspace, '--port', new URL(origin).port);
  expect(await printed(second, 'stderr', '--port')).toContain(
    'the port is taken; choose another with --port',
  );
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  // A bundle that cannot load the native watcher says so here.
  expect(String(child.stderr?.read() ?? '')).not.toContain('polling instead');
}, 60_000);
