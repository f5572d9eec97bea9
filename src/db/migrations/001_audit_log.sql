-- Who did what, when, and how it ended. Rows are only ever added: the triggers hold even against our own mistakes.

CREATE TABLE audit_log (
  id TEXT PRIMARY KEY,                  -- ULID, so ids sort by time
  at TEXT NOT NULL,                     -- ISO-8601 UTC
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  outcome TEXT NOT NULL,
  duration_ms REAL,
  detail TEXT NOT NULL DEFAULT '{}'     -- JSON object
) STRICT;

CREATE INDEX idx_audit_log_at ON audit_log(at);

CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'audit_log is append-only: a row cannot be changed');
END;

CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'audit_log is append-only: a row cannot be deleted');
END;
