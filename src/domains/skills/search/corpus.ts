/** How long the documents of an index are, and since when and until when each was part of the catalog. */
import { LENGTH_NORMALISATION, type SearchField } from './weights.ts';

/** Documents whose facts are stored together, so that a change writes little and a start reads few rows. */
export const BLOCK_DOCUMENTS = 512;

/** Facts of the documents of a block, five numbers each. */
export type Block = Uint32Array;

const COLUMNS = 5;
const FROM = 0;
const TO = 1;
const COLUMN: Readonly<Record<SearchField, number>> = { name: 2, description: 3, body: 4 };

/** For good; and in place of a length: not indexed yet. */
export const OPEN = 0xffff_ffff;

export interface DocumentFacts {
  /** The first generation of the catalog that has it. */
  readonly from: number;
  /** The first that no longer has it. */
  readonly to: number;
  readonly name: number;
  readonly description: number;
  readonly body: number;
}

export function emptyBlock(): Block {
  return new Uint32Array(BLOCK_DOCUMENTS * COLUMNS);
}

export function setFacts(block: Block, document: number, facts: DocumentFacts): void {
  block.set(
    [facts.from, facts.to, facts.name, facts.description, facts.body],
    (document % BLOCK_DOCUMENTS) * COLUMNS,
  );
}

export function factsOf(block: Block, document: number): DocumentFacts {
  const [from = 0, to = 0, name = 0, description = 0, body = 0] = block.subarray(
    (document % BLOCK_DOCUMENTS) * COLUMNS,
    (document % BLOCK_DOCUMENTS) * COLUMNS + COLUMNS,
  );
  return { from, to, name, description, body };
}

export interface Corpus {
  /** Documents of the generation. */
  readonly count: number;
  /** One more than the largest number of a document. */
  readonly size: number;
  /** By number: what an occurrence counts for the length of the field; 0 for documents of other generations. */
  readonly norms: Readonly<Record<SearchField, Float64Array>>;
  /** Whether bodies count. While many are missing they would only favour the skills that come early. */
  readonly bodies: boolean;
}

/** Of every ten bodies so many must be indexed before they count. */
const BODIES_TENTHS = 9;

export function makeCorpus(blocks: readonly (Block | undefined)[], generation: number): Corpus {
  const size = blocks.length * BLOCK_DOCUMENTS;
  const facts = (document: number, column: number): number =>
    blocks[Math.floor(document / BLOCK_DOCUMENTS)]?.[(document % BLOCK_DOCUMENTS) * COLUMNS + column] ?? 0;
  const documents: number[] = [];
  for (let document = 0; document < size; document++) {
    if (facts(document, FROM) <= generation && facts(document, TO) > generation) documents.push(document);
  }
  const withBody = documents.filter((document) => facts(document, COLUMN.body) !== OPEN);
  const norms = (field: SearchField, having: readonly number[]): Float64Array => {
    let total = 0;
    // Whole numbers add up to the same sum in any order, so the numbering of documents cannot change a score.
    for (const document of having) total += facts(document, COLUMN[field]);
    const average = total / Math.max(1, having.length) || 1;
    const b = LENGTH_NORMALISATION[field];
    const values = new Float64Array(size);
    for (const document of having) {
      values[document] = 1 / (1 - b + (b * facts(document, COLUMN[field])) / average);
    }
    return values;
  };
  return {
    count: documents.length,
    size,
    norms: {
      name: norms('name', documents),
      description: norms('description', documents),
      body: norms('body', withBody),
    },
    bodies: withBody.length * 10 >= documents.length * BODIES_TENTHS,
  };
}
