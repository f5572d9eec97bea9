/** Brings the index in line with the skills, bit by bit: names and descriptions first, then bodies. */
import type { Clock } from '../../../lib/clock.ts';
import { OPEN } from './corpus.ts';
import { bodyWords, headWords, triggerPhrases } from './document.ts';
import { type ByteWriter, createByteWriter, encodeRun, packBody, packHead } from './postings.ts';
import type { Part, SearchWriter, SkillVersion } from './search-write-repository.ts';
import { createStreamBuffer, encodeStream, termsIn, tokenOf } from './token-stream.ts';
import type { Lexicon, Word } from './tokenise.ts';

export interface IndexingParts {
  readonly writer: SearchWriter;
  readonly lexicon: Lexicon;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Skills that are looked at in one transaction at most. */
const SKILLS_AT_ONCE = 2_048;
/** Bodies that are indexed in one transaction at most, and those that are read together. */
const BODIES_AT_ONCE = 512;
const BODIES_READ = 16;

/** One transaction of work that waits. False when nothing does. It ends soon after the deadline, and always gets somewhere. */
export function indexOnce(parts: IndexingParts, deadline: number): boolean {
  return parts.writer.transact(
    () => indexSkills(parts, deadline) || indexBodies(parts, deadline) || parts.writer.startOverIfWorn(),
  );
}

function indexSkills({ writer, lexicon, clock }: IndexingParts, deadline: number): boolean {
  const names = writer.pendingNames(SKILLS_AT_ONCE);
  const batch = createBatch(writer, 'head');
  let done = 0;
  for (const name of names) {
    if (done++ > 0 && clock.monotonic() >= deadline) break;
    for (const version of reconcile(writer, name)) addHead({ writer, lexicon }, batch, version);
    writer.settle(name);
  }
  batch.store();
  return names.length > 0;
}

/** Drops documents of versions that nobody looks at any more, and says which versions have no document yet. */
function reconcile(writer: SearchWriter, name: string): readonly SkillVersion[] {
  const documents = [...writer.documents(name)];
  const missing = joined(writer.versions(name)).filter((version) => {
    const at = documents.findIndex(({ digest }) => digest === version.digest && digest !== '');
    const [same] = at < 0 ? [] : documents.splice(at, 1);
    if (same !== undefined) writer.changeFacts(same.number, { from: version.from, to: version.to });
    return same === undefined;
  });
  for (const { number } of documents) writer.dropDocument(number);
  return missing;
}

/** A version that was written again as it was is one document. */
function joined(versions: readonly SkillVersion[]): readonly SkillVersion[] {
  const result: SkillVersion[] = [];
  for (const version of versions) {
    const last = result.at(-1);
    if (last !== undefined && last.digest === version.digest && last.to === version.from) {
      result[result.length - 1] = { ...version, from: last.from };
    } else result.push(version);
  }
  return result;
}

function addHead(
  { writer, lexicon }: Pick<IndexingParts, 'writer' | 'lexicon'>,
  batch: Batch,
  version: SkillVersion,
): void {
  const { name, description } = headWords(version, lexicon);
  const document = writer.addDocument(version, triggerPhrases(version.triggers, lexicon));
  const facts = { name: name.length, description: description.length, body: OPEN };
  writer.changeFacts(document, { from: version.from, to: version.to, ...facts });
  batch.add(document, [name, description]);
}

function indexBodies({ writer, lexicon, clock }: IndexingParts, deadline: number): boolean {
  const batch = createBatch(writer, 'body');
  let last = 0;
  for (let done = 0; done < BODIES_AT_ONCE; done += BODIES_READ) {
    if (done > 0 && clock.monotonic() >= deadline) break;
    const bodies = writer.waitingBodies(last, BODIES_READ);
    for (const { number, body } of bodies) {
      const words = bodyWords(body, lexicon);
      batch.add(number, [words]);
      writer.changeFacts(number, { body: words.length });
      writer.bodyDone(number);
      last = number;
    }
    if (bodies.length < BODIES_READ) break;
  }
  batch.store();
  return last > 0;
}

/** Collects the words of several documents, so that each list is written once. */
interface Batch {
  /** Documents come in ascending order, the words of each by field. */
  add(document: number, fields: readonly (readonly Word[])[]): void;
  store(): void;
}

interface TermEntry {
  number: number;
  /** The document that `tally` is about, field by field. */
  last: number;
  readonly tally: [number, number];
  readonly documents: number[];
  readonly packed: number[];
}

interface AddedDocument {
  readonly document: number;
  readonly fields: readonly (readonly Word[])[];
}

function createBatch(writer: SearchWriter, part: Part): Batch {
  const entries = new Map<string, TermEntry>();
  const added: AddedDocument[] = [];

  function close(entry: TermEntry): void {
    const [first, second] = entry.tally;
    entry.documents.push(entry.last);
    entry.packed.push(part === 'head' ? packHead(first, second) : packBody(first));
    entry.tally.fill(0);
  }

  return {
    add(document, fields) {
      added.push({ document, fields });
      for (const [field, words] of fields.entries()) {
        for (const { term } of words) {
          let entry = entries.get(term);
          if (entry === undefined) {
            entry = { number: 0, last: document, tally: [0, 0], documents: [], packed: [] };
            entries.set(term, entry);
          } else if (entry.last !== document) {
            close(entry);
            entry.last = document;
          }
          entry.tally[field === 0 ? 0 : 1]++;
        }
      }
    },
    store() {
      for (const [term, entry] of entries) {
        close(entry);
        entry.number = writer.term(term, part === 'head' ? entry.documents.length : 0);
      }
      const bytes = createByteWriter();
      const numberOf = (term: string): number => entries.get(term)?.number ?? 0;
      if (part === 'head') addForms(writer, added, numberOf);
      else countBodies(writer, added, numberOf);
      for (const { document, fields } of added) {
        writer.putStream(document, part, streamOf(bytes, fields, numberOf));
      }
      // In the order of their keys, which is how they lie in the file.
      const ordered = [...entries.values()].sort((a, b) => a.number - b.number);
      for (const { number, documents, packed } of ordered) {
        writer.append(number, part, encodeRun(bytes, documents, packed));
      }
    },
  };
}

/** A document that has a term in its head was counted with the head. */
function countBodies(
  writer: SearchWriter,
  added: readonly AddedDocument[],
  numberOf: (term: string) => number,
): void {
  const buffer = createStreamBuffer();
  const more = new Map<string, number>();
  for (const { document, fields } of added) {
    const counted = termsIn({ head: writer.headStream(document), body: new Uint8Array(0) }, buffer);
    for (const term of new Set(fields.flat().map((word) => word.term))) {
      if (!counted.has(numberOf(term))) more.set(term, (more.get(term) ?? 0) + 1);
    }
  }
  for (const [term, documents] of more) writer.term(term, documents);
}

function streamOf(
  bytes: ByteWriter,
  fields: readonly (readonly Word[])[],
  numberOf: (term: string) => number,
): Uint8Array {
  const tokens = fields.flat().map(({ form, term }) => tokenOf(numberOf(term), form));
  return encodeStream(bytes, fields[0]?.length ?? 0, tokens);
}

/** Each form once, however many documents have it. */
function addForms(
  writer: SearchWriter,
  added: readonly AddedDocument[],
  numberOf: (term: string) => number,
): void {
  const forms = new Map<string, { readonly term: string; inName: boolean }>();
  for (const { fields } of added) {
    for (const [field, words] of fields.entries()) {
      for (const { form, term } of words) {
        const known = forms.get(form);
        if (known === undefined) forms.set(form, { term, inName: field === 0 });
        else if (field === 0) known.inName = true;
      }
    }
  }
  for (const [form, { term, inName }] of forms) writer.addForm(form, numberOf(term), inName);
}
