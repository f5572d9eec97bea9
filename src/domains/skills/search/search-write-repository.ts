/** Writes of the stored index: documents that come and go, their words, and what waits to be indexed. */
import type Database from 'better-sqlite3';

import { ColibriError } from '../../../lib/errors.ts';
import { type BodyPlace, findBody } from '../body-repository.ts';
import { BLOCK_DOCUMENTS, type Block, type DocumentFacts, emptyBlock, factsOf, setFacts } from './corpus.ts';
import { plainText, type SearchableSkill, type TriggerPhrase } from './document.ts';
import { createStreamBuffer, termsIn } from './token-stream.ts';

/** One version of a skill, as the registry or its archive has it. */
export interface SkillVersion extends SearchableSkill {
  readonly digest: string;
  /** Generations: the first that has it, and the first that no longer has it. */
  readonly from: number;
  readonly to: number;
}

export interface KnownDocument {
  readonly number: number;
  readonly digest: string;
}

export interface WaitingBody {
  readonly number: number;
  readonly body: string;
}

export type Part = 'head' | 'body';

export interface SearchWriter {
  /** One immediate transaction. When the work says that it did something, readers see a new version of the index. */
  transact(work: () => boolean): boolean;
  pendingNames(limit: number): readonly string[];
  settle(name: string): void;
  /** All versions of a skill that sessions or anybody else may look at, the oldest first. */
  versions(name: string): readonly SkillVersion[];
  documents(name: string): readonly KnownDocument[];
  addDocument(skill: SkillVersion, triggers: readonly TriggerPhrase[]): number;
  dropDocument(number: number): void;
  changeFacts(number: number, changes: Partial<DocumentFacts>): void;
  /** Bodies that wait, of documents after this number. */
  waitingBodies(after: number, limit: number): readonly WaitingBody[];
  bodyDone(number: number): void;
  /** The number of a term, counting so many documents more that hold it. */
  term(term: string, documents: number): number;
  addForm(form: string, term: number, inName: boolean): void;
  /** Adds a run to the end of a list. */
  append(term: number, part: Part, run: Uint8Array): void;
  putStream(document: number, part: Part, stream: Uint8Array): void;
  headStream(document: number): Uint8Array;
  /** Throws everything away and notes every skill anew, when more is gone than is there. */
  startOverIfWorn(): boolean;
}

const PARTS: Readonly<Record<Part, number>> = { head: 0, body: 1 };
/** A chunk is rewritten by every addition, so it must stay small. */
const CHUNK_BYTES_MAX = 4096;
/** Below this many documents that are gone nothing is worth throwing away. */
const WORN_FROM = 5_000;

export function createSearchWriter(
  db: Database.Database,
  { wornFrom = WORN_FROM }: { readonly wornFrom?: number } = {},
): SearchWriter {
  const statements = prepareWrites(db);
  const blocks = createBlocks(statements);
  return {
    transact(work) {
      return db
        .transaction(() => {
          blocks.forget();
          const didSomething = work();
          if (didSomething) blocks.store();
          return didSomething;
        })
        .immediate();
    },
    pendingNames: (limit) => statements.pending.all(limit) as string[],
    settle: (name) => void statements.settle.run(name),
    versions: (name) => (statements.versions.all({ name }) as StoredVersion[]).map(versionOf),
    waitingBodies: (after, limit) =>
      (statements.waitingBodies.all(after, limit) as (BodyPlace & { readonly number: number })[]).map(
        ({ number, ...place }) => ({ number, body: textOf(db, place) }),
      ),
    bodyDone: (number) => void statements.bodyDone.run(number),
    ...documentWrites(statements, blocks),
    ...wordWrites(statements),
    startOverIfWorn() {
      const { gone, kept } = statements.wear.get() as { gone: number; kept: number };
      if (gone < wornFrom || gone < kept) return false;
      blocks.forget();
      db.exec(START_OVER);
      return true;
    },
  };
}

/** Facts of documents that change in one transaction. */
interface Blocks {
  change(document: number, changes: Partial<DocumentFacts>): void;
  forget(): void;
  /** Each block is written once, however many of its documents changed. */
  store(): void;
}

