/** The tool-lock: a policy can lock Colibri's own tools for agents of some tiers. Pure. */
import type { Caller, GateVerdict } from '../../server.ts';
import { isAgentTier } from '../skills/tiers.ts';
import { evaluate } from './evaluate.ts';
import type { Policy } from './rule.ts';

/**
 * A call that the rules deny whatever it is called with is locked. Rules about one skill say nothing here, because the
 * kernel does not know it yet; they count when the tool asks for its own decision.
 */
export function gate(policy: Policy): (tool: string, caller: Pick<Caller, 'agentTier'>) => GateVerdict {
  const rules = policy.profiles[policy.use]?.rules ?? [];
  return (tool, { agentTier }) => {
    // Whoever did not say a tier is an executor, as in a session.
    const agent_tier = isAgentTier(agentTier) ? agentTier : 'T3';
    const { effect, rule, reason } = evaluate(rules, { tool, agent_tier, trusted: false });
    if (effect !== 'deny') return { allowed: true };
    return {
      allowed: false,
      reason: `${tool} is locked for ${agent_tier}: rule ${rule} of profile ${policy.use} ${reason}`,
    };
  };
}
