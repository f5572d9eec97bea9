/** What a call made for a skill comes to, and what a skill may use at all. Pure. */
import type { AgentTier } from '../skills/schema.ts';
import {
  appliesTo,
  evaluate,
  type Facts,
  limitUntrusted,
  matchRule,
  strictest,
  type Verdict,
} from './evaluate.ts';
import {
  covers,
  matchTool,
  overlaps,
  parseToolPattern,
  type ToolCall,
  type ToolPattern,
  widestPattern,
} from './patterns.ts';
import type { Effect, Policy, Rule } from './rule.ts';

/** What the policy has to know of a skill. */
export interface SkillTools {
  readonly name: string;
  /** As displayed. */
  readonly root: string;
  readonly trusted: boolean;
  readonly allowed_tools: readonly string[];
  readonly disallowed_tools: readonly string[];
}

export interface SessionLimits {
  readonly agent_tier: AgentTier;
  /** A profile that the session chose for itself. It can only take away from the one in force. */
  readonly profile?: string | undefined;
  /** False while nobody has vouched for the policy file: then it can only take away from the default profile. */
  readonly vouched: boolean;
}

export interface Decision extends Verdict {
  /** The profile whose verdict it is. */
  readonly profile: string;
}

export interface EffectiveTool {
  readonly pattern: string;
  readonly effect: Effect;
  readonly why: string;
}

export interface CallOrigin {
  readonly skill: SkillTools | null;
  readonly session: SessionLimits;
}

/** Rules first, then what the skill says of itself: it can take away, and give only what a `widen` rule lets it. */
export function decideCall(policy: Policy, call: ToolCall, { skill, session }: CallOrigin): Decision {
  const facts = factsOf(call, skill, session);
  return strictLayer(policy, session, (rules) => {
    const verdict = evaluate(rules, facts);
    return skill === null ? verdict : decideForSkill(rules, skill, { verdict, facts });
  });
}

/** By the rules alone, whatever the skill says of its own tools. */
export function decideByRules(policy: Policy, call: ToolCall, { skill, session }: CallOrigin): Decision {
  const facts = factsOf(call, skill, session);
  return strictLayer(policy, session, (rules) => evaluate(rules, facts));
}

function factsOf(call: ToolCall, skill: SkillTools | null, { agent_tier }: SessionLimits): Facts {
  return { ...call, agent_tier, skill: skill?.name, root: skill?.root, trusted: skill?.trusted ?? false };
}

/** The strictest of the profiles that count. */
function strictLayer(
  policy: Policy,
  { profile, vouched }: SessionLimits,
  judge: (rules: readonly Rule[]) => Verdict,
): Decision {
  const decide = (name: string): Decision => {
    const rules = Object.hasOwn(policy.profiles, name) ? policy.profiles[name]?.rules : undefined;
    if (rules !== undefined) return { ...judge(rules), profile: name };
    return {
      effect: 'deny',
      rule: null,
      profile: name,
      reason: `there is no profile ${JSON.stringify(name)}`,
    };
  };
  const layers = [decide(policy.use), ...(profile === undefined ? [] : [decide(profile)])];
  if (!vouched) layers.push(UNVOUCHED);
  const [first = UNVOUCHED, ...rest] = layers;
  return strictest(first, ...rest);
}

const UNVOUCHED: Decision = {
  effect: 'ask',
  rule: null,
  profile: 'default',
  reason: 'the policy file is not trusted; look at it, then run `colibri trust colibri.policy.yaml`',
};

interface RulesVerdict {
  readonly verdict: Verdict;
  readonly facts: Facts;
}

function decideForSkill(
  rules: readonly Rule[],
  skill: SkillTools,
  { verdict, facts }: RulesVerdict,
): Verdict {
  const refused = refusedBySkill(skill, facts);
  if (refused?.effect === 'deny') return strictest(verdict, refused);
  const listed = patternsOf(skill.allowed_tools).some((pattern) => matchTool(pattern, facts) === 'yes');
  const rule = verdict.rule === null ? undefined : rules[verdict.rule - 1];
  const widened = rule !== undefined && matchRule(rule, facts) === 'yes' && widens(rule, skill);
  if (!listed && skill.allowed_tools.length > 0 && !widened) {
    const reason = `it is not among the allowed-tools of ${skill.name}`;
    return strictest(verdict, { ...verdict, effect: 'deny', reason });
  }
  const lifted = listed && widened && verdict.effect === 'ask' && refused === null;
  if (lifted)
    return { ...verdict, effect: 'allow', reason: `${verdict.reason}, and the rule widens ${skill.name}` };
  return refused === null ? verdict : strictest(verdict, refused);
}

/** Only for the very bytes that somebody vouched for: the name alone could belong to any skill. */
function widens(rule: Rule, skill: SkillTools): boolean {
  return rule.widen === true && rule.effect !== 'deny' && rule.skill === skill.name && skill.trusted;
}

function refusedBySkill({ name, disallowed_tools }: SkillTools, call: ToolCall): Verdict | null {
  const reason = (tool: string) => `${tool} is among the disallowed-tools of ${name}`;
  let doubt: Verdict | null = null;
  for (const pattern of disallowed_tools.map(refusalPattern)) {
    const match = matchTool(pattern, call);
    if (match === 'yes' || match === 'part')
      return { effect: 'deny', rule: null, reason: reason(pattern.text) };
    if (match === 'maybe') doubt = { effect: 'ask', rule: null, reason: `perhaps ${reason(pattern.text)}` };
  }
  return doubt;
}

