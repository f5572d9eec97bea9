/** The catalog and the events of a session depend on the files and the calls alone. */
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Runtime } from '../../../src/startup.ts';
import { req } from '../../requirements.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { testSession, testSessions } from './harness.ts';

const NAMES = ['alpha', 'beta', 'delta', 'gamma'] as const;
const RUNS = 25;

const library = fc.dictionary(
  fc.constantFrom(...NAMES),
  fc.record({
    description: fc.string({ minLength: 1, maxLength: 80 }).map((text) => `D ${text}`),
    body: fc.string({ unit: 'grapheme', maxLength: 200 }),
  }),
  { minKeys: 1 },
);
const call = fc.oneof(
  fc.record({
    tool: fc.constant('skill_load'),
    input: fc.record({ name: fc.constantFrom(...NAMES, 'nobody') }),
  }),
  fc.record({
    tool: fc.constant('skill_search'),
    input: fc.record({ query: fc.constantFrom('', 'a', 'd', 'zz') }),
  }),
  fc.record({
    tool: fc.constant('skill_read'),
    input: fc.record({ name: fc.constantFrom(...NAMES), path: fc.constantFrom('a.md', '../x') }),
  }),
);

function writeLibrary(
  root: string,
  skills: Readonly<Record<string, { description: string; body: string }>>,
): void {
  rmSync(root, { recursive: true, force: true });
  for (const [name, text] of Object.entries(skills)) writeSkill(root, name, text);
}

/** Everything of the events that is not an id, a time, or made from one. */
async function eventsOf(runtime: Runtime, session: string): Promise<unknown> {
  const rows = await runtime.events.ofSession(session);
  const ids = new Map(rows.map(({ id }, index) => [id, `#${index}`]));
  const plain = (text: string) => text.replaceAll(/[0-9A-Z]{26}/g, (id) => ids.get(id) ?? 'session');
  return rows.map(({ type, actor, parent_id, payload, sensitivity }) => {
    const { generation: _, ...rest } = JSON.parse(plain(payload));
    return { type, actor, parent: parent_id && plain(parent_id), payload: rest, sensitivity };
  });
}

describe('the same files and the same calls', () => {
  test(
    req(
      ['O-replay-1', 'M-discovery-4', 'M-invariant-5'],
      'give the same catalog bytes, the same answers and the same events',
    ),
    async () => {
      const clock = fixedClock();
      const place = temporaryDirectory();
      const first = await testSessions({ clock, workspace: path.join(place, 'a', 'work') });
      const second = await testSessions({ clock, workspace: path.join(place, 'b', 'work') });
      const calls = fc.array(call, { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(library, calls, fc.boolean(), async (skills, made, preload) => {
          writeLibrary(first.root, skills);
          rmSync(second.root, { recursive: true, force: true });
          cpSync(first.root, second.root, { recursive: true });
          const seen: unknown[] = [];
          for (const { runtime, reload } of [first, second]) {
            await reload();
            const { id } = await runtime.sessions.open({ preload: preload && { floor: 60, ceiling: 90 } });
            const session = testSession(runtime, id);
            const answers: unknown[] = [];
            for (const { tool, input } of made) answers.push(await session.call(tool, input));
            const catalogs = [await session.catalog(), await session.catalog('xml')];
            seen.push({ catalogs, answers, events: await eventsOf(runtime, id) });
            expect(await runtime.replay(id, { live: false })).toMatchObject({
              equal: true,
              difference: null,
            });
            expect([await session.catalog(), await session.catalog('xml')]).toEqual(catalogs);
          }
          expect(seen[0]).toEqual(seen[1]);
        }),
        { numRuns: RUNS },
      );
    },
  );
});

describe('the catalog within its budget and without preload', () => {
  test(
    req(['M-cache-1', 'M-cache-2', 'O-contract-3'], 'changes with names and descriptions, never with bodies'),
    async () => {
      const sessions = await testSessions();
      const text = async () => (await sessions.open()).catalog();
      const body = fc.string({ unit: 'grapheme', maxLength: 300 });
      await fc.assert(
        fc.asyncProperty(library, body, fc.constantFrom(...NAMES), async (skills, other, name) => {
          writeLibrary(sessions.root, skills);
          await sessions.reload();
          const before = await text();
          const edited = Object.entries(skills).map(([key, skill]) => [key, { ...skill, body: other }]);
          writeLibrary(sessions.root, Object.fromEntries(edited));
          await sessions.reload();
          expect(await text()).toBe(before);
          const had = skills[name];
          const without = Object.fromEntries(Object.entries(skills).filter(([key]) => key !== name));
          const described = { ...skills, [name]: { description: `New: ${had?.description}`, body: other } };
          writeLibrary(sessions.root, described);
          await sessions.reload();
          expect(await text()).not.toBe(before);
          writeLibrary(sessions.root, without);
          await sessions.reload();
          if (had !== undefined) expect(await text()).not.toBe(before);
          for (const skill of Object.values(skills)) {
            if (skill.body.length > 20) expect(before).not.toContain(skill.body);
          }
        }),
        { numRuns: RUNS },
      );
    },
  );
});
