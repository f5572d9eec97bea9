/** What an agent of the Agent Client Protocol is asked in each phase. Pure. */
import type { Json } from '../../../lib/json.ts';
import type { Envelope } from '../envelope.ts';

export function promptOf(envelope: Envelope, phase: string, input: Json): string {
  const { task, skill_refs, branch_name, writeback_contract } = envelope;
  return [
    `You are agent ${envelope.agent_id} of Colibri, working on one task in phases. This is the phase ${phase}.`,
    '',
    `Task ${task.id}: ${task.title}`,
    ...(task.description === '' ? [] : ['', task.description]),
    '',
    `You are in a git worktree of your own, on the branch ${branch_name}. Commit what you want to keep.`,
    `Skills for it (load them with the tool skill_load of the MCP server colibri): ${namesOf(skill_refs)}.`,
    `Before you end, record: ${JSON.stringify(writeback_contract)}`,
    ...(input === null ? [] : ['', `Input of this phase: ${JSON.stringify(input)}`]),
    '',
    `Do the work of ${phase} only, then say in a few sentences what came of it.`,
  ].join('\n');
}

function namesOf(skills: Envelope['skill_refs']): string {
  return skills.length === 0 ? 'none' : skills.map(({ name }) => name).join(', ');
}
