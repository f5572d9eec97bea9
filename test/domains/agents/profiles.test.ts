import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { toolRefusal } from '../../../src/domains/agents/permissions.ts';
import { parseProfile } from '../../../src/domains/agents/profile.ts';
import { req } from '../../requirements.ts';
import { fences } from '../../support/markdown.ts';
import { agentWorld, profileText } from './agent-world.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/agents.md'), 'utf8');

function put(root: string, name: string, text: string): string {
  const folder = path.join(root, '.colibri/agents');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${name}.yaml`);
  writeFileSync(file, text);
  return file;
}

describe('a profile', () => {
  it(req('C1-profile-1', 'is what its file says, with the defaults that the page promises'), async () => {
    const { agents, workspace } = agentWorld();
    const file = put(workspace, 'fixer', fences(page, 'yaml')[0]?.text ?? '');
    expect(await agents.profiles()).toEqual([
      {
        agent_type: 'fixer',
        description: 'Repairs small things.',
        agent_tier: 'T3',
        pool: 'implementation',
        skills: ['fix-typos'],
        permissions: { tools: ['skill_*', 'Read', 'Edit'], write_access: true, admin_access: false },
        limits: { max_concurrent_tasks: 1, token_budget: 100_000, timeout_ms: 300_000 },
        history: { success_rate: 0, avg_duration_ms: 0, total_runs: 0 },
        runtime: {
          driver: 'stdio',
          command: ['node', path.join(path.dirname(file), 'fixer.mjs')],
          env: ['FIXER_API_KEY'],
          init_timeout_ms: 30_000,
          stall_timeout_ms: 600_000,
          usage: 'required',
        },
        path: file,
        source: 'workspace',
        last_assigned_at: null,
      },
    ]);
  });

  it('starts its history where the file says, until a run is recorded', async () => {
    const { agents, workspace } = agentWorld();
    const history = { success_rate: 0.95, avg_duration_ms: 45_000, total_runs: 142 };
    put(workspace, 'worker', JSON.stringify({ ...JSON.parse(profileText({})), history }));
    expect((await agents.profile('worker')).history).toEqual(history);
    await agents.allocate({ taskId: 'task', profile: 'worker', epoch: 1 });
    const profile = await agents.profile('worker');
    expect(profile.history).toEqual(history);
    expect(profile.last_assigned_at).not.toBeNull();
  });

  const named = (agent_type: string): string =>
    JSON.stringify({ ...JSON.parse(profileText({})), agent_type });

  it.each([
    [named('Worker'), 'agent_type: use lower-case letters'],
    [named('other'), 'agent_type is other; rename the file to other.yaml'],
    ['a: [1\n', 'is not valid YAML (line'],
    ['x: &a 1\n', 'is not valid YAML'],
  ])('%j is refused with its reason', (text, reason) => {
    const parsed = parseProfile(text, '/w/.colibri/agents/worker.yaml');
    expect(parsed.ok ? '' : parsed.problem).toContain(reason);
  });

  it('with an unknown key or a shell line as its command is refused', () => {
    const wrong = { ...JSON.parse(profileText({})), comand: 1, runtime: { command: 'rm -rf /' } };
    const parsed = parseProfile(JSON.stringify(wrong), '/w/worker.yaml');
    expect(parsed).toMatchObject({ ok: false });
    expect(parsed.ok ? '' : parsed.problem).toMatch(
      /runtime\.command: .*expected array.*; unknown key comand/,
    );
  });

  it('of the workspace runs only when somebody vouched for its very bytes', async () => {
    const asked: unknown[] = [];
    const { agents, workspace, home } = agentWorld({
      isTrusted: async (file, digest) => {
        asked.push([path.basename(file), digest.length]);
        return false;
      },
    });
    put(workspace, 'worker', profileText({}));
    put(home, 'worker', profileText({}));
    expect((await agents.profileReport()).map(({ state, source }) => [source, state])).toEqual([
      ['workspace', 'untrusted'],
      ['global', 'shadowed'],
    ]);
    expect(asked).toEqual([['worker.yaml', 64]]);
    expect(await agents.profiles()).toEqual([]);
    const refusal = agents.allocate({ taskId: 'task', profile: 'worker', epoch: 1 });
    await expect(refusal).rejects.toMatchObject({ code: 'PROFILE_UNTRUSTED' });
  });

  it('that is a link, too large or not UTF-8 is reported, not read', async () => {
    const { agents, workspace } = agentWorld();
    const folder = path.dirname(put(workspace, 'large', ' '.repeat(70_000)));
    symlinkSync('/etc/passwd', path.join(folder, 'link.yaml'));
    writeFileSync(path.join(folder, 'latin.yaml'), Buffer.from([0xff, 0xfe]));
    const report = await agents.profileReport();
    expect(
      report.map((entry) => [path.basename(entry.path), 'problem' in entry ? entry.problem : '']),
    ).toEqual([
      ['large.yaml', 'cannot be read: it is too-large'],
      ['latin.yaml', 'is not UTF-8 text; save it as UTF-8'],
      ['link.yaml', expect.stringContaining('ELOOP')],
    ]);
  });

  it('that was saved can be read again', async () => {
    const { agents } = agentWorld();
    const definition = JSON.parse(profileText({}));
    const { path: file } = await agents.saveProfile(definition);
    expect(await agents.profile('worker')).toMatchObject({ ...definition, path: file });
    await expect(agents.saveProfile({ ...definition, agent_type: '../evil' })).rejects.toMatchObject({
      code: 'PROFILE_INVALID',
    });
  });

  it('that nobody wrote is told with the nearest name', async () => {
    const { agents, profile } = agentWorld();
    profile();
    await expect(agents.profile('worked')).rejects.toThrow('did you mean worker?');
  });
});

describe('permissions', () => {
  const permissions = { tools: ['skill_*', 'task_list'], write_access: true, admin_access: false };
  const profile = { agent_type: 'worker', permissions };

  it.each([
    ['skill_load', null],
    ['task_list', null],
    ['task_update', null],
    ['thought_record', null],
    ['agent_list', 'add it to permissions.tools'],
    ['agent_spawn', 'no admin_access'],
  ])('%s: %s', (tool, reason) => {
    const refusal = toolRefusal(profile, tool);
    if (reason === null) expect(refusal).toBeNull();
    else expect(refusal).toContain(reason);
  });

  it('open agent_spawn only with admin access and by name', () => {
    const admin = { ...profile, permissions: { ...permissions, admin_access: true } };
    expect(toolRefusal(admin, 'agent_spawn')).toContain('add it to permissions.tools');
    const both = { ...admin, permissions: { ...admin.permissions, tools: ['agent_spawn'] } };
    expect(toolRefusal(both, 'agent_spawn')).toBeNull();
  });
});