/** An entry of `disallowed-tools` that cannot be read still refuses the tool that it begins with. */
function refusalPattern(written: string): ToolPattern {
  const parsed = parseToolPattern(written);
  return parsed.ok ? parsed.pattern : widestPattern(written);
}

/** An entry of `allowed-tools` that cannot be read allows nothing. */
function patternsOf(written: readonly string[]): readonly ToolPattern[] {
  return written.flatMap((text) => {
    const parsed = parseToolPattern(text);
    return parsed.ok ? [parsed.pattern] : [];
  });
}

/** The skill's patterns, or the session's where the skill gives none, each with what becomes of its calls. */
export function effectiveAllowedTools(
  policy: Policy,
  skill: SkillTools,
  session: SessionLimits,
): readonly EffectiveTool[] {
  const patterns =
    skill.allowed_tools.length > 0 ? skill.allowed_tools : sessionPatterns(policy, skill, session);
  return [...new Set(patterns)].map((text) => {
    const parsed = parseToolPattern(text);
    if (!parsed.ok) return { pattern: text, effect: 'deny', why: `it ${parsed.problem}` };
    const judge = (rules: readonly Rule[]) => judgePattern(rules, parsed.pattern, { skill, session });
    const { effect, reason } = strictLayer(policy, session, judge);
    return { pattern: text, effect, why: reason };
  });
}

/** What the rules in force speak of, for this agent and this skill. */
function sessionPatterns(policy: Policy, skill: SkillTools, session: SessionLimits): readonly string[] {
  const facts = factsOf({ tool: '' }, skill, session);
  const rules = policy.profiles[policy.use]?.rules ?? [];
  return rules.filter((rule) => appliesTo(rule, facts)).map(({ tool }) => tool.text);
}

/** The first rule that covers the whole pattern decides it; rules before it that touch a part are named. */
function judgePattern(rules: readonly Rule[], pattern: ToolPattern, { skill, session }: CallOrigin): Verdict {
  const facts = { ...factsOf({ tool: pattern.tool }, skill, session), argument: undefined };
  const exceptions: string[] = [];
  const judged = firstCovering(rules, pattern, { facts, exceptions });
  const limited = limitUntrusted(liftAsk(rules, skill, judged), facts);
  const refused = refusedPattern(skill, pattern, exceptions);
  const verdict = refused === null ? limited : strictest(limited, refused);
  const but = exceptions.length === 0 ? '' : `; but ${exceptions.join(', ')}`;
  return {
    ...verdict,
    reason: verdict.effect === 'deny' && refused !== null ? verdict.reason : verdict.reason + but,
  };
}

interface Coverage {
  readonly facts: Facts;
  /** Grows by what touches a part of the pattern. */
  readonly exceptions: string[];
}

function firstCovering(
  rules: readonly Rule[],
  pattern: ToolPattern,
  { facts, exceptions }: Coverage,
): Verdict {
  for (const [index, rule] of rules.entries()) {
    if (!appliesTo(rule, facts) || !overlaps(rule.tool, pattern)) continue;
    const covered =
      rule.effect === 'allow' ? covers(rule.tool, pattern) : covers(folded(rule.tool), folded(pattern));
    const verb = { allow: 'allows', ask: 'asks for', deny: 'denies' }[rule.effect];
    const told = `rule ${index + 1} ${verb} ${rule.tool.text}`;
    if (covered) return { effect: rule.effect, rule: index + 1, reason: told };
    exceptions.push(told);
  }
  return { effect: 'ask', rule: null, reason: 'no rule matches all of it, so it is asked' };
}

/** The pattern is the skill's own, so that a rule which widens the skill turns its question into a yes. */
function liftAsk(rules: readonly Rule[], skill: SkillTools | null, verdict: Verdict): Verdict {
  const rule = verdict.rule === null ? undefined : rules[verdict.rule - 1];
  if (skill === null || rule === undefined || verdict.effect !== 'ask' || !widens(rule, skill))
    return verdict;
  if (skill.allowed_tools.length === 0) return verdict;
  return { ...verdict, effect: 'allow', reason: `${verdict.reason} and widens ${skill.name}` };
}

function refusedPattern(
  skill: SkillTools | null,
  pattern: ToolPattern,
  exceptions: string[],
): Verdict | null {
  for (const refusal of (skill?.disallowed_tools ?? []).map(refusalPattern)) {
    const reason = `${refusal.text} is among its disallowed-tools`;
    if (covers(folded(refusal), folded(pattern))) return { effect: 'deny', rule: null, reason };
    if (overlaps(refusal, pattern)) exceptions.push(reason);
  }
  return null;
}

/** For refusals, which do not care for case. */
function folded({ text, tool, argument }: ToolPattern): ToolPattern {
  const inner =
    argument.kind === 'any' ? argument : { kind: argument.kind, text: argument.text.toLowerCase() };
  return { text, tool: tool.toLowerCase(), argument: inner };
}
