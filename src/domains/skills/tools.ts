/** The registry's MCP tools beside the contracted `skill_list`. */
import { z } from 'zod';

import { type ColibriServerContext, registerColibriTool } from '../../server.ts';
import type { SkillsService } from './service.ts';

export function registerRegistryTools(ctx: ColibriServerContext, skills: SkillsService): void {
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
