import { z } from 'zod';

import { estimateTokens, oneLine } from '../../../domains/sessions/catalog.ts';
import { judgeShadowed } from '../../../domains/skills/report.ts';
import { ColibriError } from '../../../lib/errors.ts';
import { CURSOR_PARAMETER, decodeCursor, pageOf } from '../page-cursor.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import {
  agentTier,
  diagnostic,
  effectiveTool,
  jsonObject,
  nextCursor,
  skillName,
  skillSource,
  skillTier,
} from '../schemas.ts';

const PAGE = 100;
const PAGE_MAX = 5_000;

const skillLine = z
  .object({
    name: z.string(),
    version: z.string().nullable(),
    description: z.string(),
    source: skillSource,
    root: z.string(),
    path: z.string(),
    tier: skillTier,
    invokable_by: z.array(agentTier),
    capabilities: z.array(z.string()),
    category: z.string().nullable(),
    body_tokens: z.int().describe('estimated cost of a load'),
    catalog_tokens: z.int().describe('estimated cost of its line in a catalog'),
    model_invocable: z.boolean(),
    user_invocable: z.boolean(),
    warnings: z.int(),
    copies: z.int().describe('other skills of this name, which it shadows'),
    digest: z.string(),
  })
  .meta({ id: 'SkillLine' });

const skillFile = z
  .object({
    path: z.string(),
    size: z.int(),
    digest: z.string().describe('sha256; empty for what cannot be read'),
    kind: z.enum(['file', 'large', 'link', 'special']),
  })
  .meta({ id: 'SkillFile' });

const skillCopy = z
  .object({
    path: z.string(),
    source: z.string(),
    root: z.string(),
    directory: z.string(),
    version: z.string().nullable(),
    digest: z.string(),
    rule: z.string().describe('why the other copy has the name'),
    same_content: z.boolean(),
    text: z.string().nullable().describe('its SKILL.md; null when it cannot be read'),
  })
  .meta({ id: 'SkillCopy' });

const skillLoad = z
  .object({
    session_id: z.string(),
    opened_at: z.string(),
    agent_id: z.string().nullable(),
    agent_tier: z.string(),
    reason: z.string(),
    tokens: z.int(),
    digest: z.string(),
  })
  .meta({ id: 'SkillLoad' });

const skill = skillLine
  .omit({ warnings: true, copies: true })
  .extend({
    directory: z.string(),
    license: z.string().nullable(),
    compatibility: z.string().nullable(),
    allowed_tools: z.array(z.string()),
    disallowed_tools: z.array(z.string()),
    required_tools: z.array(z.string()),
    triggers: z.array(z.string()),
    verification: z.array(z.string()),
    body_version: z.string(),
    loaded_at: z.string(),
    diagnostics: z.array(diagnostic),
    frontmatter: jsonObject,
    body: z.string(),
    trusted: z.boolean(),
    trust_reason: z.string(),
    effective_tools: z.array(effectiveTool),
    aliases: z.array(z.string()).describe('links that lead to it'),
  })
  .meta({ id: 'Skill' });

const skillParams = z.object({ name: skillName });

