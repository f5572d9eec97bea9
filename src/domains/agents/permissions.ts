/** What the permissions of a profile come to. Pure. */
import type { AgentProfile } from './schema.ts';

/** Without these an agent could not meet its contract, so no profile has to name them. */
export const WRITEBACK_TOOLS: ReadonlySet<string> = new Set(['task_update', 'thought_record', 'memory_pack']);

/** Tools that make more agents. */
const ADMIN_TOOLS: ReadonlySet<string> = new Set(['agent_spawn']);

/** Null, or why an agent of the profile may not call the tool. */
export function toolRefusal(
  { agent_type, permissions }: Pick<AgentProfile, 'agent_type' | 'permissions'>,
  tool: string,
): string | null {
  if (ADMIN_TOOLS.has(tool) && !permissions.admin_access) {
    return `${tool} is locked for agents of ${agent_type}: its profile has no admin_access`;
  }
  if (WRITEBACK_TOOLS.has(tool) || permissions.tools.some((pattern) => covers(pattern, tool))) return null;
  return `${tool} is locked for agents of ${agent_type}: add it to permissions.tools of the profile`;
}

export function missingTools(required: readonly string[], offered: readonly string[]): readonly string[] {
  return required.filter((tool) => !offered.some((pattern) => covers(pattern, tool)));
}

function covers(pattern: string, tool: string): boolean {
  return pattern.endsWith('*') ? tool.startsWith(pattern.slice(0, -1)) : pattern === tool;
}
