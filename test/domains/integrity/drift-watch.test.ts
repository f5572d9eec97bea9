import path from 'node:path';

import { expect, onTestFinished, test, vi } from 'vitest';

import type { DriftReport } from '../../../src/domains/integrity/drift-service.ts';
import { watchDrift } from '../../../src/domains/integrity/drift-watch.ts';
import { startup } from '../../../src/startup.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { mirrorWorld } from './mirror-world.ts';

test('a running server tells of drift after a change and now and then, and the same state once', async () => {
  const world = await mirrorWorld();
  world.skill('canonical', 'one');
  await world.runtime.sync.sync();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const reports: Promise<DriftReport>[] = [];
  const check = () => {
    const report = world.runtime.drift.check();
    reports.push(report);
    return report;
  };
  const watch = watchDrift({
    drift: { check },
    skills: world.runtime.skills,
    logger: (...words) => void lines.push(words.join(' ')),
  });
  const pass = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    await Promise.all(reports);
    // The next timer is set in the turn after the report.
    await new Promise<void>((resolve) => setImmediate(resolve));
  };
  await pass(1000);
  expect([reports.length, lines]).toEqual([1, []]);
  world.write('.claude/skills/one/extra.txt', 'x');
  await pass(60_000);
  expect(lines).toEqual(['[colibri] drift in .claude/skills: one (`colibri drift` tells what)']);
  await pass(60_000);
  expect([reports.length, lines.length]).toEqual([3, 1]);
  world.skill('canonical', 'two');
  await world.runtime.skills.reload();
  await pass(1000);
  expect(lines.at(-1)).toContain('one, two');
  await watch.close();
  await pass(120_000);
  expect(reports.length).toBe(4);
});

test('a server that listens finds drift by itself', async () => {
  const base = temporaryDirectory();
  const workspace = path.join(base, 'work');
  writeSkill(path.join(workspace, '.agents/skills'), 'one');
  writeSkill(path.join(workspace, '.claude/skills'), 'one', { body: 'tampered\n' });
  const lines: string[] = [];
  const runtime = await startup({
    ...{ workspace, home: path.join(base, 'home'), env: {}, transport: 'http', http: { port: '0' } },
    logger: (...words) => void lines.push(words.join(' ')),
    exit: () => undefined,
  });
  onTestFinished(() => runtime.close());
  await vi.waitFor(() => expect(lines.join('\n')).toContain('drift in .claude/skills: one'), {
    timeout: 10_000,
    interval: 50,
  });
  const kinds = (await runtime.events.read({ types: ['skill.warning'] })).map(
    ({ payload }) => (JSON.parse(payload) as { kind: string }).kind,
  );
  expect(kinds).toContain('drift');
});
