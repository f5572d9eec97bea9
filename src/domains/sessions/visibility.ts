/** What a session may see of the catalog. Pure. */
import type { SnapshotSkill } from '../skills/snapshot.ts';
import type { SessionOptions } from './schema.ts';

export interface VisibilityRules {
  /** `enforce` hides skills from agents whose tier may not invoke them. */
  readonly tiers: 'advise' | 'enforce';
}

/** Skills that are for people alone are hidden from every session. */
export function isVisible(
  skill: Pick<SnapshotSkill, 'model_invocable' | 'invokable_by'>,
  { agent_tier }: Pick<SessionOptions, 'agent_tier'>,
  { tiers }: VisibilityRules,
): boolean {
  return skill.model_invocable && (tiers !== 'enforce' || skill.invokable_by.includes(agent_tier));
}

/** The facts that the configuration adds to a skill's line in the catalog. */
export function catalogFacts(
  { compatibility, allowed_tools }: Pick<SnapshotSkill, 'compatibility' | 'allowed_tools'>,
  fields: readonly string[],
): readonly string[] {
  const facts: string[] = [];
  if (fields.includes('compatibility') && compatibility !== null) facts.push(compatibility);
  if (fields.includes('allowed-tools') && allowed_tools.length > 0)
    facts.push(`tools: ${allowed_tools.join(' ')}`);
  return facts;
}
