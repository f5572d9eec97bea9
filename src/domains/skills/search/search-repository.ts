/** Reads of the stored index. */
import type Database from 'better-sqlite3';

import { type Block, type Corpus, makeCorpus } from './corpus.ts';
import { FIELD_SEPARATOR, type TriggerPhrase } from './document.ts';
import { createFormList, type Form, type FormList } from './form-list.ts';
import type { IndexReader, NamedDocument, Postings } from './index-reader.ts';
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
    const list = isSame && knownForms ? knownForms.list : createFormList(statements.forms.all() as Form[]);
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
    headPostings: (term) =>
      lists.get(term)?.head ?? (statements.headPostings.all(term) as readonly Uint8Array[]),
    containing([first = '', second = first], among) {
      const values = { first, second, end: FIELD_SEPARATOR };
      const packed = (
        among === undefined
          ? statements.containing.all(values)
          : statements.containingAmong.all({ ...values, among: JSON.stringify(among) })
      ) as number[];
      return packed.map((value) => ({ document: value >> 2, where: value & 3 }));
    },
    named: ([first = '', second = first]) => statements.named.all(first, second) as number[],
    formsHolding: (run) => forms().holding(run),
    nameWords: (shortest, longest) => forms().nameWords(shortest, longest),
    namesAfter: ({ name, document } = NO_NAME, limit) =>
      statements.namesAfter.all({ name, document, limit }) as NamedDocument[],
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
    headPostings: db
      .prepare('SELECT list FROM search_postings WHERE term = ? AND part = 0 ORDER BY chunk')
      .pluck(),
    streams: db.prepare('SELECT head, body FROM search_streams WHERE document = ?'),
    name: db.prepare('SELECT name FROM search_documents WHERE number = ?').pluck(),
    text: db.prepare('SELECT text FROM search_documents WHERE number = ?').pluck(),
    containing: db.prepare(holdingSql('search_documents')).pluck(),
    containingAmong: db
      .prepare(holdingSql('json_each(:among) CROSS JOIN search_documents ON number = value'))
      .pluck(),
    named: db.prepare('SELECT number FROM search_documents WHERE name = ? OR name = ?').pluck(),
    formCount: db.prepare('SELECT count(*) FROM search_forms').pluck(),
    forms: db.prepare('SELECT form, in_name AS inName FROM search_forms'),
    namesAfter: db.prepare(
      `SELECT number AS document, name FROM search_documents
       WHERE name >= :name AND (name > :name OR number > :document) ORDER BY name, number LIMIT :limit`,
    ),
    triggers: db.prepare('SELECT document, first, terms, phrase FROM search_triggers WHERE first = ?'),
  };
}

/**
 * Documents whose text holds a phrase, and where, in one number: an array for each row would take longer than to find them.
 * What holds it, and not in the name, holds it in the description.
 */
function holdingSql(documents: string): string {
  const inName = (phrase: string) => `instr(text, ${phrase}) BETWEEN 1 AND instr(text, :end)`;
  const inDescription = (phrase: string) => `instr(substr(text, instr(text, :end)), ${phrase}) > 0`;
  return `SELECT 4 * number + CASE WHEN ${inName(':first')} OR ${inName(':second')}
      THEN 2 + (${inDescription(':first')} OR ${inDescription(':second')}) ELSE 1 END
    FROM ${documents} WHERE instr(text, :first) > 0 OR instr(text, :second) > 0`;
}

const NO_BYTES = new Uint8Array(0);
/** Before all others. */
const NO_NAME: NamedDocument = { name: '', document: 0 };

function asBlock(bytes: Uint8Array): Block {
  // Copied, because numbers of 32 bits must begin at a multiple of four.
  return new Uint32Array(new Uint8Array(bytes).buffer);
}
