-- What the user vouched for: skills, and files of the workspace that steer trust and policy. A row counts only with the
-- seal of the user's own key, because the database may have come with the workspace.

CREATE TABLE trust (
  path TEXT PRIMARY KEY,                -- absolute, links resolved
  kind TEXT NOT NULL CHECK (kind IN ('skill', 'file')),
  name TEXT NOT NULL,
  digest TEXT NOT NULL,                 -- of the whole tree
  files TEXT NOT NULL CHECK (json_valid(files)), -- JSON array of path, digest, executable
  trusted_at TEXT NOT NULL,             -- ISO-8601 UTC
  trusted_by TEXT NOT NULL,
  seal TEXT NOT NULL                    -- HMAC of kind, name, path and digest
) STRICT;
