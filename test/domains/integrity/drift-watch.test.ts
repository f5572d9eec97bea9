import { expect, onTestFinished, test, vi } from 'vitest';

import type { DriftReport } from '../../../src/domains/integrity/drift-service.ts';
import { watchDrift } from '../../../src/domains/integrity/drift-watch.ts';
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
