/** Strategies choose the same profile for the same facts, and never a worse one for better facts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { STRATEGIES } from '../../../src/domains/tasks/schema.ts';
import {
  type Candidate,
  choose,
  isFull,
  medianDuration,
  queuePriority,
  rank,
  score,
} from '../../../src/domains/tasks/strategies.ts';
import { req } from '../../requirements.ts';

const candidate = (name: string, facts: Partial<Facts> = {}): Candidate => {
  const { active, max, rate, runs, duration, assigned, skills } = { ...PLAIN, ...facts };
  return {
    profile: {
      agent_type: name,
      skills: Array.from({ length: skills }, (_, index) => `skill-${index}`),
      limits: { max_concurrent_tasks: max, token_budget: 1, timeout_ms: 1 },
      history: { success_rate: rate, avg_duration_ms: duration, total_runs: runs },
      last_assigned_at: assigned,
    },
    active,
    required: 1,
  };
};

interface Facts {
  readonly active: number;
  readonly max: number;
  readonly rate: number;
  readonly runs: number;
  readonly duration: number;
  readonly assigned: string | null;
  readonly skills: number;
}
const PLAIN: Facts = { active: 0, max: 2, rate: 0.5, runs: 10, duration: 1000, assigned: null, skills: 2 };

const facts = fc.record({
  active: fc.integer({ min: 0, max: 6 }),
  max: fc.integer({ min: 1, max: 6 }),
  rate: fc.double({ min: 0, max: 1, noNaN: true }),
  runs: fc.integer({ min: 0, max: 200 }),
  duration: fc.double({ min: 1, max: 1e7, noNaN: true }),
  assigned: fc.option(fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z')),
  skills: fc.integer({ min: 0, max: 5 }),
});
const pools = fc
  .array(facts, { maxLength: 8 })
  .map((all) => all.map((each, index) => candidate(`p${index}`, each)));
const strategies = fc.constantFrom(...STRATEGIES);

describe('every strategy', () => {
  test('gives the same answer whatever the order of its input', () => {
    fc.assert(
      fc.property(strategies, pools, fc.infiniteStream(fc.integer()), (strategy, pool, keys) => {
        const shuffled = [...pool]
          .map((each) => ({ each, key: Number(keys.next().value) }))
          .sort((a, b) => a.key - b.key)
          .map(({ each }) => each);
        expect(rank(strategy, shuffled)).toEqual(rank(strategy, pool));
      }),
    );
  });

  test('never chooses a full profile, and somebody whenever one has room', () => {
    fc.assert(
      fc.property(strategies, pools, (strategy, pool) => {
        const chosen = choose(strategy, pool);
        expect(chosen === null).toBe(pool.every(isFull));
        expect(chosen === null || !isFull(chosen)).toBe(true);
      }),
    );
  });
});

describe('a score', () => {
  test('is between 0 and 1', () => {
    fc.assert(
      fc.property(pools, (pool) => {
        for (const each of pool) {
          const { total } = score(each, medianDuration(pool));
          expect(total).toBeGreaterThanOrEqual(0);
          expect(total).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test(req('C1-cv-2', 'is not lowered by more room or by better history'), () => {
    fc.assert(
      fc.property(
        facts,
        fc.integer({ min: 0, max: 3 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (each, more, better) => {
          const total = (changed: Partial<Facts>) =>
            score(candidate('p', { ...each, ...changed }), 1000).total;
          const now = total({});
          expect(total({ max: each.max + more })).toBeGreaterThanOrEqual(now);
          expect(total({ active: Math.max(0, each.active - more) })).toBeGreaterThanOrEqual(now);
          expect(total({ rate: Math.max(each.rate, better) })).toBeGreaterThanOrEqual(now - 1e-12);
          expect(total({ duration: each.duration / (1 + more) })).toBeGreaterThanOrEqual(now);
        },
      ),
    );
  });

  test('puts a new profile between a good and a bad one', () => {
    const names = (['good', 'new', 'bad'] as const).map((name) =>
      candidate(name, { rate: name === 'good' ? 1 : 0, runs: name === 'new' ? 0 : 50 }),
    );
    expect(rank('CAPACITY_AWARE', names).map(({ profile }) => profile.agent_type)).toEqual([
      'good',
      'new',
      'bad',
    ]);
  });
});

describe('each strategy in its own way', () => {
  const chosen = (strategy: (typeof STRATEGIES)[number], pool: readonly Candidate[]) =>
    choose(strategy, pool)?.profile.agent_type;

  test('FIFO and PRIORITY_QUEUE take the first by name', () => {
    const pool = [candidate('b'), candidate('a', { active: 1 })];
    expect([chosen('FIFO', pool), chosen('PRIORITY_QUEUE', pool)]).toEqual(['a', 'a']);
  });

  test('ROUND_ROBIN takes whoever has waited longest', () => {
    const pool = [
      candidate('a', { assigned: '2026-02-01T00:00:00.000Z' }),
      candidate('b', { assigned: '2026-01-01T00:00:00.000Z' }),
    ];
    expect(chosen('ROUND_ROBIN', pool)).toBe('b');
    expect(chosen('ROUND_ROBIN', [...pool, candidate('c')])).toBe('c');
  });

  test('LEAST_LOADED takes whoever has least to do', () => {
    expect(chosen('LEAST_LOADED', [candidate('a', { active: 1 }), candidate('b')])).toBe('b');
  });

  test('CAPACITY_AWARE weighs room, success, speed and fit', () => {
    const busy = candidate('a', { active: 1, rate: 1, runs: 100 });
    const free = candidate('b', { rate: 0.9, runs: 100 });
    expect(chosen('CAPACITY_AWARE', [busy, free])).toBe('b');
    expect(score(free, 1000)).toEqual({
      headroom: 1,
      success: expect.closeTo(0.8905, 4),
      speed: 1,
      fit: 0.5,
      total: expect.closeTo(0.9117, 4),
    });
  });

  test('under FIFO the priority of a task does not count', () => {
    expect([
      queuePriority({ strategy: 'FIFO', priority: 9 }),
      queuePriority({ strategy: 'ROUND_ROBIN', priority: 9 }),
    ]).toEqual([0, 9]);
  });
});
