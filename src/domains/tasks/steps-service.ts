/** Steps of a task through the pipeline: each one transaction with its event and its audit row. */
import type { RecordTransaction } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import { ColibriError } from '../../lib/errors.ts';
import type { EventDraft } from '../events/schema.ts';
import type { EventsService } from '../events/service.ts';
import { isClosed, isLegalStep, type Step } from './pipeline.ts';
import { changeTask, type TaskChange } from './repository.ts';
import type { Task, TaskState } from './schema.ts';

export interface StepHow {
  readonly actor: string;
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  /** The next attempt begins with this step. */
  readonly retry?: boolean | undefined;
  readonly change?: TaskChange | undefined;
}

/** Throws TASK_TRANSITION for a step that the pipeline does not have. */
export type TakeStep = (
  transaction: RecordTransaction,
  task: Task,
  to: TaskState,
  how: StepHow,
) => Promise<Task>;

export function createSteps({
  events,
  clock,
}: {
  readonly events: EventsService;
  readonly clock: Clock;
}): TakeStep {
  return async (transaction, task, to, { actor, code, reason, retry = false, change = {} }) => {
    const step: Step = { state: to, attempt: retry ? task.attempt + 1 : task.attempt };
    if (!isLegalStep(task, step)) throw illegalStep(task, to);
    const now = isoNow(clock);
    const changed: TaskChange = {
      ...change,
      ...step,
      code: code ?? null,
      reason: reason ?? null,
      updated_at: now,
      closed_at: isClosed(to) ? now : null,
    };
    await changeTask(transaction, task.id, changed);
    const next = { ...task, ...changed };
    const facts = {
      task_id: task.id,
      from: task.state,
      to,
      attempt: next.attempt,
      agent_id: next.agent_id,
      code: next.code,
    };
    const payload = { ...facts, reason: next.reason };
    const draft: EventDraft = { ...taskEvent(task.id, actor), type: 'task.transitioned', payload };
    await events.append(transaction, [draft]);
    await events.audit(transaction, {
      actor,
      action: 'task.transition',
      subject: task.id,
      outcome: code ?? 'ok',
      detail: facts,
    });
    return next;
  };
}

/** What all events of a task have in common. */
export function taskEvent(
  taskId: string,
  actor: string,
): { readonly stream: string; readonly actor: string; readonly sensitivity: 'pseudonymous' } {
  return { stream: `task:${taskId}`, actor, sensitivity: 'pseudonymous' };
}

function illegalStep({ slug, state }: Task, to: TaskState): ColibriError {
  const fix = isClosed(state)
    ? 'it has ended; make a new task'
    : '`colibri task show` tells what was done so far';
  return new ColibriError('TASK_TRANSITION', `the task ${slug} cannot go from ${state} to ${to}; ${fix}`, {
    from: state,
    to,
  });
}
