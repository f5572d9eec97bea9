import path from 'node:path';

import { z } from 'zod';

import type { Rule } from '../../../domains/policy/rule.ts';
import { problemText } from '../../../domains/policy/schema.ts';
import { withoutPaths } from '../problem.ts';
import { type Route, route } from '../route.ts';
import { agentTier, effect, effectiveTool, skillName, tierParameter } from '../schemas.ts';

const rule = z
  .object({
    effect,
    tool: z.string(),
    skill: z.string().nullable(),
    agent_tier: z.array(agentTier).nullable(),
    root: z.string().nullable(),
    widen: z.boolean(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'PolicyRule' });

const policyAnswer = z
  .object({
    file: z.string().nullable().describe('null: there is none, so the default profile is in force'),
    problem: z.string().nullable().describe('while there is one, everything is denied'),
    use: z.string().describe('the profile in force'),
    profiles: z.array(z.object({ name: z.string(), rules: z.array(rule) })),
    network: z.enum(['none', 'host']),
    unsandboxed: z.boolean(),
  })
  .meta({ id: 'Policy' });

const explanation = z
  .object({
    tool: z.string(),
    argument: z.string().nullable(),
    skill: z.string().nullable(),
    agent_tier: agentTier,
    effect,
    profile: z.string(),
    rule: z.int().nullable().describe('number of the rule that decided, counted from 1'),
    reason: z.string(),
    trusted: z.boolean(),
    vouched: z.boolean().describe('false while the policy file can only take away'),
    effective_tools: z.array(effectiveTool),
  })
  .meta({ id: 'Explanation' });

const trustState = z
  .object({
    kind: z.enum(['skill', 'file']),
    name: z.string(),
    trusted: z.boolean(),
    why: z.string(),
    reason: z.string(),
    changes: z.array(z.object({ path: z.string(), change: z.string() })),
  })
  .meta({ id: 'TrustState' });

/** Looking only: nobody is given trust over HTTP. */
export const POLICY_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/policy',
    id: 'getPolicy',
    tag: 'policy',
    summary: 'the policy in force and its rules',
    answer: policyAnswer,
    handle: (_input, { services: { policy: service } }) => {
      const { policy, problem, path: file } = service.policy();
      return {
        file: file === null ? null : path.basename(file),
        problem: problem === null ? null : problemText(problem),
        use: policy.use,
        profiles: Object.entries(policy.profiles).map(([name, { rules }]) => ({
          name,
          rules: rules.map(ruleView),
        })),
        network: policy.network,
        unsandboxed: policy.unsandboxed,
      };
    },
  }),
  route({
    method: 'get',
    path: '/v1/policy/explain',
    id: 'explainCall',
    tag: 'policy',
    summary: 'what would become of a call, and why',
    query: z.object({
      tool: z.string().min(1).max(200),
      argument: z.string().max(10_000).optional().describe('a command line, a path, a URL'),
      skill: z.optional(skillName),
      tier: tierParameter,
      profile: z.string().max(100).optional().describe('a profile that the session chose on top'),
    }),
    answer: explanation,
    handle: async ({ query: { tier, ...call } }, { services: { policy, config } }) => {
      const said = await policy.explain({ ...call, agent_tier: tier });
      return {
        tool: call.tool,
        argument: call.argument ?? null,
        skill: call.skill ?? null,
        agent_tier: tier,
        effect: said.effect,
        profile: said.profile,
        rule: said.rule,
        reason: withoutPaths(said.reason, config),
        trusted: said.trusted,
        vouched: said.policy.vouched,
        effective_tools: said.effective_allowed_tools,
      };
    },
  }),
  route({
    method: 'get',
    path: '/v1/trust',
    id: 'listTrust',
    tag: 'policy',
    summary: 'what is trusted, what is not, and what changed since',
    answer: z.object({ items: z.array(trustState) }).meta({ id: 'TrustList' }),
    handle: async (_input, { services: { policy } }) => ({ items: await policy.list() }),
  }),
];

function ruleView({ tool, ...rest }: Rule) {
  return {
    effect: rest.effect,
    tool: tool.text,
    skill: rest.skill ?? null,
    agent_tier: rest.agent_tier ?? null,
    root: rest.root ?? null,
    widen: rest.widen ?? false,
    reason: rest.reason ?? null,
  };
}
