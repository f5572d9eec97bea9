/** The small parts: words, stems, packed lists and streams, slips. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  createByteWriter,
  createPostingBuffer,
  decodeList,
  encodeRun,
} from '../../../../src/domains/skills/search/postings.ts';
import { stem } from '../../../../src/domains/skills/search/stem.ts';
import {
  createStreamBuffer,
  decodeStreams,
  encodeStream,
} from '../../../../src/domains/skills/search/token-stream.ts';
import { createLexicon, tokenise } from '../../../../src/domains/skills/search/tokenise.ts';
import { editDistance } from '../../../../src/lib/text.ts';

describe('stems', () => {
  // The examples of the steps in Porter's paper, and words that skills are full of.
  test.each([
    ['caresses ponies ties caress cats', 'caress poni ti caress cat'],
    ['feed agreed plastered motoring sing', 'feed agre plaster motor sing'],
    [
      'conflated troubled sized hopping tanned falling hissing fizzed failing filing',
      'conflat troubl size hop tan fall hiss fizz fail file',
    ],
    ['happy sky', 'happi sky'],
    ['relational conditional rational digitizer operator', 'relat condit ration digit oper'],
    ['triplicate formative electrical hopeful goodness', 'triplic form electr hope good'],
    [
      'revival allowance inference airliner adjustable replacement adoption effective',
      'reviv allow infer airlin adjust replac adopt effect',
    ],
    ['probate rate cease controll roll', 'probat rate ceas control roll'],
    ['merging merged merges merge', 'merg merg merg merg'],
    ['deployments deployed deploying deploy', 'deploy deploy deploy deploy'],
    ['a be y', 'a be y'],
  ])('%s', (words, stems) => {
    expect(words.split(' ').map(stem).join(' ')).toBe(stems);
  });
});

describe('words', () => {
  const terms = (text: string) => tokenise(text, createLexicon()).map(({ term }) => term);

  test('names fall apart at hyphens and underscores', () => {
    expect(terms('pdf-form_filler')).toEqual(['pdf', 'form', 'filler']);
  });

  test('what says nothing is left out', () => {
    expect(terms('How to use this with the PDF?')).toEqual(['pdf']);
  });

  test('accents, widths and case do not matter', () => {
    expect(terms('Ｃafé NAÏVE Straße')).toEqual(terms('cafe naive strasse'));
  });

  test('scripts without blanks become pairs, also beside other words', () => {
    expect(terms('pdf文件处理')).toEqual(['pdf', '文件', '件处', '处理']);
    expect(terms('表')).toEqual(['表']);
  });

  test('long runs are cut', () => {
    expect(terms('x'.repeat(500))).toEqual(['x'.repeat(40)]);
  });
});

describe('packed numbers', () => {
  test('a list of any runs gives back every document with its byte', () => {
    const run = fc.array(fc.tuple(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(fc.array(run, { maxLength: 4 }), (runs) => {
        const writer = createByteWriter();
        const sorted = runs.map((pairs) => [...new Map(pairs)].sort(([a], [b]) => a - b));
        const bytes = sorted.map((pairs) =>
          encodeRun(
            writer,
            pairs.map(([document]) => document),
            pairs.map(([, packed]) => packed),
          ),
        );
        const buffer = createPostingBuffer();
        decodeList(Buffer.concat(bytes), buffer);
        const decoded = Array.from({ length: buffer.length }, (_, at) => [
          buffer.documents[at],
          buffer.packed[at],
        ]);
        expect(decoded).toEqual(sorted.flat());
      }),
    );
  });

  test('bytes of any kind are decoded without failing', () => {
    const buffer = createPostingBuffer();
    const streams = createStreamBuffer();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 200 }), (head, body) => {
        decodeList(head, buffer);
        decodeStreams({ head, body }, streams);
        expect(buffer.length).toBeLessThanOrEqual(head.length);
        expect(streams.nameEnd).toBeLessThanOrEqual(streams.descriptionEnd);
        expect(streams.descriptionEnd).toBeLessThanOrEqual(streams.length);
      }),
    );
  });

  test('a document comes back with its fields, with and without a body', () => {
    const writer = createByteWriter();
    const head = encodeStream(writer, 2, [10, 20, 300_000, 4]);
    const body = encodeStream(writer, 3, [5, 6, 7]);
    const read = (streams: { head: Uint8Array; body: Uint8Array }) => {
      const into = createStreamBuffer();
      decodeStreams(streams, into);
      const { tokens, length, nameEnd, descriptionEnd } = into;
      return { tokens: [...tokens.slice(0, length)], nameEnd, descriptionEnd };
    };
    expect(read({ head, body })).toEqual({
      tokens: [10, 20, 300_000, 4, 5, 6, 7],
      nameEnd: 2,
      descriptionEnd: 4,
    });
    expect(read({ head, body: new Uint8Array(0) })).toEqual({
      tokens: [10, 20, 300_000, 4],
      nameEnd: 2,
      descriptionEnd: 4,
    });
  });
});

test('slips are counted: one letter too many, too few, another, or two that changed places', () => {
  const distances = ['deploy', 'deplo', 'deployy', 'deplqy', 'deplyo', 'ploy', 'zzz'].map((word) =>
    editDistance('deploy', word, 2),
  );
  expect(distances).toEqual([0, 1, 1, 1, 1, 2, 3]);
});
