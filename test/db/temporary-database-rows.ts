import type Database from 'better-sqlite3';

export const SETTINGS = 300;
export const AUDITS = 2_000;

/** Many pages of audit rows, a few of settings, and one skill. */
export function fill(handle: Database.Database): void {
  handle.transaction(() => {
    const setting = handle.prepare('INSERT INTO settings VALUES (?, ?, ?)');
    for (let n = 0; n < SETTINGS; n++) setting.run(`key-${n}`, 'v'.repeat(100), '2026-01-01T00:00:00.000Z');
    for (let n = 0; n < AUDITS; n++) audit(handle, n);
    handle
      .prepare(
        "INSERT INTO skills (name, description, body, source_path, frontmatter_json, loaded_at) VALUES ('a', 'b', 'c', 'd', '{}', 'e')",
      )
      .run();
  })();
}

export function audit(handle: Database.Database, n: number): void {
  handle
    .prepare(
      "INSERT INTO audit_log (id, at, actor, action, subject, outcome, detail) VALUES (?, ?, 'test', 'act', 'it', 'ok', ?)",
    )
    .run(
      `01${String(n).padStart(24, '0')}`,
      new Date(1_700_000_000_000 + n).toISOString(),
      `{"pad":"${'p'.repeat(80)}"}`,
    );
}
