import { z } from 'zod';

import { withoutPaths } from '../problem.ts';
import { type Route, route } from '../route.ts';
import { flag } from '../schemas.ts';

const installed = z
  .object({
    name: z.string(),
    state: z
      .enum(['ok', 'changed', 'missing', 'source'])
      .describe('`missing`: the whole folder is gone; `source`: the folder that it came from differs'),
    source: z.string(),
    commit: z.string().nullable(),
    digest: z.string(),
    differences: z.array(
      z.object({
        path: z.string(),
        change: z.enum(['missing', 'added', 'changed', 'mode', 'not-a-file']),
        expected: z.string().nullable(),
        found: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'InstalledSkill' });

const outdated = z
  .object({
    name: z.string(),
    state: z.enum(['current', 'outdated', 'gone', 'failed']),
    source: z.string(),
    ref: z.string().nullable(),
    commit: z.object({ from: z.string().nullable(), to: z.string().nullable() }),
    digest: z.object({ from: z.string(), to: z.string().nullable() }),
    reason: z.string().nullable().describe('why it failed, or what is gone'),
  })
  .meta({ id: 'OutdatedSkill' });

/** Skills are brought in and taken away on the command line, where somebody can be asked. */
export const INSTALLED_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/installed',
    id: 'listInstalled',
    tag: 'installed',
    summary: 'the installed skills, every file compared with the lock; with `global` those of the user',
    query: z.object({ global: flag }),
    answer: z.object({ ok: z.boolean(), items: z.array(installed) }).meta({ id: 'Installed' }),
    handle: async ({ query }, { services: { install, config } }) => {
      const { ok, skills } = await install.verify(query);
      return {
        ok,
        items: skills.map((skill) => ({ ...skill, source: withoutPaths(skill.source, config) })),
      };
    },
  }),
  route({
    method: 'get',
    path: '/v1/installed/outdated',
    id: 'listOutdated',
    tag: 'installed',
    summary: 'which of them their sources have in another state; asks only sources that the policy allows',
    query: z.object({ global: flag }),
    answer: z.object({ items: z.array(outdated) }).meta({ id: 'Outdated' }),
    handle: async ({ query }, { services: { install, config } }) => {
      const skills = await install.outdated(query);
      return {
        items: skills.map((skill) => ({
          ...skill,
          source: withoutPaths(skill.source, config),
          reason: skill.reason === null ? null : withoutPaths(skill.reason, config),
        })),
      };
    },
  }),
];
