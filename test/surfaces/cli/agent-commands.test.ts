/** `agent list`, `agent show`, `agent profile` and `agent reconcile`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { startup } from '../../../src/startup.ts';
import { profileText } from '../../domains/agents/agent-world.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri } from './harness.ts';

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A workspace with the profile `worker`. */
function workspace(): Place {
  const cwd = temporaryDirectory();
  const folder = path.join(cwd, '.colibri/agents');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'worker.yaml'), profileText({}));
  return { cwd, env: { COLIBRI_TRUST_WORKSPACE: '1' } };
}

async function withAgents({ cwd, env }: Place): Promise<readonly [string, string]> {
  const runtime = await startup({ workspace: cwd, home: cwd, env, logger: () => undefined });
  const agents = await runtime.agents();
  const first = await agents.allocate({ taskId: 'task-1', profile: 'worker', epoch: 1 });
  const second = await agents.allocate({ taskId: 'task-2', profile: 'worker', epoch: 1 });
  const how = { actor: 'test', reason: 'it \u001b[2Jbroke', code: 'CRASH' } as const;
  await agents.transition(first.id, 'FAILED', how);
  await runtime.close();
  return [first.id, second.id];
}

describe('agent list', () => {
  test('a pipe gets the newest first, with the code of a failure', async () => {
    const place = workspace();
    const [first, second] = await withAgents(place);
    const { stdout, code } = await colibri(['agent', 'list'], place);
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.split('\t').slice(0, 5))).toEqual([
      [second, 'PENDING', 'worker', 'task-2', '-'],
      [first, 'FAILED CRASH', 'worker', 'task-1', '-'],
      [''],
    ]);
    const failed = await colibri(['agent', 'list', '--state', 'FAILED', '--json'], place);
    expect(JSON.parse(failed.stdout)).toMatchObject({ agents: [{ id: first }], more: false });
  });

  test('ids are whole on a terminal of 80 columns', async () => {
    const place = workspace();
    const [first] = await withAgents(place);
    const { stdout } = await colibri(['agent', 'list', '--no-color'], { ...place, terminal: 80 });
    expect(stdout).toContain(`${first}  FAILED CRASH  worker   -`);
  });
});

describe('agent show', () => {
  test('tells why an agent failed, without steering the terminal', async () => {
    const place = workspace();
    const [first, second] = await withAgents(place);
    const { stdout } = await colibri(['agent', 'show', first], place);
    expect(stdout).toContain('failed\tCRASH: it \\u{1b}[2Jbroke\n');
    const last = await colibri(['agent', 'show', 'last', '--json'], place);
    expect(JSON.parse(last.stdout)).toMatchObject({ id: second, state: 'PENDING' });
  });

  test('an agent that is not there is an error', async () => {
    expect(await colibri(['agent', 'show', 'nobody'], workspace())).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('(AGENT_NOT_FOUND)'),
    });
  });
});

describe('agent profile', () => {
  test('an unusable file is named with its reason, and is a finding', async () => {
    const place = workspace();
    writeFileSync(path.join(place.cwd, '.colibri/agents/bad.yaml'), 'agent_type: bad\n');
    const { code, stdout, stderr } = await colibri(['agent', 'profile', '--no-color'], {
      ...place,
      terminal: 100,
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^PROFILE .*\nbad\.yaml +invalid .*\nworker +usable +implementation +0 +- +workspace\n$/,
    );
    expect(stderr).toContain('bad.yaml skills: is missing; permissions: is missing;');
  });

  test('one that nobody vouched for says how to', async () => {
    const own = { cwd: workspace().cwd, home: temporaryDirectory() };
    const { code, stderr } = await colibri(['agent', 'profile', 'worker'], own);
    expect(code).toBe(3);
    expect(stderr).toContain('colibri trust worker.yaml');
    const trusted = await colibri(['trust', 'worker.yaml'], own);
    expect(trusted.code).toBe(0);
    const shown = await colibri(['agent', 'profile', 'worker', '--json'], own);
    expect(JSON.parse(shown.stdout)).toMatchObject({ agent_type: 'worker', source: 'workspace' });
  });
});

test('agent reconcile says when there was nothing to do', async () => {
  const { code, stdout, stderr } = await colibri(['agent', 'reconcile'], workspace());
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'nothing had to be set right\n' });
});
