import type { Agent } from '../../../domains/agents/schema.ts';
import { ColibriError } from '../../../lib/errors.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { type Fact, factLines } from '../facts.ts';
import { withRuntime } from '../runtime.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withRuntime(context, async (runtime) => {
    const agent = await findAgent(runtime, args[0] ?? '');
    if (flags.switches.has('json')) out.json(agent);
    else out.lines(factLines(factsOf(agent), out));
    return EXIT.ok;
  });
}

/** `last` is the newest. */
async function findAgent({ agents }: BootedRuntime, said: string): Promise<Agent> {
  const service = await agents();
  if (said !== 'last') return service.status(said);
  const [newest] = await service.list({ limit: 1 });
  if (newest !== undefined) return newest;
  throw new ColibriError('AGENT_NOT_FOUND', 'there are no agents yet');
}

function factsOf(agent: Agent): readonly Fact[] {
  const { head_before, head_after } = agent;
  return [
    ['agent', agent.id],
    ['state', agent.state],
    ['failed', agent.fail_code === null ? '' : `${agent.fail_code}: ${agent.fail_detail ?? ''}`],
    ['task', agent.task_id],
    ['profile', `${agent.profile} (pool ${agent.pool})`],
    ['phase', agent.phase ?? ''],
    ['branch', agent.branch ?? ''],
    ['worktree', agent.worktree ?? ''],
    ['commits', head_before === null ? '' : `${head_before} → ${head_after ?? '…'}`],
    ['tokens', String(agent.tokens_used)],
    ['made', agent.created_at],
    ['started', agent.started_at ?? ''],
    ['heard of', agent.last_progress_at ?? ''],
    ['ended', agent.ended_at ?? ''],
  ];
}
