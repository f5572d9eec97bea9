/** What happens to tasks, in a line each: from the event log, whoever does the work, and from an agent of this process. */
import type { RunProgress } from '../../domains/agents/schema.ts';
import type { EventRow } from '../../domains/events/schema.ts';
import type { EventsService } from '../../domains/events/service.ts';
import { printable } from '../../lib/text.ts';

const TYPES = ['task.created', 'task.dispatched', 'task.transitioned', 'task.updated', 'task.writeback'];
/** What an agent says may be long. */
const MESSAGE_CHARS_MAX = 200;

export interface TaskFollower {
  /** After what has happened until now was told. */
  end(): Promise<void>;
}

/** Tells what happens from now on; to one task, or to all. */
export async function followTasks(
  events: EventsService,
  { taskId, tell }: { readonly taskId?: string | undefined; readonly tell: (line: string) => void },
): Promise<TaskFollower> {
  const filter = { types: TYPES, stream: taskId === undefined ? undefined : `task:${taskId}` };
  let after = await events.last();
  const told = (rows: readonly EventRow[]): void => {
    for (const row of rows) {
      if (row.seq <= after) continue;
      after = row.seq;
      const line = eventLine(row);
      if (line !== null) tell(taskId === undefined ? `${row.stream.slice(-6)} ${line}` : line);
    }
  };
  const stop = events.follow({ ...filter, after }, told);
  return {
    async end() {
      stop();
      told(await events.read({ ...filter, after }));
    },
  };
}

/** The phase, and what is worth knowing about it. */
export function eventLine({ type, payload }: Pick<EventRow, 'type' | 'payload'>): string | null {
  // Written and checked by the event log.
  const told = JSON.parse(payload) as Readonly<Record<string, unknown>>;
  const text = (member: string): string => printable(String(told[member] ?? ''));
  switch (type) {
    case 'task.dispatched': {
      const skills = told['skill_refs'] as readonly string[];
      const by = skills.length === 0 ? '' : `, skills ${skills.map(printable).join(', ')}`;
      return line('agent', `${text('profile')} ${text('agent_id')}${by}`);
    }
    case 'task.transitioned':
      return line(text('to'), told['code'] === null ? '' : `${text('code')}: ${text('reason')}`);
    case 'task.updated':
      return line('update', `${text('progress')}% ${text('status')}: ${text('summary')}`);
    case 'task.writeback':
      return line(
        'written',
        `${text('branch')} at ${text('head_sha').slice(0, 12)}, commits: ${text('commits')}`,
      );
    default:
      return null;
  }
}

/** What only the process that runs the agent gets to hear. */
export function progressLine(progress: RunProgress): string | null {
  switch (progress.kind) {
    case 'worktree':
      return line('worktree', `${printable(progress.path)} on ${printable(progress.branch)}`);
    case 'message':
      return line('says', printable(progress.text).slice(0, MESSAGE_CHARS_MAX));
    case 'tool':
      return progress.status === 'started' ? line('tool', printable(progress.name)) : null;
    case 'state':
    case 'phase':
    case 'usage':
      return null;
  }
}

const LABEL_WIDTH = 9;

function line(label: string, value: string): string {
  return `${label.padEnd(LABEL_WIDTH)} ${value}`.trimEnd();
}
