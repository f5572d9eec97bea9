import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { describe, expect, it, onTestFinished } from 'vitest';

import { req } from '../../requirements.ts';
import { type AgentWorld, agentWorld } from './agent-world.ts';

/** A supervisor of the world in another process, at the moment its agent has done its phase. */
async function startSupervisor({ base }: AgentWorld): Promise<{ child: ChildProcess; agentId: string }> {
  const program = fileURLToPath(new URL('./supervisor-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program, base], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, agentId: line.toString().trim() };
}

describe('after a supervisor was killed', () => {
  it(
    req('C1-spawn-3', 'the next one ends its agent and every process of it, and keeps its work'),
    async () => {
      const world = agentWorld();
      world.profile({ mode: 'forks' });
      const { child, agentId } = await startSupervisor(world);
      while (world.leftOf(agentId).length < 4) await new Promise((next) => setTimeout(next, 20));
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(world.leftOf(agentId).length).toBeGreaterThan(0);
      expect(await world.agents.status(agentId)).toMatchObject({ state: 'BUSY' });
      expect(world.git('worktree', 'list', '--porcelain')).toMatch(/^locked/m);

      const { lost, killed } = await world.agents.reconcile();
      expect(lost.map(({ id, fail_code }) => [id, fail_code])).toEqual([[agentId, 'HOST_LOST']]);
      expect(killed.length).toBeGreaterThan(0);
      expect(world.leftOf(agentId)).toEqual([]);
      expect((await world.agents.profile('worker')).history.total_runs).toBe(0);
      const rows = await world.events.read({ stream: `agent:${agentId}` });
      expect(rows.at(-1)?.type).toBe('agent.warning');
      expect(world.git('worktree', 'list', '--porcelain')).not.toMatch(/^locked/m);
      expect(await world.agents.reconcile()).toMatchObject({ lost: [], killed: [] });
    },
  );

  it('an agent whose supervisor lives is left alone', async () => {
    const world = agentWorld();
    world.profile();
    const { child, agentId } = await startSupervisor(world);
    const { lost, killed, kept } = await world.agents.reconcile();
    expect({ lost, killed }).toEqual({ lost: [], killed: [] });
    expect(kept.map(({ reason }) => reason)).toEqual([`agent ${agentId} works in it`]);
    expect(world.leftOf(agentId).length).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await world.agents.reconcile();
    expect(world.leftOf(agentId)).toEqual([]);
  });

  it('an agent that nobody has taken on yet stays PENDING', async () => {
    const world = agentWorld();
    world.profile();
    const { id } = await world.agents.allocate({ taskId: 'task', profile: 'worker', epoch: 1 });
    expect((await world.agents.reconcile()).lost).toEqual([]);
    expect((await world.agents.status(id)).state).toBe('PENDING');
  });

  it('a worktree that was merged meanwhile goes, one that was not stays', async () => {
    const world = agentWorld();
    world.profile();
    const { branch, worktree } = await world.run({ phases: ['GATHER'] });
    expect((await world.agents.reconcile()).kept).toEqual([
      { worktree, reason: 'its branch has 1 commit that main has not' },
    ]);
    world.git('merge', '-q', branch ?? '');
    expect(await world.agents.reconcile()).toMatchObject({ removed: [worktree], kept: [] });
  });

  it('a process that an ended agent left is killed; one of an agent we do not know is not', async () => {
    const world = agentWorld();
    world.profile();
    const { agentId } = await world.run({ phases: ['GATHER'] });
    const stray = (id: string) => {
      const child = spawn('sleep', ['60'], { env: { PATH: process.env['PATH'], COLIBRI_AGENT_ID: id } });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    };
    const [ours, theirs] = [stray(agentId), stray('01UNKNOWNTOTHISDATABASE')];
    const gone = once(ours, 'exit');
    expect((await world.agents.reconcile()).killed).toEqual([ours.pid]);
    await gone;
    expect(theirs.exitCode).toBeNull();
  });
});
