-- The registry over many roots. All of it is a cache of the disk: `skills` holds the winners, these tables the rest.

-- What hosts call these fields is in docs/skill-format.md.
ALTER TABLE skills ADD COLUMN user_invocable INTEGER NOT NULL DEFAULT 1;
ALTER TABLE skills ADD COLUMN model_invocable INTEGER NOT NULL DEFAULT 1;
ALTER TABLE skills ADD COLUMN argument_hint TEXT;
ALTER TABLE skills ADD COLUMN arguments TEXT NOT NULL DEFAULT '[]';
ALTER TABLE skills ADD COLUMN when_to_use TEXT;
ALTER TABLE skills ADD COLUMN disallowed_tools TEXT NOT NULL DEFAULT '[]';
ALTER TABLE skills ADD COLUMN model TEXT;

-- What the last scan saw of each root, packed, so that a rescan in which nothing changed reads one row per root.
CREATE TABLE skill_roots (
  path TEXT PRIMARY KEY,                -- absolute
  position INTEGER NOT NULL,            -- 0 is the highest precedence
  key TEXT NOT NULL,                    -- source, profile and depth; when it differs, the root is read anew
  snapshot BLOB NOT NULL
) STRICT;

-- Skills that lost their name to one of higher precedence.
CREATE TABLE skill_shadowed (
  directory TEXT PRIMARY KEY,           -- as displayed
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  version TEXT,
  source TEXT NOT NULL,
  root TEXT NOT NULL,
  source_path TEXT NOT NULL,
  digest TEXT NOT NULL,
  winner_path TEXT NOT NULL
) STRICT;

CREATE INDEX idx_skill_shadowed_name ON skill_shadowed(name);

-- SKILL.md files that were found and refused, and links that were not followed.
CREATE TABLE skill_rejections (
  directory TEXT PRIMARY KEY,           -- as displayed
  root TEXT NOT NULL,
  source TEXT NOT NULL,
  lenient_ok INTEGER NOT NULL,          -- 1 when the lenient profile would load it
  diagnostics TEXT NOT NULL             -- JSON array
) STRICT;

-- Second paths to a skill that is indexed under its real one.
CREATE TABLE skill_aliases (
  directory TEXT PRIMARY KEY,           -- as displayed
  root TEXT NOT NULL,
  target TEXT NOT NULL
) STRICT;

-- Which skills declare a capability, kept by triggers so that it agrees with `skills` whoever wrote the row.
CREATE TABLE skill_capabilities (
  capability TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (capability, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_skill_capabilities_name ON skill_capabilities(name);

INSERT INTO skill_capabilities (capability, name)
SELECT DISTINCT each.value, skills.name FROM skills, json_each(skills.capabilities) AS each WHERE each.type = 'text';

CREATE TRIGGER skill_capabilities_insert AFTER INSERT ON skills WHEN new.capabilities <> '[]'
BEGIN
  INSERT OR IGNORE INTO skill_capabilities (capability, name)
  SELECT value, new.name FROM json_each(new.capabilities) WHERE type = 'text';
END;

CREATE TRIGGER skill_capabilities_update AFTER UPDATE OF capabilities ON skills
WHEN new.capabilities <> old.capabilities
BEGIN
  DELETE FROM skill_capabilities WHERE name = old.name;
  INSERT OR IGNORE INTO skill_capabilities (capability, name)
  SELECT value, new.name FROM json_each(new.capabilities) WHERE type = 'text';
END;

CREATE TRIGGER skill_capabilities_delete AFTER DELETE ON skills WHEN old.capabilities <> '[]'
BEGIN
  DELETE FROM skill_capabilities WHERE name = old.name;
END;
