-- Tasks, what was recorded about them, and the queue in which their runs wait.

CREATE TABLE tasks (
  id TEXT PRIMARY KEY,                  -- ULID
  slug TEXT NOT NULL UNIQUE,            -- names the branch: feature/<slug>
  title TEXT NOT NULL CHECK (title <> ''),
  description TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN
    ('INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE', 'CANCELLED', 'BLOCKED')),
  attempt INTEGER NOT NULL CHECK (attempt >= 1),
  max_attempts INTEGER NOT NULL CHECK (max_attempts >= 1),
  priority INTEGER NOT NULL,
  agent_tier TEXT NOT NULL,
  pool TEXT NOT NULL,
  profile TEXT,                         -- the only one that may do it; null: any that fits
  strategy TEXT NOT NULL,
  required_skills TEXT NOT NULL,        -- JSON array of names
  required_tools TEXT NOT NULL,         -- JSON array of names
  token_budget INTEGER,                 -- what it is expected to need; null: whatever the profile allows
  timeout_ms INTEGER,
  repo TEXT,                            -- absolute path; null: nothing to dispatch yet
  base_ref TEXT NOT NULL,
  brief TEXT NOT NULL,                  -- JSON: skills, plan and checks of the last dispatch
  status TEXT NOT NULL,                 -- as its agent said last
  progress INTEGER NOT NULL CHECK (progress BETWEEN 0 AND 100),
  summary TEXT NOT NULL,
  run_id TEXT,                          -- its place in run_queue
  agent_id TEXT,                        -- who works on it, or did last
  branch TEXT,
  head_sha TEXT,
  code TEXT,                            -- why it is blocked or cancelled, or why its last attempt failed
  reason TEXT,
  created_at TEXT NOT NULL,             -- ISO-8601 UTC
  updated_at TEXT NOT NULL,
  closed_at TEXT
) STRICT;

CREATE INDEX idx_tasks_state ON tasks(state, id);

CREATE TRIGGER tasks_begin BEFORE INSERT ON tasks
WHEN new.state <> 'INIT' OR new.attempt <> 1
BEGIN
  SELECT RAISE(ABORT, 'a task begins in INIT, with its first attempt');
END;

-- The same edges as in pipeline.ts, so that a mistake of ours cannot skip a phase either.
CREATE TRIGGER tasks_edges BEFORE UPDATE ON tasks
WHEN NOT (
  (new.state = old.state AND new.attempt = old.attempt)
  OR (new.attempt = old.attempt AND old.state || '>' || new.state IN
    ('INIT>GATHER', 'GATHER>ANALYZE', 'ANALYZE>PLAN', 'PLAN>APPLY', 'APPLY>VERIFY', 'VERIFY>DONE'))
  OR (new.attempt = old.attempt + 1 AND new.state = 'GATHER'
    AND old.state IN ('GATHER', 'ANALYZE', 'PLAN', 'VERIFY', 'BLOCKED'))
  OR (new.attempt = old.attempt AND new.state = 'CANCELLED' AND old.state NOT IN ('DONE', 'CANCELLED'))
  OR (new.attempt = old.attempt AND new.state = 'BLOCKED' AND old.state NOT IN ('DONE', 'CANCELLED'))
)
BEGIN
  SELECT RAISE(ABORT, 'a task cannot take this step');
END;

CREATE TRIGGER tasks_stay BEFORE DELETE ON tasks
BEGIN
  SELECT RAISE(ABORT, 'a task is a record: cancel it instead of deleting it');
END;

-- How far an attempt has come: one row for each phase that has begun.
CREATE TABLE task_checkpoints (
  task_id TEXT NOT NULL REFERENCES tasks(id),
  attempt INTEGER NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY')),
  status TEXT NOT NULL CHECK (status IN ('started', 'ok', 'failed')),
  output TEXT NOT NULL,                 -- JSON
  head_sha TEXT,                        -- of the worktree, after the phase
  agent_id TEXT,
  epoch INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  PRIMARY KEY (task_id, attempt, phase)
) STRICT;

-- Answers to the checks of the skills: VERIFY does not end before each has one.
CREATE TABLE task_answers (
  task_id TEXT NOT NULL REFERENCES tasks(id),
  attempt INTEGER NOT NULL,
  line TEXT NOT NULL,                   -- the check, word for word
  verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'fail')),
  evidence TEXT NOT NULL CHECK (evidence <> ''),
  agent_id TEXT,
  at TEXT NOT NULL,
  PRIMARY KEY (task_id, attempt, line)
) STRICT;

