-- Agents: one row for each run of a profile, and what all runs of a profile came to.

CREATE TABLE agents (
  id TEXT PRIMARY KEY,                  -- ULID
  task_id TEXT NOT NULL,
  profile TEXT NOT NULL,
  pool TEXT NOT NULL CHECK (pool IN ('research', 'implementation', 'verification', 'review')),
  state TEXT NOT NULL CHECK (state IN ('PENDING', 'INITIALIZING', 'READY', 'BUSY', 'TERMINATED', 'FAILED')),
  epoch INTEGER NOT NULL,               -- of the lease that it was made under
  phase TEXT,
  repo TEXT,                            -- absolute
  base_ref TEXT,
  worktree TEXT,                        -- absolute
  branch TEXT,
  head_before TEXT,
  head_after TEXT,
  pid INTEGER,                          -- of its first process, which leads its group
  supervisor_pid INTEGER,
  supervisor_start TEXT,                -- with the number it names one process of one boot
  boot_id TEXT,
  envelope TEXT CHECK (envelope IS NULL OR json_valid(envelope)), -- exactly what was handed to it
  envelope_sha256 TEXT,
  tokens_used INTEGER NOT NULL DEFAULT 0,
  fail_code TEXT,
  fail_detail TEXT,
  created_at TEXT NOT NULL,             -- ISO-8601 UTC, like the others
  started_at TEXT,
  last_progress_at TEXT,
  ended_at TEXT,
  CHECK ((state = 'FAILED') = (fail_code IS NOT NULL)),
  CHECK ((state IN ('TERMINATED', 'FAILED')) = (ended_at IS NOT NULL))
) STRICT;

CREATE INDEX idx_agents_task ON agents(task_id);
CREATE INDEX idx_agents_profile ON agents(profile, state);
CREATE INDEX idx_agents_worktree ON agents(worktree) WHERE worktree IS NOT NULL;
CREATE INDEX idx_agents_live ON agents(state) WHERE state NOT IN ('TERMINATED', 'FAILED');

CREATE TRIGGER agents_begin_pending BEFORE INSERT ON agents
WHEN new.state <> 'PENDING'
BEGIN
  SELECT RAISE(ABORT, 'an agent begins as PENDING');
END;

-- The same table of edges stands in the code; a test holds the two together.
CREATE TRIGGER agents_edges BEFORE UPDATE OF state ON agents
WHEN NOT (
  (old.state = 'PENDING' AND new.state IN ('INITIALIZING', 'FAILED'))
  OR (old.state = 'INITIALIZING' AND new.state IN ('READY', 'FAILED'))
  OR (old.state = 'READY' AND new.state IN ('BUSY', 'FAILED'))
  OR (old.state = 'BUSY' AND new.state IN ('TERMINATED', 'FAILED'))
)
BEGIN
  SELECT RAISE(ABORT, 'an agent cannot move along this edge');
END;

-- A supervisor that lost its agent to another finds it ended; it must not be able to write one more word about it.
CREATE TRIGGER agents_ended_stay BEFORE UPDATE ON agents
WHEN old.state IN ('TERMINATED', 'FAILED')
BEGIN
  SELECT RAISE(ABORT, 'an agent that has ended cannot be changed');
END;

CREATE TRIGGER agents_no_delete BEFORE DELETE ON agents
BEGIN
  SELECT RAISE(ABORT, 'agents are records: a row cannot be deleted');
END;

-- Profiles themselves are files; here is what only experience can tell.
CREATE TABLE agent_history (
  agent_type TEXT PRIMARY KEY,
  success_rate REAL NOT NULL CHECK (success_rate BETWEEN 0 AND 1),
  avg_duration_ms REAL NOT NULL CHECK (avg_duration_ms >= 0),
  total_runs INTEGER NOT NULL CHECK (total_runs >= 0),
  last_assigned_at TEXT
) STRICT;
