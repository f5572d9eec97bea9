/** `agent_spawn`: puts a task into the queue and works it off in this process. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ColibriDatabase } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import { ColibriError, messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Pool } from '../agents/schema.ts';
import type { PoolReport } from './dispatch.ts';
import { changeTask } from './repository.ts';
import type { Task } from './schema.ts';
import type { TasksService } from './service.ts';

export interface SpawnTaskRequest {
  readonly task_id: string;
  /** Default: as the task says. */
  readonly agent_type?: string | undefined;
  readonly pool?: Pool | undefined;
}

export interface Spawned {
  readonly task_id: string;
  readonly run_id: string | null;
  /** Null while all agents that could do it are busy. */
  readonly agent_id: string | null;
  readonly state: Task['state'];
}

interface SpawnParts {
  readonly db: ColibriDatabase;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long a caller waits to hear which agent it is. */
const ALLOCATION_MS = 5_000;
const LOOK_MS = 50;

export async function spawnAgent(
  { db, clock, logger }: SpawnParts,
  tasks: TasksService,
  { request, actor }: { readonly request: SpawnTaskRequest; readonly actor: string },
): Promise<Spawned> {
  const before = await tasks.get(request.task_id);
  const { agent_type: profile = before.profile, pool = before.pool } = request;
  if (before.run_id === null && (profile !== before.profile || pool !== before.pool)) {
    const changed = { profile, pool, updated_at: isoNow(clock) };
    await db.transact((transaction) => changeTask(transaction, before.id, changed));
  }
  const report = await tasks.pool(before.id);
  if (report.empty !== null && report.empty.code !== 'ALL_BUSY') throw emptyPool(before, report);
  const { id } = await tasks.dispatch(before.id, actor);
  const worker = await tasks.work({ task: id, lanes: 1 });
  worker
    .drained()
    .then(() => worker.stop())
    .catch((error: unknown) => logger(`[colibri] the run of task ${id} was lost:`, messageOf(error)));
  for (let waited = 0; waited < ALLOCATION_MS; waited += LOOK_MS) {
    const task = await tasks.get(id);
    if (task.agent_id !== before.agent_id) return spawned(task);
    await sleep(LOOK_MS);
  }
  return { ...spawned(await tasks.get(id)), agent_id: null };
}

function spawned({ id: task_id, run_id, agent_id, state }: Task): Spawned {
  return { task_id, run_id, agent_id, state };
}

function emptyPool({ slug }: Task, { empty, profiles }: PoolReport): ColibriError {
  const message = `nobody can take the task ${slug}: ${empty?.reason ?? ''}`;
  return new ColibriError('POOL_EMPTY', message, { code: empty?.code, profiles });
}
