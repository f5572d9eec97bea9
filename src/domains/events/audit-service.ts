/** The kernel's audit sink: one durable row per tool call. */
import type { ColibriDatabase } from '../../db/database.ts';
import { createGroupCommit } from '../../lib/group-commit.ts';
import type { AuditExit, AuditSink } from '../../server.ts';
import type { AuditRepository, AuditRow } from './audit-repository.ts';

/** Rows per INSERT: eight values each, far below SQLite's limit on bound parameters. */
const BATCH_ROWS_MAX = 500;

/** Calls that end in one turn, or while a commit is under way, share the next one: a busy server pays one fsync for many rows. */
export function createAuditSink(repository: AuditRepository, write: ColibriDatabase['write']): AuditSink {
  const commits = createGroupCommit<AuditRow>((take) =>
    write(async () => {
      const rows = take();
      for (let start = 0; start < rows.length; start += BATCH_ROWS_MAX) {
        await repository.append(rows.slice(start, start + BATCH_ROWS_MAX));
      }
    }),
  );
  return {
    enter: () => undefined,
    exit: (entry) => commits.add(auditRow(entry), 'turn'),
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