function createBlocks(statements: Statements): Blocks {
  const changed = new Map<number, Block>();
  function blockOf(document: number): Block {
    const id = Math.floor(document / BLOCK_DOCUMENTS);
    let block = changed.get(id);
    if (block === undefined) {
      const stored = statements.block.get(id) as Uint8Array | undefined;
      block = stored === undefined ? emptyBlock() : new Uint32Array(new Uint8Array(stored).buffer);
      changed.set(id, block);
    }
    return block;
  }
  return {
    change(document, changes) {
      const block = blockOf(document);
      setFacts(block, document, { ...factsOf(block, document), ...changes });
    },
    forget: () => changed.clear(),
    store() {
      const version = Number(statements.nextVersion.get());
      for (const [id, block] of changed) {
        statements.putBlock.run(id, version, Buffer.from(block.buffer, block.byteOffset, block.byteLength));
      }
    },
  };
}

function documentWrites(
  statements: Statements,
  blocks: Blocks,
): Pick<SearchWriter, 'documents' | 'addDocument' | 'dropDocument' | 'changeFacts'> {
  const buffer = createStreamBuffer();
  return {
    documents: (name) => statements.documents.all(name) as KnownDocument[],
    addDocument(skill, triggers) {
      const added = statements.addDocument.run(skill.name, skill.digest, plainText(skill));
      const document = Number(added.lastInsertRowid);
      for (const { first, terms, phrase } of triggers) {
        statements.addTrigger.run(first, document, terms, phrase);
      }
      return document;
    },
    dropDocument(number) {
      const { head, body } = statements.streams.get(number) as { head: Uint8Array; body: Uint8Array | null };
      // Counted down, or rare terms would look common for ever.
      for (const term of termsIn({ head, body: body ?? NO_BYTES }, buffer)) statements.countDown.run(term);
      blocks.change(number, { from: 0, to: 0 });
      statements.dropStreams.run(number);
      statements.dropTriggers.run(number);
      statements.dropDocument.run(number);
      statements.countGone.run();
    },
    changeFacts: blocks.change,
  };
}

function wordWrites(
  statements: Statements,
): Pick<SearchWriter, 'term' | 'addForm' | 'append' | 'putStream' | 'headStream'> {
  return {
    term: (term, documents) => Number(statements.term.get(term, documents)),
    addForm: (form, term, inName) => void statements.addForm.run(form, term, inName ? 1 : 0),
    append(term, part, run) {
      const last = statements.lastChunk.get(term, PARTS[part]) as
        | { readonly chunk: number; readonly list: Uint8Array }
        | undefined;
      const isFull = last !== undefined && last.list.length + run.length > CHUNK_BYTES_MAX;
      const list = last === undefined || isFull ? run : Buffer.concat([last.list, run]);
      statements.putChunk.run(term, PARTS[part], (last?.chunk ?? 0) + (isFull ? 1 : 0), list);
    },
    putStream(document, part, stream) {
      if (part === 'head') statements.putHead.run(document, stream);
      else statements.putBody.run(stream, document);
    },
    headStream: (document) => (statements.head.get(document) as Uint8Array | undefined) ?? NO_BYTES,
  };
}

const NO_BYTES = new Uint8Array(0);

/** Empty when the file has another text by now: the scan that will notice brings the new one. */
function textOf(db: Database.Database, place: BodyPlace): string {
  try {
    return findBody(db, place);
  } catch (error) {
    if (error instanceof ColibriError && error.code === 'FILE_CHANGED') return '';
    throw error;
  }
}

interface StoredVersion extends Omit<SkillVersion, 'triggers'> {
  readonly triggers: string;
}

/** The triggers were written by the registry as a JSON array of strings. */
function versionOf({ triggers, ...version }: StoredVersion): SkillVersion {
  return { ...version, triggers: JSON.parse(triggers) as string[] };
}

