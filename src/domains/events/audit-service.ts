/** The kernel's audit sink: one durable row per tool call. */
import type { ColibriDatabase } from '../../db/database.ts';
import type { AuditExit, AuditSink } from '../../server.ts';
import type { AuditRepository, AuditRow } from './audit-repository.ts';

/** Rows per INSERT: eight values each, far below SQLite's limit on bound parameters. */
const BATCH_ROWS_MAX = 500;

/** Calls that end while a commit is under way share the next one, so a busy server pays one fsync for many rows. */
export function createAuditSink(repository: AuditRepository, write: ColibriDatabase['write']): AuditSink {
  let pending: AuditRow[] = [];
  let commit: Promise<void> | null = null;

  const flush = async (): Promise<void> => {
    commit = null;
    const rows = pending;
    pending = [];
    for (let start = 0; start < rows.length; start += BATCH_ROWS_MAX) {
      await repository.append(rows.slice(start, start + BATCH_ROWS_MAX));
    }
  };

  return {
    enter: () => undefined,
    exit(entry) {
      pending.push(auditRow(entry));
      commit ??= write(flush);
      return commit;
    },
  };
}

function auditRow(entry: AuditExit): AuditRow {
  const { caller, error } = entry;
  return {
    id: entry.callId,
    at: new Date(entry.at).toISOString(),
    actor: caller.id,
    action: 'tool.call',
    subject: entry.tool,
    outcome: error === undefined ? 'ok' : error.code,
    duration_ms: entry.durationMs,
    detail: JSON.stringify({ session_id: caller.sessionId, agent_tier: caller.agentTier }),
  };
}
