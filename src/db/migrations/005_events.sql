-- Durable facts, only ever added. `seq` is global and without gaps; each stream is a chain of hashes, so that a row
-- that was changed, removed or slipped in later shows.

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,              -- ULID
  stream TEXT NOT NULL,                 -- 'catalog', 'session:<id>', 'task:<id>', 'agent:<id>'
  session_id TEXT,
  type TEXT NOT NULL,
  at TEXT NOT NULL,                     -- ISO-8601 UTC
  actor TEXT NOT NULL,
  parent_id TEXT,
  payload TEXT NOT NULL,                -- JSON object
  sensitivity TEXT NOT NULL CHECK (sensitivity IN ('public', 'pseudonymous', 'private')),
  prev_hash TEXT NOT NULL,              -- '' for the first of a stream
  hash TEXT NOT NULL
) STRICT;

CREATE INDEX idx_events_stream ON events(stream, seq);
CREATE INDEX idx_events_type ON events(type, seq);

CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN
  SELECT RAISE(ABORT, 'events are append-only: a row cannot be changed');
END;

CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN
  SELECT RAISE(ABORT, 'events are append-only: a row cannot be deleted');
END;
