-- A session's events are those of its stream, which has an index of its own.

DROP INDEX idx_events_session;
