/** Rules and facts → allow, ask or deny. Pure. */
import type { AgentTier } from '../skills/schema.ts';
import { matchesGlob } from './glob.ts';
import { type Match, matchTool, type ToolCall } from './patterns.ts';
import type { Effect, Rule } from './rule.ts';

export interface Facts extends ToolCall {
  /** The skill that the call is made for. */
  readonly skill?: string | undefined;
  readonly agent_tier: AgentTier;
  /** The root that the skill comes from, as displayed. */
  readonly root?: string | undefined;
  /** Whether the skill is trusted; without a skill it says nothing. */
  readonly trusted: boolean;
}

export interface Verdict {
  readonly effect: Effect;
  /** The rule that decided, counted from 1; null when none did. */
  readonly rule: number | null;
  readonly reason: string;
}

const ORDER: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/** The one that lets less happen; the first of two that are equal. */
export function strictest<T extends { readonly effect: Effect }>(first: T, ...rest: readonly T[]): T {
  return rest.reduce((kept, next) => (ORDER[next.effect] > ORDER[kept.effect] ? next : kept), first);
}

/** The first rule that matches decides; without one the call asks. */
export function evaluate(rules: readonly Rule[], facts: Facts): Verdict {
  return limitUntrusted(firstMatch(rules, facts), facts);
}

function firstMatch(rules: readonly Rule[], facts: Facts): Verdict {
  let floor: Verdict | null = null;
  for (const [index, rule] of rules.entries()) {
    const match = matchRule(rule, facts);
    const effect = effectOf(rule.effect, match);
    if (effect === null) continue;
    const verdict = { effect, rule: index + 1, reason: reasonOf(rule, match) };
    // A match in doubt must not hide a stricter rule below it, and must not be forgotten for a milder one.
    if (match === 'yes' || effect === 'deny') return floor === null ? verdict : strictest(floor, verdict);
    floor ??= verdict;
  }
  return floor ?? { effect: 'ask', rule: null, reason: 'no rule matches, so it is asked' };
}

/** What a rule makes of a match: an allow counts only when the whole call is meant, a deny even when it is a part. */
function effectOf(effect: Effect, match: Match): Effect | null {
  switch (match) {
    case 'no':
      return null;
    case 'yes':
      return effect;
    case 'part':
      return effect === 'allow' ? null : effect;
    case 'maybe':
      return effect === 'allow' ? null : 'ask';
  }
}

export function matchRule(rule: Rule, facts: Facts): Match {
  return appliesTo(rule, facts) ? matchTool(rule.tool, facts) : 'no';
}

/** Whether a rule is about this agent and this skill at all. */
export function appliesTo(rule: Rule, { agent_tier, skill, root }: Omit<Facts, 'tool' | 'trusted'>): boolean {
  if (rule.agent_tier !== undefined && !rule.agent_tier.includes(agent_tier)) return false;
  if (rule.skill !== undefined && (skill === undefined || !matchesGlob(rule.skill, skill))) return false;
  return (
    rule.root === undefined || (root !== undefined && matchesGlob(trimSlash(rule.root), trimSlash(root)))
  );
}

function trimSlash(root: string): string {
  return root.length > 1 ? root.replace(/\/$/, '') : root;
}

function reasonOf({ effect, tool, reason }: Rule, match: Match): string {
  const verb = { allow: 'allows', ask: 'asks for', deny: 'denies' }[effect];
  const how = { yes: '', part: ', which is part of this call', maybe: ', which this call may hold', no: '' }[
    match
  ];
  return `${verb} ${tool.text}${how}${reason === undefined ? '' : `: ${reason}`}`;
}

/** Starting a skill's own script; everything else that a skill asks for can be asked of the user. */
const RUN_TOOL = 'skill_run';

/** A skill that nobody vouched for runs nothing, and gets nothing without a question. */
export function limitUntrusted(verdict: Verdict, { tool, skill, trusted }: Facts): Verdict {
  if (skill === undefined || trusted || verdict.effect === 'deny') return verdict;
  const fix = `skill ${skill} is not trusted; look at it, then run \`colibri trust ${skill}\``;
  if (tool === RUN_TOOL) return { ...verdict, effect: 'deny', reason: fix };
  return verdict.effect === 'ask'
    ? verdict
    : { ...verdict, effect: 'ask', reason: `${verdict.reason}, but ${fix}` };
}
