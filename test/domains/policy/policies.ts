/** Policies and rules as a file would state them. */
import type { Facts } from '../../../src/domains/policy/evaluate.ts';
import { parseToolPattern, type ToolPattern } from '../../../src/domains/policy/patterns.ts';
import type { Effect, Policy, Rule } from '../../../src/domains/policy/rule.ts';
import { embeddedPolicy } from '../../../src/domains/policy/schema.ts';

export function pattern(text: string): ToolPattern {
  const parsed = parseToolPattern(text);
  if (!parsed.ok) throw new Error(`${text} ${parsed.problem}`);
  return parsed.pattern;
}

/** `deny Bash(rm:*)`, with more members where they matter. */
export function rule(text: string, more: Partial<Omit<Rule, 'effect' | 'tool'>> = {}): Rule {
  const blank = text.indexOf(' ');
  // The tests write effects out; a wrong one would match nothing they expect.
  const effect = text.slice(0, blank) as Effect;
  return { effect, tool: pattern(text.slice(blank + 1)), ...more };
}

export function policyWith(rules: readonly Rule[]): Policy {
  const base = embeddedPolicy();
  return { ...base, profiles: { ...base.profiles, own: { rules } }, use: 'own' };
}

export function facts(call: string, more: Partial<Facts> = {}): Facts {
  const [, tool = call, argument] = /^([^(]+)\(([\s\S]*)\)$/.exec(call) ?? [];
  return { tool, argument, agent_tier: 'T3', trusted: true, ...more };
}
