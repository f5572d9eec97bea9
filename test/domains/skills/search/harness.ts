/** A text index over a real database, with skills that are written straight into the registry's table. */
import { onTestFinished } from 'vitest';

import { type ColibriDatabase, openDatabase } from '../../../../src/db/database.ts';
import type { Ranking, SearchOptions } from '../../../../src/domains/skills/search/search.ts';
import { createSkillSearch, type SkillSearch } from '../../../../src/domains/skills/search/search-service.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { sha256Hex } from '../../../../src/lib/digest.ts';

export interface IndexedText {
  readonly description?: string;
  readonly triggers?: readonly string[];
  readonly body?: string;
}

export type Library = Readonly<Record<string, IndexedText | string>>;

export interface TestIndex {
  readonly db: ColibriDatabase;
  readonly index: SkillSearch;
  /** Counts up with every `put` and `remove`. */
  generation(): number;
  put(name: string, text: IndexedText | string): void;
  remove(name: string): void;
  search(query: string, options?: Partial<SearchOptions>): Ranking;
  /** Names alone. */
  found(query: string, options?: Partial<SearchOptions>): readonly string[];
  match(task: string): Ranking;
}

/** A text alone is a description. */
export async function testIndex(library: Library = {}): Promise<TestIndex> {
  const db = openDatabase(':memory:');
  onTestFinished(() => db.close());
  const index = createSkillSearch({ db, clock: systemClock, logger: () => undefined });
  const upsert = db.handle.prepare(
    `INSERT INTO skills (name, description, triggers, body, source_path, frontmatter_json, loaded_at, digest, generation)
     VALUES (:name, :description, :triggers, :body, '', '{}', '', :digest, :generation)
     ON CONFLICT(name) DO UPDATE SET description = :description, triggers = :triggers, body = :body, digest = :digest,
       generation = :generation`,
  );
  const note = db.handle.prepare('INSERT OR IGNORE INTO search_pending (name) VALUES (?)');
  const remove = db.handle.prepare('DELETE FROM skills WHERE name = ?');
  const setGeneration = db.handle.prepare(
    "INSERT OR REPLACE INTO settings (key, value, updated_at) VALUES ('registry.generation', ?, '')",
  );
  let generation = 0;
  const test: TestIndex = {
    db,
    index,
    generation: () => generation,
    put(name, text) {
      const { description = 'A skill.', triggers = [], body = '' } = asText(text);
      const digest = sha256Hex(JSON.stringify([name, description, triggers, body]));
      upsert.run({
        name,
        description,
        triggers: JSON.stringify(triggers),
        body,
        digest,
        generation: ++generation,
      });
      note.run(name);
      setGeneration.run(String(generation));
    },
    remove(name) {
      remove.run(name);
      setGeneration.run(String(++generation));
    },
    search: (query, options) => index.search(query, { generation, limit: 10, ...options }),
    found: (query, options) => test.search(query, options).hits.map(({ name }) => name),
    match: (task) => index.match(task, { generation, limit: 5 }),
  };
  for (const [name, text] of Object.entries(library)) test.put(name, text);
  await index.indexAll();
  return test;
}

function asText(text: IndexedText | string): IndexedText {
  return typeof text === 'string' ? { description: text } : text;
}
