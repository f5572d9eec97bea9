-- What the index knows of a skill beyond the first contract. Every column has a safe default, so that a writer that
-- knows only the columns of 003 still makes valid rows: the middle tier, no tools, no claims.

ALTER TABLE skills ADD COLUMN tier INTEGER NOT NULL DEFAULT 2;
ALTER TABLE skills ADD COLUMN invokable_by TEXT NOT NULL DEFAULT '["T0","T1","T2","T3"]';
ALTER TABLE skills ADD COLUMN source TEXT NOT NULL DEFAULT 'workspace';
ALTER TABLE skills ADD COLUMN root TEXT NOT NULL DEFAULT '';
ALTER TABLE skills ADD COLUMN directory TEXT NOT NULL DEFAULT '';
ALTER TABLE skills ADD COLUMN category TEXT;
ALTER TABLE skills ADD COLUMN license TEXT;
ALTER TABLE skills ADD COLUMN compatibility TEXT;
ALTER TABLE skills ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
ALTER TABLE skills ADD COLUMN allowed_tools TEXT NOT NULL DEFAULT '[]';
ALTER TABLE skills ADD COLUMN triggers TEXT NOT NULL DEFAULT '[]';
ALTER TABLE skills ADD COLUMN required_tools TEXT NOT NULL DEFAULT '[]';
ALTER TABLE skills ADD COLUMN workflow TEXT NOT NULL DEFAULT '[]';
ALTER TABLE skills ADD COLUMN verification TEXT NOT NULL DEFAULT '[]';
ALTER TABLE skills ADD COLUMN digest TEXT NOT NULL DEFAULT '';
ALTER TABLE skills ADD COLUMN body_version TEXT NOT NULL DEFAULT '';
ALTER TABLE skills ADD COLUMN body_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE skills ADD COLUMN diagnostics TEXT NOT NULL DEFAULT '[]';
-- Name and description, folded by Unicode case rules: SQLite's LIKE folds ASCII only.
ALTER TABLE skills ADD COLUMN search_text TEXT NOT NULL DEFAULT '';