const START_OVER = `
  DELETE FROM search_documents; DELETE FROM search_streams; DELETE FROM search_terms; DELETE FROM search_forms;
  DELETE FROM search_postings; DELETE FROM search_triggers; DELETE FROM search_blocks;
  DELETE FROM sqlite_sequence WHERE name = 'search_documents';
  UPDATE search_state SET epoch = epoch + 1, gone = 0;
  INSERT OR IGNORE INTO search_pending (name) SELECT name FROM skills UNION SELECT name FROM archived_skills;
`;

type Statements = ReturnType<typeof prepareWrites>;

function prepareWrites(db: Database.Database) {
  return {
    nextVersion: db.prepare('UPDATE search_state SET version = version + 1 RETURNING version').pluck(),
    pending: db.prepare('SELECT name FROM search_pending ORDER BY name LIMIT ?').pluck(),
    settle: db.prepare('DELETE FROM search_pending WHERE name = ?'),
    versions: db.prepare(
      `SELECT name, description, triggers, digest, generation AS "from", 4294967295 AS "to" FROM skills WHERE name = :name
       UNION ALL
       SELECT name, description, triggers, digest, valid_from, valid_to FROM archived_skills WHERE name = :name
       ORDER BY "from"`,
    ),
    documents: db.prepare('SELECT number, digest FROM search_documents WHERE name = ? ORDER BY number'),
    addDocument: db.prepare(
      'INSERT INTO search_documents (name, digest, text, body_waits) VALUES (?, ?, ?, 1)',
    ),
    dropDocument: db.prepare('DELETE FROM search_documents WHERE number = ?'),
    addTrigger: db.prepare(
      'INSERT OR IGNORE INTO search_triggers (first, document, terms, phrase) VALUES (?, ?, ?, ?)',
    ),
    dropTriggers: db.prepare('DELETE FROM search_triggers WHERE document = ?'),
    waitingBodies: db.prepare(
      `SELECT number, name, digest, coalesce(skills.body, old.body, '') AS body,
         coalesce(skills.root, old.root, '') AS root, coalesce(skills.directory, old.directory, '') AS directory
       FROM search_documents LEFT JOIN skills USING (name, digest)
       LEFT JOIN archived_skills AS old USING (name, digest)
       WHERE body_waits = 1 AND number > ? GROUP BY number ORDER BY number LIMIT ?`,
    ),
    bodyDone: db.prepare('UPDATE search_documents SET body_waits = 0 WHERE number = ?'),
    block: db.prepare('SELECT facts FROM search_blocks WHERE id = ?').pluck(),
    putBlock: db.prepare('INSERT OR REPLACE INTO search_blocks (id, version, facts) VALUES (?, ?, ?)'),
    streams: db.prepare('SELECT head, body FROM search_streams WHERE document = ?'),
    head: db.prepare('SELECT head FROM search_streams WHERE document = ?').pluck(),
    putHead: db.prepare('INSERT INTO search_streams (document, head) VALUES (?, ?)'),
    putBody: db.prepare('UPDATE search_streams SET body = ? WHERE document = ?'),
    dropStreams: db.prepare('DELETE FROM search_streams WHERE document = ?'),
    term: db
      .prepare(
        `INSERT INTO search_terms (term, documents) VALUES (?, ?)
         ON CONFLICT(term) DO UPDATE SET documents = documents + excluded.documents RETURNING number`,
      )
      .pluck(),
    countDown: db.prepare('UPDATE search_terms SET documents = documents - 1 WHERE number = ?'),
    countGone: db.prepare('UPDATE search_state SET gone = gone + 1'),
    addForm: db.prepare(
      `INSERT INTO search_forms (form, term, in_name) VALUES (?, ?, ?)
       ON CONFLICT(form) DO UPDATE SET in_name = 1 WHERE excluded.in_name = 1 AND in_name = 0`,
    ),
    lastChunk: db.prepare(
      'SELECT chunk, list FROM search_postings WHERE term = ? AND part = ? ORDER BY chunk DESC LIMIT 1',
    ),
    putChunk: db.prepare(
      'INSERT OR REPLACE INTO search_postings (term, part, chunk, list) VALUES (?, ?, ?, ?)',
    ),
    wear: db.prepare('SELECT gone, (SELECT count(*) FROM search_documents) AS kept FROM search_state'),
  };
}