CREATE TABLE task_updates (
  id TEXT PRIMARY KEY,
  task_id TEXT NOT NULL REFERENCES tasks(id),
  agent_id TEXT,
  status TEXT NOT NULL,
  progress INTEGER NOT NULL CHECK (progress BETWEEN 0 AND 100),
  summary TEXT NOT NULL CHECK (summary <> ''),
  at TEXT NOT NULL
) STRICT;

CREATE INDEX idx_task_updates_task ON task_updates(task_id, id);

CREATE TABLE thought_records (
  id TEXT PRIMARY KEY,
  task_id TEXT NOT NULL REFERENCES tasks(id),
  agent_id TEXT,
  session_id TEXT,
  type TEXT NOT NULL CHECK (type IN ('plan', 'analysis', 'decision', 'reflection')),
  content TEXT NOT NULL CHECK (content <> ''),
  branch TEXT,
  commit_sha TEXT,
  tests_run TEXT,                       -- JSON array; null where none are due
  blockers TEXT,                        -- JSON array
  at TEXT NOT NULL
) STRICT;

CREATE INDEX idx_thought_records_task ON thought_records(task_id, id);
CREATE INDEX idx_thought_records_agent ON thought_records(agent_id);

CREATE TABLE memory_packs (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  task_id TEXT,
  agent_id TEXT,
  content TEXT NOT NULL,                -- JSON
  digest TEXT NOT NULL,                 -- sha256 of the content
  at TEXT NOT NULL
) STRICT;

CREATE INDEX idx_memory_packs_task ON memory_packs(task_id, id);

CREATE TRIGGER thought_records_no_update BEFORE UPDATE ON thought_records
BEGIN
  SELECT RAISE(ABORT, 'thought_records are append-only: a row cannot be changed');
END;

CREATE TRIGGER thought_records_no_delete BEFORE DELETE ON thought_records
BEGIN
  SELECT RAISE(ABORT, 'thought_records are append-only: a row cannot be deleted');
END;

-- That an agent has ended as it should: at most once for each attempt.
CREATE TABLE writebacks (
  task_id TEXT NOT NULL REFERENCES tasks(id),
  attempt INTEGER NOT NULL,
  agent_id TEXT NOT NULL UNIQUE,
  epoch INTEGER NOT NULL,
  task_update_id TEXT NOT NULL REFERENCES task_updates(id),
  thought_id TEXT NOT NULL REFERENCES thought_records(id),
  memory_pack_id TEXT REFERENCES memory_packs(id),
  branch TEXT NOT NULL,
  head_sha TEXT NOT NULL,               -- what the supervisor found, not what the agent said
  dirty INTEGER NOT NULL CHECK (dirty IN (0, 1)),
  commits INTEGER NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (task_id, attempt)
) STRICT;

-- Agents that ended without writeback and were reported; each once.
CREATE TABLE orphans (
  agent_id TEXT PRIMARY KEY,
  task_id TEXT NOT NULL,
  found_at TEXT NOT NULL
) STRICT;

-- Whose turn it is. `epoch` is the fence: whoever holds an older one may write nothing any more.
CREATE TABLE run_queue (
  run_id TEXT PRIMARY KEY,
  queue TEXT NOT NULL,
  partition TEXT NOT NULL,              -- runs of one partition share a limit; '' has none
  priority INTEGER NOT NULL,
  run_at INTEGER NOT NULL,              -- milliseconds since 1970
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'dead', 'cancelled')),
  owner TEXT,
  lease_until INTEGER,                  -- milliseconds since 1970
  epoch INTEGER NOT NULL,
  claims INTEGER NOT NULL,              -- since it last came to an end of its own
  max_claims INTEGER NOT NULL,
  cancel INTEGER NOT NULL CHECK (cancel IN (0, 1)),
  reason TEXT
) STRICT;

CREATE INDEX idx_run_queue_waiting ON run_queue(priority DESC, run_at, run_id) WHERE state = 'queued';
CREATE INDEX idx_run_queue_leased ON run_queue(lease_until) WHERE state = 'running';
