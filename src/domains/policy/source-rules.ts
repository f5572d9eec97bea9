/** Whether skills may be installed from a source. Pure. */
import { foldCase } from '../../lib/text.ts';
import { matchesGlob } from './glob.ts';
import type { Effect, InstallRule } from './rule.ts';

export interface SourceVerdict {
  readonly effect: Effect;
  /** 1-based; null when no rule matches. */
  readonly rule: number | null;
  readonly reason: string;
}

/** `vouched`: somebody trusts the file; else it can only take away, so that its allow rules ask. */
export function decideSource(
  rules: readonly InstallRule[],
  source: string,
  { vouched }: { readonly vouched: boolean },
): SourceVerdict {
  const at = rules.findIndex((rule) => matches(rule, source));
  const rule = rules[at];
  if (rule === undefined) return { effect: 'ask', rule: null, reason: 'no rule under `install` matches it' };
  const said = `rule ${at + 1} under \`install\` says ${rule.effect}`;
  const reason = rule.reason === undefined ? said : `${said}: ${rule.reason}`;
  if (rule.effect !== 'allow' || vouched) return { effect: rule.effect, rule: at + 1, reason };
  const fix = 'run `colibri trust colibri.policy.yaml`';
  return { effect: 'ask', rule: at + 1, reason: `${reason}, but nobody vouched for the file; ${fix}` };
}

/** An allow means the very spelling; a deny also what a server may take for the same. */
function matches({ effect, source: glob }: InstallRule, source: string): boolean {
  if (effect === 'allow') return matchesGlob(glob, source);
  return matchesGlob(foldCase(glob), foldCase(source));
}
