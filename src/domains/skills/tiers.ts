import type { AgentTier, SkillTier } from './skill.ts';

export const AGENT_TIERS: readonly AgentTier[] = Object.freeze(['T0', 'T1', 'T2', 'T3', 'T4'] as const);

export const DEFAULT_TIER: SkillTier = 2;

// Frozen, because skills hand these lists out as their own.
export const INVOKABLE_BY_DEFAULT: readonly AgentTier[] = Object.freeze(['T0', 'T1', 'T2', 'T3'] as const);

const ALLOWED: Readonly<Record<SkillTier, readonly AgentTier[]>> = {
  1: AGENT_TIERS,
  2: INVOKABLE_BY_DEFAULT,
  3: Object.freeze(['T0', 'T1'] as const),
};

/** The agents a skill of this tier is meant for: what `invokable_by` is when nobody wrote it. */
export function tiersAllowedBy(tier: SkillTier): readonly AgentTier[] {
  return ALLOWED[tier];
}

/** The agents that `invokable_by` adds beyond the tier. */
export function tiersWidened(tier: SkillTier, invokableBy: readonly AgentTier[]): AgentTier[] {
  return invokableBy.filter((agent) => !ALLOWED[tier].includes(agent));
}

export function isAgentTier(value: unknown): value is AgentTier {
  return AGENT_TIERS.some((tier) => tier === value);
}
