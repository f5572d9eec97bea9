import path from 'node:path';

import type { Explanation } from '../../../domains/policy/service.ts';
import { isAgentTier } from '../../../domains/skills/tiers.ts';
import { ColibriError } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import type { Output } from '../output.ts';
import { withRuntime } from '../runtime.ts';

/** Exit code 0 when the call would be allowed, 1 when it would be asked or denied. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  const tier = flags.values.get('tier') ?? 'T3';
  if (!isAgentTier(tier))
    throw new ColibriError('USAGE', `--tier cannot be ${tier}; use T0, T1, T2, T3 or T4`);
  const call = callOf(wordsOf(context));
  return withRuntime(context, async ({ policy }) => {
    const explanation = await policy.explain({
      ...call,
      agent_tier: tier,
      skill: flags.values.get('skill'),
      profile: flags.values.get('session-profile'),
    });
    if (flags.switches.has('json')) out.json(explanation);
    else out.lines(factLines(explanation, out));
    return explanation.effect === 'allow' ? EXIT.ok : EXIT.findings;
  });
}

/** The call as words, or behind --tool; never both. */
function wordsOf({ args, flags }: CommandContext): readonly string[] {
  const named = flags.values.get('tool');
  if (named !== undefined && args.length > 0)
    throw new ColibriError('USAGE', '--tool names the call; leave out the words before it');
  if (named === undefined && args.length === 0)
    throw new ColibriError('USAGE', 'say which call: `colibri policy explain <tool> [argument...]`');
  return named === undefined ? args : [named];
}

/** `Bash git status`, or as a rule would write it: `Bash(git status)`. */
function callOf([first = '', ...rest]: readonly string[]): { tool: string; argument?: string } {
  const written = /^([^(]+)\(([\s\S]*)\)$/.exec(first);
  const [, tool = first, inner] = written ?? [];
  const argument = rest.length > 0 ? rest.join(' ') : inner;
  return argument === undefined ? { tool } : { tool, argument };
}

function factLines(explanation: Explanation, out: Output): string[] {
  const facts = factsOf(explanation);
  const width = Math.max(...facts.map(([label]) => label.length));
  return facts.map(([label, value]) => {
    const text = printable(value);
    return out.terminal ? `${out.paint('dim', label.padEnd(width))}  ${text}` : `${label}\t${text}`;
  });
}

function factsOf(explanation: Explanation): readonly (readonly [string, string])[] {
  const { request, effect, profile, rule, reason, policy, trusted } = explanation;
  const { tool, argument, skill, agent_tier } = request;
  return [
    ['call', argument === undefined ? tool : `${tool}(${argument})`],
    ['agent tier', agent_tier],
    ...(skill === undefined
      ? []
      : [['skill', `${skill.name} (${trusted ? 'trusted' : 'not trusted'})`] as const]),
    ['effect', effect],
    ['because', `${rule === null ? '' : `rule ${rule} `}${reason}`],
    ['profile', profile],
    ['policy', policyText(policy)],
    ...explanation.effective_allowed_tools.map(
      ({ pattern, effect: each, why }) => ['may use', `${pattern}: ${each}, ${why}`] as const,
    ),
  ];
}

function policyText({ path: file, use, vouched, problem }: Explanation['policy']): string {
  if (problem !== null) return 'it cannot be used';
  if (file === null) return `no file, so the profile ${use}`;
  return `${path.basename(file)}, profile ${use}${vouched ? '' : '; not trusted, so it can only take away'}`;
}
