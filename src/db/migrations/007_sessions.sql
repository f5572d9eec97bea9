-- Sessions and what they need to be replayed.
--
-- A session's catalog is the state of `skills` at one generation. Rows carry the generation that wrote them; when a
-- row that some session may still look at is replaced or deleted, it moves to `archived_skills` with the span of
-- generations in which it was valid. Opening a session therefore copies nothing, and any number of them share it.

ALTER TABLE skills ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,                  -- ULID
  opened_at TEXT NOT NULL,              -- ISO-8601 UTC
  closed_at TEXT,
  generation INTEGER NOT NULL,
  agent_tier TEXT NOT NULL,
  agent_id TEXT,
  options TEXT NOT NULL                 -- JSON object: budgets, preload, catalog
) STRICT;

CREATE INDEX idx_sessions_generation ON sessions(generation);

-- Bodies that a session was given. A name comes again when a refresh brought another body.
CREATE TABLE session_loads (
  session_id TEXT NOT NULL REFERENCES sessions(id),
  name TEXT NOT NULL,
  position INTEGER NOT NULL,            -- order of loading, from 0
  reason TEXT NOT NULL,                 -- always, on_demand, auto_suggested
  tokens INTEGER NOT NULL,
  digest TEXT NOT NULL,                 -- of SKILL.md
  body_artifact TEXT NOT NULL,
  files_artifact TEXT NOT NULL,         -- the skill's other files as they were: JSON of path, size, sha256
  PRIMARY KEY (session_id, position)
) STRICT;

-- Content by its sha256, kept while something refers to it.
CREATE TABLE artifacts (
  digest TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE artifact_refs (
  digest TEXT NOT NULL REFERENCES artifacts(digest),
  session_id TEXT NOT NULL REFERENCES sessions(id),
  PRIMARY KEY (digest, session_id)
) STRICT;

CREATE TABLE archived_skills (
  name TEXT NOT NULL,
  valid_from INTEGER NOT NULL,          -- first generation that had it
  valid_to INTEGER NOT NULL,            -- first generation that no longer had it
  description TEXT NOT NULL,
  version TEXT,
  capabilities TEXT NOT NULL,
  greek_letter TEXT,
  body TEXT NOT NULL,
  source_path TEXT NOT NULL,
  frontmatter_json TEXT NOT NULL,
  tier INTEGER NOT NULL,
  invokable_by TEXT NOT NULL,
  source TEXT NOT NULL,
  root TEXT NOT NULL,
  directory TEXT NOT NULL,
  compatibility TEXT,
  allowed_tools TEXT NOT NULL,
  disallowed_tools TEXT NOT NULL,
  triggers TEXT NOT NULL,
  when_to_use TEXT,
  user_invocable INTEGER NOT NULL,
  model_invocable INTEGER NOT NULL,
  argument_hint TEXT,
  arguments TEXT NOT NULL,
  digest TEXT NOT NULL,
  body_version TEXT NOT NULL,
  body_tokens INTEGER NOT NULL,
  diagnostics TEXT NOT NULL,
  PRIMARY KEY (name, valid_from)
) STRICT;

CREATE INDEX idx_archived_skills_valid ON archived_skills(valid_to, valid_from);

CREATE TRIGGER archive_changed_skill BEFORE UPDATE ON skills
WHEN new.generation <> old.generation AND EXISTS (SELECT 1 FROM sessions WHERE generation >= old.generation)
BEGIN
  INSERT OR REPLACE INTO archived_skills (
    name, valid_from, valid_to, description, version, capabilities, greek_letter, body, source_path, frontmatter_json,
    tier, invokable_by, source, root, directory, compatibility, allowed_tools, disallowed_tools, triggers, when_to_use,
    user_invocable, model_invocable, argument_hint, arguments, digest, body_version, body_tokens, diagnostics)
  VALUES (
    old.name, old.generation, new.generation, old.description, old.version, old.capabilities, old.greek_letter,
    old.body, old.source_path, old.frontmatter_json, old.tier, old.invokable_by, old.source, old.root, old.directory,
    old.compatibility, old.allowed_tools, old.disallowed_tools, old.triggers, old.when_to_use, old.user_invocable,
    old.model_invocable, old.argument_hint, old.arguments, old.digest, old.body_version, old.body_tokens,
    old.diagnostics);
END;

-- The scan that deletes a row ends by counting the generation up by one.
CREATE TRIGGER archive_removed_skill BEFORE DELETE ON skills
WHEN EXISTS (SELECT 1 FROM sessions WHERE generation >= old.generation)
BEGIN
  INSERT OR REPLACE INTO archived_skills (
    name, valid_from, valid_to, description, version, capabilities, greek_letter, body, source_path, frontmatter_json,
    tier, invokable_by, source, root, directory, compatibility, allowed_tools, disallowed_tools, triggers, when_to_use,
    user_invocable, model_invocable, argument_hint, arguments, digest, body_version, body_tokens, diagnostics)
  VALUES (
    old.name, old.generation,
    1 + coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE key = 'registry.generation'), 0),
    old.description, old.version, old.capabilities, old.greek_letter, old.body, old.source_path, old.frontmatter_json,
    old.tier, old.invokable_by, old.source, old.root, old.directory, old.compatibility, old.allowed_tools,
    old.disallowed_tools, old.triggers, old.when_to_use, old.user_invocable, old.model_invocable, old.argument_hint,
    old.arguments, old.digest, old.body_version, old.body_tokens, old.diagnostics);
END;

CREATE INDEX idx_events_session ON events(session_id, seq) WHERE session_id IS NOT NULL;

-- Where the log ends. Each event points to the one before it, so the chain alone cannot tell that its end was cut off.
CREATE TABLE event_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;

INSERT INTO event_head (id, seq, hash)
SELECT 1, coalesce(max(seq), 0), coalesce((SELECT hash FROM events ORDER BY seq DESC LIMIT 1), '') FROM events;

CREATE TRIGGER events_move_head AFTER INSERT ON events
BEGIN
  UPDATE event_head SET seq = new.seq, hash = new.hash WHERE seq < new.seq;
END;
