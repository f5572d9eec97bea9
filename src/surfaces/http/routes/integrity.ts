import { z } from 'zod';

import { type Route, route } from '../route.ts';
import { flag } from '../schemas.ts';

const fileFacts = z
  .object({
    kind: z.string(),
    size: z.int().nullable(),
    mode: z.string().nullable(),
    digest: z.string(),
  })
  .nullable();

const driftFile = z
  .object({
    path: z.string(),
    change: z.enum(['canonical-only', 'mirror-only', 'content', 'mode', 'kind']),
    changed_by: z.enum(['canonical', 'mirror', 'both']).nullable(),
    canonical: fileFacts,
    mirror: fileFacts,
    fields: z.array(
      z.object({ field: z.string(), canonical: z.unknown().optional(), mirror: z.unknown().optional() }),
    ),
    body: z.boolean().describe('whether the text of a SKILL.md differs'),
    diff: z
      .union([
        z.object({ shown: z.literal(true), text: z.string() }),
        z.object({ shown: z.literal(false), why: z.string() }),
      ])
      .nullable(),
  })
  .meta({ id: 'DriftFile' });

const driftFinding = z
  .object({
    kind: z.enum(['canonical-only', 'mirror-only', 'changed', 'unreadable']),
    skill: z.string(),
    reason: z.string().nullable(),
    canonical: z.string().nullable(),
    mirror: z.string().nullable(),
    files: z.array(driftFile),
  })
  .meta({ id: 'DriftFinding' });

const driftReport = z
  .object({
    canonical: z.array(z.string()),
    mirrors: z.array(
      z.object({
        root: z.string(),
        exists: z.boolean(),
        linked: z.boolean(),
        in_step: z.int(),
        links: z.int(),
        findings: z.array(driftFinding),
      }),
    ),
    drift: z.int().describe('findings in all'),
  })
  .meta({ id: 'DriftReport' });

const syncPlan = z
  .object({
    mirrors: z.array(
      z.object({
        root: z.string(),
        linked: z.boolean(),
        refused: z.string().nullable(),
        skills: z.array(z.object({ skill: z.string(), action: z.string(), reason: z.string() })),
      }),
    ),
    changed: z.int().describe('skills that a sync would change'),
    kept: z.int().describe('skills that would still differ'),
  })
  .meta({ id: 'SyncPlan' });

const round = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    started_at: z.string(),
    started_by: z.string(),
    digest: z.string(),
    skills: z.int(),
  })
  .meta({ id: 'Round' });

const roundDetail = round
  .extend({
    facts: z.array(
      z.object({
        name: z.string(),
        version: z.string().nullable(),
        description: z.string(),
        source: z.string(),
        root: z.string(),
        digest: z.string(),
        tier: z.int(),
        invokable_by: z.array(z.string()),
        allowed_tools: z.array(z.string()),
        disallowed_tools: z.array(z.string()),
        required_tools: z.array(z.string()),
        capabilities: z.array(z.string()),
        scripts: z.array(z.object({ path: z.string(), digest: z.string() })),
        tree_digest: z.string().nullable(),
        network: z.object({ scripts: z.array(z.string()), texts: z.array(z.string()) }),
      }),
    ),
  })
  .meta({ id: 'RoundDetail' });

const comparison = z
  .object({
    before: round,
    after: round.nullable(),
    findings: z.array(
      z.object({
        grade: z.string(),
        change: z.string(),
        skill: z.string(),
        message: z.string(),
        gained: z.array(z.string()),
        lost: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'RoundComparison' });

const hosts = z
  .object({
    hosts: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        precedence: z.string().describe('who wins there when two skills have one name'),
        folders: z.array(z.object({ path: z.string(), scope: z.string(), exists: z.boolean() })),
        skills: z.array(
          z.object({
            state: z.string(),
            name: z.string(),
            directory: z.string(),
            reason: z.string(),
            notes: z.array(z.string()),
          }),
        ),
      }),
    ),
    differences: z.array(
      z.object({ skill: z.string(), kinds: z.array(z.string()), unseen: z.array(z.string()) }),
    ),
  })
  .meta({ id: 'Hosts' });

const which = z.string().max(100).optional();

/** Looking only: mirrors are brought in line and rounds are signed off on the command line. */
export const INTEGRITY_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/drift',
    id: 'getDrift',
    tag: 'integrity',
    summary: 'where the mirrors differ from the canonical skills',
    query: z.object({ diff: flag }),
    answer: driftReport,
    handle: ({ query }, { services: { drift } }) => drift.check({ diff: query.diff }),
  }),
  route({
    method: 'get',
    path: '/v1/sync/plan',
    id: 'getSyncPlan',
    tag: 'integrity',
    summary: 'what `colibri sync` would do; changes nothing',
    query: z.object({ force: flag, collect: flag }),
    answer: syncPlan,
    handle: ({ query }, { services: { sync } }) => sync.sync({ ...query, dryRun: true }),
  }),
  route({
    method: 'get',
    path: '/v1/hosts',
    id: 'listHosts',
    tag: 'integrity',
    summary: 'which skills other hosts would see from here, and where they disagree',
    query: z.object({ host: z.string().max(50).optional() }),
    answer: hosts,
    handle: ({ query }, { services }) => services.hosts.view(query.host),
  }),
  route({
    method: 'get',
    path: '/v1/rounds',
    id: 'listRounds',
    tag: 'integrity',
    summary: 'the rounds that were signed off, newest first',
    answer: z.object({ items: z.array(round) }).meta({ id: 'Rounds' }),
    handle: async (_input, { services: { rounds } }) => ({ items: await rounds.list() }),
  }),
  route({
    method: 'get',
    path: '/v1/rounds/compare',
    id: 'compareRounds',
    tag: 'integrity',
    summary: 'which skills gained or lost reach between two rounds, or since one',
    query: z.object({ before: which, after: which }),
    answer: comparison,
    handle: ({ query }, { services: { rounds } }) => rounds.compare(query.before, query.after),
  }),
  // After `compare`, which is no round.
  route({
    method: 'get',
    path: '/v1/rounds/{round}',
    id: 'getRound',
    tag: 'integrity',
    summary: 'what a round has signed off; `last`, its name, its id or the beginning of it',
    params: z.object({ round: z.string().min(1).max(100) }),
    answer: roundDetail,
    handle: ({ params }, { services: { rounds } }) => rounds.get(params.round),
  }),
];
