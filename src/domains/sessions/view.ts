/** What a session sees of the catalog. Fixed when it opens, so that the same view comes back in a replay. Pure. */
import { isMarkedTrusted, type TrustMarks } from '../policy/trust.ts';
import type { AgentTier } from '../skills/schema.ts';
import type { SnapshotSkill } from '../skills/snapshot.ts';
import { isOn, type Switches } from './switches.ts';

export interface SessionView {
  /** `enforce` hides skills from agents whose tier may not invoke them. */
  readonly tiers: 'advise' | 'enforce';
  /** More facts for each line of the catalog. */
  readonly catalog_fields: readonly string[];
  /** What becomes of skills that nobody vouched for. */
  readonly untrusted: 'marked' | 'hidden';
  readonly trust: TrustMarks;
  /** Which skills are switched off. Absent in records that are older than it. */
  readonly switches?: Switches;
}

/** What the configuration says of every view. */
export type ViewSettings = Omit<SessionView, 'trust' | 'switches'>;

/** Whoever looks: who they are and what they may see. */
export interface Viewer {
  readonly agent_tier: AgentTier;
  readonly view: SessionView;
}

/** Skills that are for people alone are hidden from every session. */
export function isVisible(
  skill: Pick<SnapshotSkill, 'name' | 'root' | 'model_invocable' | 'invokable_by'>,
  { agent_tier, view }: Viewer,
): boolean {
  if (!skill.model_invocable || !isSwitchedOn(skill.name, view)) return false;
  if (view.tiers === 'enforce' && !skill.invokable_by.includes(agent_tier)) return false;
  return view.untrusted === 'marked' || isMarkedTrusted(skill, view.trust);
}

export function isSwitchedOn(name: string, { switches }: Pick<SessionView, 'switches'>): boolean {
  return switches === undefined || isOn(name, switches);
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
