/** What an agent is handed at its start: in its environment and as the first line on stdin. Pure. */
import type { Json } from '../../lib/json.ts';
import type { Agent, AgentProfile, RunSpec } from './schema.ts';
import type { Worktree } from './worktree/worktree.ts';

/** How to reach Colibri's own tools. */
export interface McpServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The seven injected values, and what goes with them. */
export type Envelope = {
  readonly protocol: 1;
  readonly agent_id: string;
  readonly pool_assignment: string;
  readonly worktree_path: string;
  readonly branch_name: string;
  readonly writeback_contract: Json;
  readonly skill_refs: readonly {
    readonly name: string;
    readonly version: string | null;
    readonly digest: string;
  }[];
  readonly context_snapshot: Json;
  readonly epoch: number;
  readonly task: {
    readonly id: string;
    readonly slug: string;
    readonly title: string;
    readonly description: string;
  };
  readonly required_tools: readonly string[];
  readonly limits: { readonly timeout_ms: number; readonly token_budget: number };
  readonly mcp: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
};

export function envelopeOf(
  spec: RunSpec,
  {
    agent,
    worktree,
    profile,
    mcp,
  }: {
    readonly agent: Agent;
    readonly worktree: Pick<Worktree, 'path' | 'branch'>;
    readonly profile: AgentProfile;
    readonly mcp: McpServer;
  },
): Envelope {
  return {
    protocol: 1,
    agent_id: agent.id,
    pool_assignment: agent.pool,
    worktree_path: worktree.path,
    branch_name: worktree.branch,
    writeback_contract: spec.writebackContract,
    skill_refs: spec.skills.map(({ name, version, digest }) => ({ name, version, digest })),
    context_snapshot: spec.contextSnapshot,
    epoch: agent.epoch,
    task: {
      id: spec.task.id,
      slug: spec.task.slug,
      title: spec.task.title,
      description: spec.task.description,
    },
    required_tools: spec.requiredTools,
    limits: {
      timeout_ms: spec.timeoutMs ?? profile.limits.timeout_ms,
      token_budget: spec.tokenBudget ?? profile.limits.token_budget,
    },
    mcp: { command: mcp.command, args: mcp.args, env: mcp.env },
  };
}

/** What programs need to find their way, and nothing that could be a secret. */
const HANDED_ON = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'];

/** Linux refuses to start a program with a variable beyond 128 KiB. */
const VARIABLE_CHARS_MAX = 32 * 1_024;

/** `own`: Colibri's environment; `names`: what the profile hands on beyond the usual. */
export function environmentOf(
  envelope: Envelope,
  own: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const handedOn: Record<string, string> = {};
  for (const name of [...HANDED_ON, ...names]) {
    const value = own[name];
    if (value !== undefined) handedOn[name] = value;
  }
  return {
    ...handedOn,
    COLIBRI_AGENT_ID: envelope.agent_id,
    COLIBRI_POOL_ASSIGNMENT: envelope.pool_assignment,
    COLIBRI_WORKTREE_PATH: envelope.worktree_path,
    COLIBRI_BRANCH_NAME: envelope.branch_name,
    COLIBRI_WRITEBACK_CONTRACT: variable(envelope.writeback_contract),
    COLIBRI_SKILL_REFS: variable(envelope.skill_refs),
    COLIBRI_CONTEXT_SNAPSHOT: variable(envelope.context_snapshot),
    COLIBRI_TASK_ID: envelope.task.id,
    COLIBRI_EPOCH: String(envelope.epoch),
  };
}

/** What is too long for a variable is on stdin alone. */
function variable(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= VARIABLE_CHARS_MAX ? text : JSON.stringify({ too_long: true, read: 'stdin' });
}
