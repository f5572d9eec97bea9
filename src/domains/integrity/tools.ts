/** The MCP tools of integrity. */
import { z } from 'zod';

import { type ColibriServerContext, registerColibriTool } from '../../server.ts';
import type { DescribedFinding, DriftService } from './drift-service.ts';

export function registerIntegrityTools(
  ctx: ColibriServerContext,
  { drift }: { readonly drift: DriftService },
): void {
  registerColibriTool(
    ctx,
    'drift_check',
    {
      title: 'drift_check',
      description: 'Say where copies of skills in mirrors differ.',
      inputSchema: z.strictObject({
        skill: z.string().min(1).max(255).optional().describe('only this skill'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ skill }) => {
      const { mirrors } = await drift.check();
      const shown = mirrors.map(({ root, exists, in_step, findings }) => ({
        mirror: root,
        exists,
        in_step,
        findings: findings.filter((each) => skill === undefined || each.skill === skill).map(brief),
      }));
      return { drift: shown.reduce((sum, { findings }) => sum + findings.length, 0), mirrors: shown };
    },
  );
}

/** Without the content of fields: a mirror may say anything, and an agent would read it. */
function brief({ kind, skill, reason, files }: DescribedFinding) {
  return {
    kind,
    skill,
    ...(reason === null ? {} : { reason }),
    files: files.map(({ path, change, changed_by, fields, body }) => ({
      path,
      change,
      changed_by,
      ...(fields.length > 0 ? { fields: fields.map(({ field }) => field) } : {}),
      ...(body ? { body } : {}),
    })),
  };
}
