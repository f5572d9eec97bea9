import { z } from 'zod';
import { estimateTokens } from '../../../domains/sessions/catalog.ts';
import { CATALOG_TOKENS, TASK_CHARS_MAX } from '../../../domains/sessions/schema.ts';
import { callWithoutSession, catalogWithoutSession } from '../../../domains/sessions/stateless-service.ts';
import { withoutPaths } from '../problem.ts';
import { type Route, route } from '../route.ts';
import { flag, skillSource, tierParameter } from '../schemas.ts';

const RESULTS = 10;
const RESULTS_MAX = 50;
const MATCHES_MAX = 20;
const TOKENS_MAX = 10_000_000;

const status = z
  .object({
    version: z.string(),
    workspace: z.string(),
    generation: z.int().describe('grows with every change of the catalog'),
    stale: z.string().nullable().describe('why the index is that of an earlier scan'),
    skills: z.int(),
    shadowed: z.int(),
    rejected: z.int(),
    lenient_ok: z.int().describe('of the rejected, those that the lenient profile would load'),
    aliases: z.int(),
    roots: z.array(z.object({ path: z.string(), source: skillSource, profile: z.string(), depth: z.int() })),
    last_event: z.int().describe('sequence number of the newest event'),
  })
  .meta({ id: 'Status' });

const searchHit = z
  .object({
    name: z.string(),
    source: z.string(),
    description: z.string(),
    score: z.number(),
    why: z.string(),
  })
  .meta({ id: 'SearchHit' });

/** What the registry is, and what an agent sees of it. */
export const REGISTRY_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/status',
    id: 'getStatus',
    tag: 'registry',
    summary: 'what is served, from where, and whether it is up to date',
    answer: status,
    handle: async (_input, { services, version }) => {
      const { skills, events, config, stale } = services;
      const [newest] = await events.read({ newestFirst: true, limit: 1 });
      return {
        version,
        workspace: withoutPaths(config.workspace, { workspace: '\0', home: config.home }),
        generation: skills.generation(),
        stale: stale === null ? null : withoutPaths(stale, config),
        ...skills.counts(),
        roots: skills.roots.map(({ display: path, source, profile, depth }) => ({
          path,
          source,
          profile,
          depth,
        })),
        last_event: newest?.seq ?? 0,
      };
    },
  }),
  route({
    method: 'get',
    path: '/v1/config',
    id: 'getConfig',
    tag: 'registry',
    summary: 'every setting and where its value comes from; secrets are left out',
    answer: z
      .object({
        settings: z.array(z.object({ key: z.string(), value: z.string(), from: z.string() })),
      })
      .meta({ id: 'Settings' }),
    handle: (_input, { services: { config } }) => ({
      settings: config.origins.map(({ key, value, from }) => ({
        key,
        value: withoutPaths(value, config),
        from,
      })),
    }),
  }),
  route({
    method: 'get',
    path: '/v1/search',
    id: 'searchSkills',
    tag: 'registry',
    summary: 'what an agent’s skill_search finds',
    query: z.object({
      q: z.string().max(2_000).default('').describe('words, or a whole sentence'),
      limit: z.coerce.number().int().min(1).max(RESULTS_MAX).default(RESULTS),
      tier: tierParameter,
    }),
    answer: z.object({ query: z.string(), items: z.array(searchHit) }).meta({ id: 'SearchAnswer' }),
    handle: async ({ query: { q, limit, tier } }, { services: { skills, config, policy, switches } }) => {
      const step = await callWithoutSession(
        { skills, policy, ...config, switches: switches.current },
        { tool: 'skill_search', input: { query: q, limit } },
        tier,
      );
      return { query: q, items: hitsOf(step.data) };
    },
  }),
  route({
    method: 'get',
    path: '/v1/match',
    id: 'matchSkills',
    tag: 'registry',
    summary: 'which skills a task calls for, as skill_match tells an agent; none when none clearly fits',
    query: z.object({
      task: z.string().min(1).max(TASK_CHARS_MAX).describe('the request, in the words of whoever made it'),
      limit: z.coerce.number().int().min(1).max(MATCHES_MAX).optional(),
      tier: tierParameter,
    }),
    answer: z.object({ task: z.string(), items: z.array(searchHit) }).meta({ id: 'MatchAnswer' }),
    handle: async ({ query: { task, limit, tier } }, { services: { skills, config, policy, switches } }) => {
      const step = await callWithoutSession(
        { skills, policy, ...config, switches: switches.current },
        { tool: 'skill_match', input: { task, limit } },
        tier,
      );
      return { task, items: hitsOf(step.data) };
    },
  }),
  route({
    method: 'get',
    path: '/v1/switches',
    id: 'getSwitches',
    tag: 'registry',
    summary: 'skills that are switched off and why, the profiles of skills, and the one in use',
    query: z.object({ profile: z.string().max(64).optional().describe('as if this one were in use') }),
    answer: z
      .object({
        in_use: z.string().nullable(),
        profiles: z.array(
          z.object({ name: z.string(), enable: z.array(z.string()), disable: z.array(z.string()) }),
        ),
        off: z.array(z.object({ name: z.string(), why: z.string() })),
      })
      .meta({ id: 'Switches' }),
    handle: ({ query }, { services: { switches } }) => {
      const { profile, profiles } = switches.file();
      return {
        in_use: profile,
        profiles: Object.entries(profiles).map(([name, choice]) => ({ name, ...choice })),
        off: switches.off(query.profile),
      };
    },
  }),
  route({
    method: 'get',
    path: '/v1/catalog',
    id: 'getCatalog',
    tag: 'registry',
    summary: 'what a session that is opened now would put into a system prompt',
    query: z.object({
      tokens: z.coerce.number().int().min(0).max(TOKENS_MAX).default(CATALOG_TOKENS),
      tier: tierParameter,
      format: z.enum(['markdown', 'xml']).default('markdown'),
      preload: flag,
    }),
    answer: z
      .object({
        text: z.string(),
        tokens: z.int(),
        shown: z.int(),
        dropped: z.int(),
        left_out: z.array(z.string()).describe('skills that are reachable by search only'),
        descriptions_cut_to: z.int().nullable(),
        preloaded: z.array(z.string()),
      })
      .meta({ id: 'Catalog' }),
    handle: async ({ query: { tokens, tier, format, preload } }, { services }) => {
      const { skills, policy, config, switches } = services;
      const request = { agent_tier: tier, budget: { catalog_tokens: tokens }, preload };
      const catalog = await catalogWithoutSession(
        { skills, policy, ...config, switches: switches.current },
        request,
        format,
      );
      const { text, shown, dropped, leftOut, cutTo, preloaded } = catalog;
      return {
        ...{ text, tokens: estimateTokens(text), shown, dropped, preloaded },
        left_out: leftOut,
        descriptions_cut_to: cutTo,
      };
    },
  }),
];

/** The data of a search step, checked: it is the answer of a tool, whose type says only that it is one. */
function hitsOf(data: unknown) {
  return z.object({ results: z.array(searchHit) }).parse(data).results;
}
