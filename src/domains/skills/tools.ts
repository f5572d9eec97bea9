/** The registry's MCP tools beside the contracted `skill_list`. */
import { z } from 'zod';

import { type ColibriServerContext, registerColibriTool } from '../../server.ts';
import type { SkillsService } from './service.ts';

const NAME_CHARS_MAX = 64;

export function registerRegistryTools(ctx: ColibriServerContext, skills: SkillsService): void {
  registerColibriTool(
    ctx,
    'skill_get',
    {
      title: 'skill_get',
      description:
        'All that is known of one skill without its text: fields, tools, digest, cost, copies it shadows.',
      inputSchema: z.strictObject({ name: z.string().min(1).max(NAME_CHARS_MAX).describe('the exact name') }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ name }) => {
      const { body: _, ...facts } = skills.require(name);
      return { skill: facts, shadowed: skills.shadowed(name) };
    },
  );
  registerColibriTool(
    ctx,
    'skill_reload',
    {
      title: 'skill_reload',
      description: 'Compare the skills on disk with the index now and say what changed.',
      inputSchema: z.strictObject({}),
      annotations: { readOnlyHint: false, idempotentHint: true, openWorldHint: false },
    },
    async () => {
      const changes = await skills.reload();
      return {
        changes: changes ?? { added: 0, changed: 0, removed: 0, shadowed: 0 },
        total: skills.counts(),
      };
    },
  );
}
