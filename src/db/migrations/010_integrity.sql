-- Mirrors and rounds.

-- Findings that an event has told of, so that the same one is not told at every check.
CREATE TABLE drift_told (
  mirror TEXT NOT NULL,                 -- the root as displayed
  name TEXT NOT NULL,
  finding TEXT NOT NULL,                -- sha256 of the finding and the content behind it
  told_at TEXT NOT NULL,                -- ISO-8601 UTC
  PRIMARY KEY (mirror, name)
) STRICT;

-- What a copy was when it was last in step with the canonical skill: the common ancestor of later changes.
CREATE TABLE mirror_states (
  mirror TEXT NOT NULL,
  name TEXT NOT NULL,
  files TEXT NOT NULL CHECK (json_valid(files)), -- JSON array of path, digest, executable
  synced_at TEXT NOT NULL,
  PRIMARY KEY (mirror, name)
) STRICT;

-- Signed-off states of the registry. A round is never changed: who wants another one starts another one.
CREATE TABLE rounds (
  id TEXT PRIMARY KEY,                  -- ULID
  name TEXT UNIQUE,
  started_at TEXT NOT NULL,
  started_by TEXT NOT NULL,
  digest TEXT NOT NULL,                 -- sha256 over the facts of all its skills
  event_id TEXT NOT NULL                -- the event that recorded it, in the chain
) STRICT;

CREATE TABLE round_skills (
  round_id TEXT NOT NULL REFERENCES rounds(id),
  name TEXT NOT NULL,
  facts TEXT NOT NULL CHECK (json_valid(facts)), -- JSON object: what the skill could reach
  PRIMARY KEY (round_id, name)
) STRICT;

CREATE TRIGGER rounds_no_update BEFORE UPDATE ON rounds
BEGIN
  SELECT raise(ABORT, 'rounds are never changed');
END;

CREATE TRIGGER round_skills_no_update BEFORE UPDATE ON round_skills
BEGIN
  SELECT raise(ABORT, 'rounds are never changed');
END;
