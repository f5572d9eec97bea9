-- Values that outlive a run and are not worth a table of their own.

CREATE TABLE settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  updated_at TEXT NOT NULL              -- ISO-8601 UTC
) STRICT;
