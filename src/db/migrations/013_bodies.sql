-- The text of a skill is most of its bytes, and few are ever asked for. The registry writes rows without it; the text is
-- read from the file while that still has the digest of the row. From the first session on it is kept here, because a
-- session may ask for a text that the file no longer has.

CREATE TABLE bodies (
  digest TEXT PRIMARY KEY,              -- of the SKILL.md that the text stands in
  body TEXT NOT NULL
) STRICT;

-- A skill's name is part of its file, so a digest belongs to one name.
CREATE TRIGGER bodies_changed_skill AFTER UPDATE OF digest ON skills WHEN new.digest <> old.digest
BEGIN
  DELETE FROM bodies WHERE digest = old.digest
  AND NOT EXISTS (SELECT 1 FROM archived_skills WHERE name = old.name AND digest = old.digest);
END;

CREATE TRIGGER bodies_removed_skill AFTER DELETE ON skills
BEGIN
  DELETE FROM bodies WHERE digest = old.digest
  AND NOT EXISTS (SELECT 1 FROM archived_skills WHERE name = old.name AND digest = old.digest);
END;

-- As in `skills.root`; with it a row leads to its file.
ALTER TABLE skill_roots ADD COLUMN display TEXT NOT NULL DEFAULT '';

-- A trigger takes several times as long as the statement that a writer can run itself, and the registry does. Whoever
-- knows only the contracted columns writes no digest and still gets the trigger.
DROP TRIGGER skill_capabilities_insert;
CREATE TRIGGER skill_capabilities_insert AFTER INSERT ON skills WHEN new.capabilities <> '[]' AND new.digest = ''
BEGIN
  INSERT OR IGNORE INTO skill_capabilities (capability, name)
  SELECT value, new.name FROM json_each(new.capabilities) WHERE type = 'text';
END;
