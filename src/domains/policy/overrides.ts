/** What a skill proposes to change while it is used, and what the policy says to each of it. Pure. */
import { type CallOrigin, decideByRules } from './effective-tools.ts';
import type { Policy } from './rule.ts';

/** As written in the skill: `metadata."colibri.override.<key>": value`. */
export interface ProposedOverride {
  readonly key: string;
  readonly value: string;
}

export interface OverrideDecision extends ProposedOverride {
  readonly accepted: boolean;
  readonly profile: string;
  /** The rule that decided, counted from 1; null when none did. */
  readonly rule: number | null;
  readonly reason: string;
}

const PREFIX = 'colibri.override.';
/** A model, the scope of the context, a default for a tool's input, another name for a tool. */
const KNOWN = /^(?:model|context|default\.[\w-]+|alias\.[\w-]+)$/;
/** More than any skill needs; each becomes an event. */
const OVERRIDES_MAX = 32;
const VALUE_CHARS_MAX = 500;

/** In order of their keys. What is no text is no proposal. */
export function proposedOverrides(metadata: unknown): readonly ProposedOverride[] {
  if (typeof metadata !== 'object' || metadata === null) return [];
  return Object.entries(metadata)
    .filter((entry): entry is [string, string] => entry[0].startsWith(PREFIX) && typeof entry[1] === 'string')
    .map(([key, value]) => ({ key: key.slice(PREFIX.length), value: value.slice(0, VALUE_CHARS_MAX) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, OVERRIDES_MAX);
}

/** Accepted only by a rule that allows `override(<key> <value>)`; what would have to be asked is refused. */
export function decideOverride(
  policy: Policy,
  { key, value }: ProposedOverride,
  origin: CallOrigin,
): OverrideDecision {
  if (!KNOWN.test(key)) {
    const reason = `there is no override ${JSON.stringify(key)}; model, context, default.<tool> and alias.<name> are known`;
    return { key, value, accepted: false, profile: policy.use, rule: null, reason };
  }
  const { effect, profile, rule, reason } = decideByRules(
    policy,
    { tool: 'override', argument: `${key} ${value}` },
    origin,
  );
  return { key, value, accepted: effect === 'allow', profile, rule, reason };
}
