/** The tool that lets an agent propose a skill. It never writes one. */
import { z } from 'zod';

import { type ColibriServerContext, registerColibriTool } from '../../../server.ts';
import type { Proposal, ProposalRequest } from './proposal.ts';
import type { ProposedBy } from './propose-service.ts';

const SKILL_PROPOSE = {
  title: 'skill_propose',
  description: 'Propose a new skill, or with change: true a change to one. A person reviews it first.',
  inputSchema: z.strictObject({
    name: z.string().min(1).max(64),
    files: z
      .array(
        z.strictObject({
          path: z.string().min(1).max(200).describe('such as SKILL.md'),
          text: z.string().nullable().describe('null removes the file'),
        }),
      )
      .min(1)
      .max(64),
    reason: z.string().trim().min(10).max(1000),
    change: z.boolean().optional(),
    session_id: z.string().min(1).max(100).optional(),
  }),
  annotations: { readOnlyHint: false, openWorldHint: false },
};

export function registerProposeTool(
  ctx: ColibriServerContext,
  propose: (request: ProposalRequest, by: ProposedBy) => Promise<Proposal>,
): void {
  registerColibriTool(ctx, 'skill_propose', SKILL_PROPOSE, async (input, { caller }) => {
    const { name, files, reason, change = false } = input;
    const by = { actor: caller.id, session: caller.sessionId, agentTier: caller.agentTier };
    const proposal = await propose({ name, files, reason, change }, by);
    const { id, state, verdict, findings } = proposal;
    return {
      proposal: id,
      state,
      change: proposal.change,
      verdict,
      findings: findings.map(({ rule, severity, file, line, title, fix }) => ({
        rule,
        severity,
        file,
        line,
        title,
        fix,
      })),
      next: 'a person decides with `colibri review show <proposal>`',
    };
  });
}
