/** Finds agents that ended without recording a thought: a warning and an alert each, once; nothing is rolled back. */
import type { ColibriDatabase } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { AgentsService } from '../agents/service.ts';
import type { EventsService } from '../events/service.ts';
import { findOrphans, noteOrphan, type RecordSchema, withoutThought } from './record-repository.ts';

export interface OrphanParts {
  readonly db: ColibriDatabase;
  readonly agents: Pick<AgentsService, 'list'>;
  readonly events: EventsService;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Orphan {
  readonly agent_id: string;
  readonly task_id: string;
  readonly found_at: string;
}

export interface Orphans {
  /** Those that this scan has found first. */
  scan(): Promise<readonly Orphan[]>;
  list(): Promise<readonly Orphan[]>;
  /** Scans now and from time to time, until told to stop. */
  watch(everyMs?: number): () => Promise<void>;
}

/** Agents looked at in one scan: the newest. */
const AGENTS_MAX = 10_000;
const SCAN_EVERY_MS = 60_000;

export function createOrphans({ db, agents, events, clock, logger }: OrphanParts): Orphans {
  const scan = async (): Promise<readonly Orphan[]> => {
    const ended = await agents.list({ state: 'TERMINATED', limit: AGENTS_MAX });
    const records = await db.records<RecordSchema>();
    const known = new Set((await findOrphans(records)).map(({ agent_id }) => agent_id));
    const silent = new Set(
      await withoutThought(
        records,
        ended.map(({ id }) => id).filter((id) => !known.has(id)),
      ),
    );
    const found: Orphan[] = [];
    for (const { id, task_id } of ended.filter((agent) => silent.has(agent.id))) {
      const orphan = { agent_id: id, task_id, found_at: isoNow(clock) };
      if (!(await report(orphan))) continue;
      found.push(orphan);
      logger(`[colibri] agent ${id} ended without writeback; its task ${task_id} is orphaned`);
    }
    if (found.length > 0) events.wake();
    return found;
  };
  /** False when another process was faster. */
  const report = (orphan: Orphan): Promise<boolean> =>
    db.transact(async (transaction) => {
      if (!(await noteOrphan(transaction, orphan))) return false;
      const { agent_id, task_id } = orphan;
      const detail = 'it ended without a thought_record';
      const payload = { kind: 'orphan', task_id, agent_id, detail } as const;
      const about = {
        stream: `agent:${agent_id}`,
        actor: 'orphan-scan',
        sensitivity: 'pseudonymous',
      } as const;
      await events.append(transaction, [{ ...about, type: 'task.alert', payload }]);
      return true;
    });

  return {
    scan,
    list: async () => findOrphans(await db.records<RecordSchema>()),
    watch(everyMs = SCAN_EVERY_MS) {
      let busy: Promise<void> | null = null;
      const look = (): void => {
        busy ??= scan()
          .then(() => undefined)
          .catch((error: unknown) => logger('[colibri] the orphan scan failed:', messageOf(error)))
          .finally(() => {
            busy = null;
          });
      };
      const timer = setInterval(look, everyMs);
      timer.unref();
      look();
      return async () => {
        clearInterval(timer);
        await busy;
      };
    },
  };
}
