-- Skills that agents propose and people decide on.

CREATE TABLE proposals (
  id TEXT PRIMARY KEY,                  -- ULID
  name TEXT NOT NULL,
  change TEXT NOT NULL CHECK (change IN ('new', 'changed')),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'accepted', 'rejected')),
  reason TEXT NOT NULL,                 -- the agent's own words
  files TEXT NOT NULL CHECK (json_valid(files)), -- JSON array of path and text; a null text removes the file
  digest TEXT NOT NULL,                 -- sha256 over those files
  base_digest TEXT,                     -- what the skill was when the change was proposed
  verdict TEXT NOT NULL CHECK (verdict IN ('block', 'review', 'clean')),
  findings TEXT NOT NULL CHECK (json_valid(findings)), -- JSON array of what the security scan has found
  proposed_by TEXT NOT NULL,
  session_id TEXT,
  proposed_at TEXT NOT NULL,            -- ISO-8601 UTC
  decided_by TEXT,
  decided_at TEXT,
  note TEXT
) STRICT;

CREATE INDEX proposals_by_state ON proposals (state, id);

-- A decision is made once.
CREATE TRIGGER proposals_decided_once BEFORE UPDATE ON proposals WHEN OLD.state <> 'waiting'
BEGIN
  SELECT raise(ABORT, 'a proposal is decided once');
END;
