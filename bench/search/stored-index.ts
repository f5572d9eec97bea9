/** Our index in a real file, filled and built as a server does it. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { openDatabase } from '../../src/db/database.ts';
import { createSkillSearch, type SkillSearch } from '../../src/domains/skills/search/search-service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { sha256Hex } from '../../src/lib/digest.ts';
import type { BenchSkill } from './data.ts';

export interface StoredIndex {
  readonly search: SkillSearch;
  /** Of the processor. */
  readonly buildMs: number;
  /** What the text index adds to the database. */
  readonly megabytes: number;
  readonly db: ReturnType<typeof openDatabase>;
  close(): Promise<void>;
}

/** The generation that all skills of the benchmark have. */
export const GENERATION = 1;

export async function buildStoredIndex(skills: readonly BenchSkill[]): Promise<StoredIndex> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'colibri-bench-'));
  const file = path.join(folder, 'search.db');
  const db = openDatabase(file);
  const insert = db.handle.prepare(
    `INSERT INTO skills (name, description, triggers, body, source_path, frontmatter_json, loaded_at, digest, generation)
     VALUES (?, ?, ?, ?, '', '{}', '', ?, ${GENERATION})`,
  );
  const note = db.handle.prepare('INSERT OR IGNORE INTO search_pending (name) SELECT name FROM skills');
  await db.write(() =>
    db.handle.transaction(() => {
      for (const { name, description, triggers, body } of skills)
        insert.run(name, description, JSON.stringify(triggers), body, sha256Hex(name + description + body));
      note.run();
    })(),
  );
  db.handle.pragma('wal_checkpoint(TRUNCATE)');
  const before = statSync(file).size;
  const search = createSkillSearch({ db, clock: systemClock, logger: console.error });
  const start = process.cpuUsage();
  await search.indexAll();
  const { user, system } = process.cpuUsage(start);
  const buildMs = (user + system) / 1000;
  db.handle.pragma('wal_checkpoint(TRUNCATE)');
  return {
    search,
    buildMs,
    megabytes: (statSync(file).size - before) / 1e6,
    db,
    async close() {
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
