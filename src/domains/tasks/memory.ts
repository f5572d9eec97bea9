/** What one agent's session leaves for the next. Pure. */
import type { Json } from '../../lib/json.ts';
import type { EventRow } from '../events/schema.ts';
import type { Checkpoint, MemoryPack, Task, Thought } from './schema.ts';

export interface PackParts {
  readonly task: Task | null;
  readonly thoughts: readonly Thought[];
  /** The events of the session. */
  readonly session: readonly EventRow[];
  readonly notes: readonly string[];
}

/** Names, counts and what was written for others; no body of a skill and no answer of a tool. */
export function packOf({ task, thoughts, session, notes }: PackParts): Json {
  return {
    task: task === null ? null : { id: task.id, slug: task.slug, state: task.state, summary: task.summary },
    notes,
    skills: membersOf(session, 'skill.loaded', 'name'),
    tools: counted(membersOf(session, 'tool.finished', 'tool')),
    thoughts: thoughts.map(thoughtJson),
  };
}

/** How much of the past an agent is told. */
const THOUGHTS_MAX = 20;

/** The context of a new agent: what earlier ones did, thought and packed. */
export function contextFor(
  task: Task,
  past: {
    readonly thoughts: readonly Thought[];
    readonly packs: readonly MemoryPack[];
    readonly checkpoints: readonly Checkpoint[];
  },
): Json {
  return {
    attempt: task.attempt,
    last_failure: task.code === null ? null : { code: task.code, reason: task.reason },
    phases: past.checkpoints
      .filter(({ attempt, status }) => attempt === task.attempt && status === 'ok')
      .map(({ phase, output, head_sha }) => ({ phase, output, head_sha })),
    thoughts: past.thoughts.slice(-THOUGHTS_MAX).map(thoughtJson),
    memory: past.packs.at(-1)?.content ?? null,
  };
}

function thoughtJson({ type, content, branch, commit_sha, tests_run, blockers, at }: Thought): Json {
  return { type, content, branch, commit_sha, tests_run, blockers, at };
}

/** A text member of the payloads of one type, in order. */
function membersOf(events: readonly EventRow[], type: string, member: string): readonly string[] {
  return events
    .filter((event) => event.type === type)
    .map(({ payload }): unknown => JSON.parse(payload)[member])
    .filter((value) => typeof value === 'string');
}

function counted(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