export const SKILL_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/skills',
    id: 'listSkills',
    tag: 'skills',
    summary: 'the indexed skills, by name',
    query: z.object({
      search: z.string().max(200).optional().describe('only skills whose name or description holds the text'),
      capability: z.string().max(200).optional(),
      limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE),
      cursor: CURSOR_PARAMETER,
    }),
    answer: z
      .object({ items: z.array(skillLine), next: nextCursor, total: z.int() })
      .meta({ id: 'SkillPage' }),
    handle: ({ query }, { services: { skills } }) => {
      const { limit, cursor, ...filters } = query;
      const rows = skills.overview({ ...filters, after: decodeCursor(cursor), limit: limit + 1 });
      const page = pageOf(rows, limit, ({ name }) => name);
      return { ...page, items: page.items.map(lineOf), total: skills.count(filters) };
    },
  }),
  route({
    method: 'get',
    path: '/v1/skills/{name}',
    id: 'getSkill',
    tag: 'skills',
    summary: 'everything about one skill, with its text, its trust and what it may use',
    params: skillParams,
    answer: skill,
    handle: ({ params }, context) => detailOf(params.name, context),
  }),
  route({
    method: 'get',
    path: '/v1/skills/{name}/files',
    id: 'listSkillFiles',
    tag: 'skills',
    summary: 'the files of a skill, with digests',
    params: skillParams,
    answer: z.object({ items: z.array(skillFile) }).meta({ id: 'SkillFiles' }),
    handle: ({ params }, { services: { skills } }) => ({
      items: skills.filesOf(skills.require(params.name).source_dir),
    }),
  }),
  route({
    method: 'get',
    path: '/v1/skills/{name}/file',
    id: 'readSkillFile',
    tag: 'skills',
    summary: 'one file of a skill, as text or base64',
    params: skillParams,
    query: z.object({ path: z.string().min(1).max(1_000).describe('as the list of files names it') }),
    answer: z
      .object({ path: z.string(), encoding: z.enum(['utf8', 'base64']), content: z.string() })
      .meta({ id: 'SkillFileContent' }),
    handle: ({ params, query }, context) => contentOf(params.name, query.path, context),
  }),
  route({
    method: 'get',
    path: '/v1/skills/{name}/copies',
    id: 'listSkillCopies',
    tag: 'skills',
    summary: 'the copies that a skill shadows, with their text',
    params: skillParams,
    answer: z.object({ items: z.array(skillCopy) }).meta({ id: 'SkillCopies' }),
    handle: ({ params }, { services: { skills } }) => {
      const winner = skills.require(params.name);
      const indexed = [{ ...winner, directory: winner.source_dir }];
      const shadowed = judgeShadowed({
        roots: skills.roots,
        indexed,
        shadowed: skills.shadowed(params.name),
      });
      const text = (directory: string) => skills.readFileOf(directory, 'SKILL.md')?.toString('utf8') ?? null;
      return { items: shadowed.map((copy) => ({ ...copy, text: text(copy.directory) })) };
    },
  }),
  route({
    method: 'get',
    path: '/v1/skills/{name}/loads',
    id: 'listSkillLoads',
    tag: 'skills',
    summary: 'the sessions that loaded a skill, newest first',
    params: skillParams,
    answer: z.object({ items: z.array(skillLoad) }).meta({ id: 'SkillLoads' }),
    handle: async ({ params }, { services: { skills, sessions } }) => ({
      items: await sessions.loadsOf(skills.require(params.name).name),
    }),
  }),
  route({
    method: 'post',
    path: '/v1/reload',
    id: 'reload',
    tag: 'skills',
    summary: 'compare the disk with the index now',
    body: z.object({}),
    answer: z.object({ changed: z.boolean(), skills: z.int() }).meta({ id: 'ReloadReport' }),
    handle: async (_input, { services: { skills } }) => {
      const changes = await skills.reload();
      return { changed: changes !== null, skills: skills.count() };
    },
  }),
];

function lineOf<Line extends { readonly name: string; readonly description: string }>(
  line: Line,
): Line & { readonly catalog_tokens: number } {
  return { ...line, catalog_tokens: estimateTokens(`- ${line.name}: ${oneLine(line.description)}\n`) };
}

async function detailOf(name: string, { services: { skills, policy } }: RouteContext) {
  const found = skills.require(name);
  const place = { ...found, directory: found.source_dir };
  const [trust, effective_tools] = await Promise.all([
    policy.view([place]).then((view) => view.skill(place)),
    policy.effectiveTools(place, { agent_tier: 'T3' }),
  ]);
  const aliases = skills.aliases().filter(({ target }) => target === found.source_dir);
  return {
    ...lineOf(found),
    directory: found.source_dir,
    frontmatter: { ...found.frontmatter },
    trusted: trust.trusted,
    trust_reason: trust.reason,
    effective_tools,
    aliases: aliases.map(({ directory }) => directory),
  };
}

/** Only what the listing names is handed out, so no path leads anywhere else. */
function contentOf(name: string, path: string, { services: { skills } }: RouteContext) {
  const directory = skills.require(name).source_dir;
  const listed = skills.filesOf(directory).find((file) => file.path === path);
  if (listed?.kind === 'large')
    throw new ColibriError('FILE_TOO_LARGE', `${path} is too large to be shown; open it on disk`, { path });
  const bytes = listed?.kind === 'file' ? skills.readFileOf(directory, path) : null;
  if (bytes === null) {
    const message = `${name} has no readable file ${JSON.stringify(path)}; take one from its list of files`;
    throw new ColibriError('FILE_NOT_FOUND', message, { name, path });
  }
  const text = decodeText(bytes);
  if (text !== null) return { path, encoding: 'utf8' as const, content: text };
  return { path, encoding: 'base64' as const, content: bytes.toString('base64') };
}

/** Null for anything that is no text. */
function decodeText(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
