-- What a person invoked is in the conversation, too, but uses no budget.

ALTER TABLE session_loads ADD COLUMN counted INTEGER NOT NULL DEFAULT 1 CHECK (counted IN (0, 1));
