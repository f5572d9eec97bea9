-- Full text of the skills: a cache of `skills` and `archived_skills`, which are a cache of the disk. Deleting all of it and
-- putting every name into `search_pending` costs one indexing.
--
-- A document is one version of one skill under a number that is never used again. Its name and description are indexed
-- first and its body later, in postings of their own. Documents that are gone stay in the lists; their facts say so.

-- Names that the index has to look at again, kept by triggers, so that it follows the skills whoever wrote them.
-- (`INSERT OR IGNORE` would not do: inside a trigger the conflict clause of the outer statement counts.)
CREATE TABLE search_pending (
  name TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

INSERT INTO search_pending (name) SELECT name FROM skills UNION SELECT name FROM archived_skills;

-- The registry notes what it adds itself, which is several times as fast; it writes a digest.
CREATE TRIGGER search_skill_added AFTER INSERT ON skills WHEN new.digest = ''
BEGIN
  INSERT INTO search_pending (name)
  SELECT new.name WHERE NOT EXISTS (SELECT 1 FROM search_pending WHERE name = new.name);
END;

CREATE TRIGGER search_skill_changed AFTER UPDATE ON skills
BEGIN
  INSERT INTO search_pending (name)
  SELECT new.name WHERE NOT EXISTS (SELECT 1 FROM search_pending WHERE name = new.name);
END;

CREATE TRIGGER search_skill_removed AFTER DELETE ON skills
BEGIN
  INSERT INTO search_pending (name)
  SELECT old.name WHERE NOT EXISTS (SELECT 1 FROM search_pending WHERE name = old.name);
END;

CREATE TRIGGER search_archived_added AFTER INSERT ON archived_skills
BEGIN
  INSERT INTO search_pending (name)
  SELECT new.name WHERE NOT EXISTS (SELECT 1 FROM search_pending WHERE name = new.name);
END;

CREATE TRIGGER search_archived_removed AFTER DELETE ON archived_skills
BEGIN
  INSERT INTO search_pending (name)
  SELECT old.name WHERE NOT EXISTS (SELECT 1 FROM search_pending WHERE name = old.name);
END;

CREATE TABLE search_documents (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  digest TEXT NOT NULL,                 -- of SKILL.md
  text TEXT NOT NULL,                   -- name and description, folded, for phrases
  body_waits INTEGER NOT NULL           -- 1 until the body is indexed
) STRICT;

CREATE INDEX idx_search_documents_name ON search_documents(name);
CREATE INDEX idx_search_documents_waiting ON search_documents(number) WHERE body_waits = 1;

-- Lengths of the fields and the span of generations of 512 documents each, packed.
CREATE TABLE search_blocks (
  id INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,             -- of `search_state` when it was written
  facts BLOB NOT NULL
) STRICT;

-- The words of a document in their order, as numbers of terms.
CREATE TABLE search_streams (
  document INTEGER PRIMARY KEY,
  head BLOB NOT NULL,
  body BLOB
) STRICT;

CREATE TABLE search_terms (
  number INTEGER PRIMARY KEY,
  term TEXT NOT NULL UNIQUE,
  documents INTEGER NOT NULL            -- how many documents hold it, those that are gone not counted
) STRICT;

-- Words of names and descriptions as written. Never deleted: one too many costs nothing.
CREATE TABLE search_forms (
  form TEXT PRIMARY KEY,
  term INTEGER NOT NULL,
  in_name INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Lists grow at their end; a full chunk is followed by the next one.
CREATE TABLE search_postings (
  term INTEGER NOT NULL,
  part INTEGER NOT NULL,                -- 0: name and description, 1: body
  chunk INTEGER NOT NULL,
  list BLOB NOT NULL,
  PRIMARY KEY (term, part, chunk)
) STRICT, WITHOUT ROWID;

CREATE TABLE search_triggers (
  first TEXT NOT NULL,                  -- its first term
  document INTEGER NOT NULL,
  terms TEXT NOT NULL,
  phrase TEXT NOT NULL,
  PRIMARY KEY (first, document, terms)
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_search_triggers_document ON search_triggers(document);

-- Counted up by every write, so that other connections know when to read anew.
CREATE TABLE search_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch INTEGER NOT NULL,               -- counted up when the index starts over with empty tables
  version INTEGER NOT NULL,
  gone INTEGER NOT NULL                 -- documents that still stand in lists but are no more
) STRICT;

INSERT INTO search_state (id, epoch, version, gone) VALUES (1, 0, 0, 0);
