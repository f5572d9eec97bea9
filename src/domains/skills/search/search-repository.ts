/** Reads of the stored index. */
import type Database from 'better-sqlite3';

import { type Block, type Corpus, makeCorpus } from './corpus.ts';
import type { TriggerPhrase } from './document.ts';
import { createFormList, type FormList } from './form-list.ts';
import type { IndexReader, Postings } from './index-reader.ts';
import type { TermFacts } from './query.ts';

export interface SearchReads {
  /** Hands over an index of one generation that does not change while the work runs. */
  read<T>(generation: number, work: (reader: IndexReader) => T): T;
  waiting(): Waiting;
}

/** Whether something is not indexed yet. */
export interface Waiting {
  /** Skills that are not looked at yet; some may be indexed as they were before. */
  readonly skills: boolean;
  readonly bodies: boolean;
}

/** States of the catalog whose lengths are kept in memory: that of today, and those of a few sessions. */
const CORPORA_KEPT = 4;

export function createSearchReads(db: Database.Database): SearchReads {
  const statements = prepareReads(db);
  const blocks: (Block | undefined)[] = [];
  const corpora = new Map<number, Corpus>();
  let known: State = { epoch: -1, version: -1 };
  let knownForms: { readonly state: State; readonly list: FormList } | undefined;

  function refresh(): void {
    const state = statements.state.get() as State;
    if (state.epoch === known.epoch && state.version === known.version) return;
    if (state.epoch !== known.epoch) {
      blocks.length = 0;
      known = { epoch: state.epoch, version: -1 };
    }
    for (const { id, facts } of statements.blocks.all(known.version) as StoredBlock[]) {
      blocks[id] = asBlock(facts);
    }
    known = state;
    corpora.clear();
  }

  function corpusAt(generation: number): Corpus {
    let corpus = corpora.get(generation);
    if (corpus !== undefined) return corpus;
    if (corpora.size >= CORPORA_KEPT) corpora.clear();
    corpus = makeCorpus(blocks, generation);
    corpora.set(generation, corpus);
    return corpus;
  }

  /** Looked through for every short query, so they are kept; new ones come with new skills only. */
  function forms(): FormList {
    if (knownForms?.state === known) return knownForms.list;
    const count = Number(statements.formCount.get());
    const isSame = knownForms?.state.epoch === known.epoch && knownForms.list.count === count;
    const list = isSame && knownForms ? knownForms.list : createFormList(statements.forms.all() as string[]);
    knownForms = { state: known, list };
    return list;
  }

  return {
    read(generation, work) {
      const run = (): ReturnType<typeof work> => {
        refresh();
        return work(readerOf(statements, corpusAt(generation), forms));
      };
      // Another process may write between two statements; inside a transaction all of them see one state.
      return db.inTransaction ? run() : db.transaction(run)();
    },
    waiting() {
      const { skills, bodies } = statements.waiting.get() as { skills: number; bodies: number };
      return { skills: skills === 1, bodies: bodies === 1 };
    },
  };
}

interface State {
  readonly epoch: number;
  readonly version: number;
}

interface StoredBlock {
  readonly id: number;
  readonly facts: Uint8Array;
}

function readerOf(statements: Statements, corpus: Corpus, forms: () => FormList): IndexReader {
  const lists = new Map<number, Postings>();
  return {
    corpus,
    facts: (terms) => terms.map((term) => (statements.term.get(term) as TermFacts | undefined) ?? null),
    postings(term) {
      let found = lists.get(term);
      if (found === undefined) {
        const rows = statements.postings.all(term) as { part: number; list: Uint8Array }[];
        const part = (wanted: number) => rows.filter((row) => row.part === wanted).map(({ list }) => list);
        found = { head: part(0), body: part(1) };
        lists.set(term, found);
      }
      return found;
    },
    streams(document) {
      const row = statements.streams.get(document) as
        | { head: Uint8Array; body: Uint8Array | null }
        | undefined;
      return { head: row?.head ?? NO_BYTES, body: row?.body ?? NO_BYTES };
    },
    name: (document) => String(statements.name.get(document) ?? ''),
    text: (document) => String(statements.text.get(document) ?? ''),
    containing([first = '', second = first]) {
      return statements.containing.all(first, second) as number[];
    },
    formsHolding: (run) => forms().holding(run),
    nameWords: (shortest, longest) => statements.nameWords.all(shortest, longest) as string[],
    namesAfter: (name, limit) =>
      statements.namesAfter.all(name, limit) as { document: number; name: string }[],
    triggers: (first) => statements.triggers.all(first) as (TriggerPhrase & { document: number })[],
  };
}

type Statements = ReturnType<typeof prepareReads>;

function prepareReads(db: Database.Database) {
  return {
    state: db.prepare('SELECT epoch, version FROM search_state'),
    blocks: db.prepare('SELECT id, facts FROM search_blocks WHERE version > ?'),
    waiting: db.prepare(
      `SELECT EXISTS (SELECT 1 FROM search_pending) AS skills,
              EXISTS (SELECT 1 FROM search_documents WHERE body_waits = 1) AS bodies`,
    ),
    term: db.prepare('SELECT number, documents FROM search_terms WHERE term = ?'),
    postings: db.prepare('SELECT part, list FROM search_postings WHERE term = ? ORDER BY part, chunk'),
    streams: db.prepare('SELECT head, body FROM search_streams WHERE document = ?'),
    name: db.prepare('SELECT name FROM search_documents WHERE number = ?').pluck(),
    text: db.prepare('SELECT text FROM search_documents WHERE number = ?').pluck(),
    containing: db
      .prepare('SELECT number FROM search_documents WHERE instr(text, ?) > 0 OR instr(text, ?) > 0')
      .pluck(),
    formCount: db.prepare('SELECT count(*) FROM search_forms').pluck(),
    forms: db.prepare('SELECT form FROM search_forms').pluck(),
    nameWords: db
      .prepare(`SELECT form FROM search_forms JOIN search_terms ON number = search_forms.term
         WHERE in_name = 1 AND documents > 0 AND length(form) BETWEEN ? AND ?`)
      .pluck(),
    namesAfter: db.prepare(
      'SELECT number AS document, name FROM search_documents WHERE name > ? ORDER BY name LIMIT ?',
    ),
    triggers: db.prepare('SELECT document, first, terms, phrase FROM search_triggers WHERE first = ?'),
  };
}

const NO_BYTES = new Uint8Array(0);

function asBlock(bytes: Uint8Array): Block {
  // Copied, because numbers of 32 bits must begin at a multiple of four.
  return new Uint32Array(new Uint8Array(bytes).buffer);
}
