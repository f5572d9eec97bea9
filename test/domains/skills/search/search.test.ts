import { describe, expect, test } from 'vitest';

import { req } from '../../../requirements.ts';
import { testIndex } from './harness.ts';

const LIBRARY = {
  'html-report': 'Turns a pdf into a page.',
  merge: 'Merge files. Use with pdf.',
  'pdf-forms': 'Fill forms.',
  'pdf-redact': 'Redact regions of a pdf.',
  zebra: 'Stripes.',
};

describe('the whole query', () => {
  test(
    req(['M-search-1', 'M-search-3'], 'the query is trimmed, its case does not matter, the rest is left out'),
    async () => {
      const { found } = await testIndex(LIBRARY);
      expect(found('  STRIPES \n')).toEqual(['zebra']);
      expect(found('Pdf')).not.toContain('zebra');
    },
  );

  test(req('M-search-2', 'in name and description, then in the name, then in the description'), async () => {
    const { search } = await testIndex(LIBRARY);
    const { hits } = search('pdf');
    expect(hits.map(({ name, why, score }) => [name, why, Math.floor(score)])).toEqual([
      ['pdf-redact', 'in name and description', 3],
      ['pdf-forms', 'in name', 2],
      ['html-report', 'in description', 1],
      ['merge', 'in description', 1],
    ]);
  });

  test(req('M-search-4', 'what fits equally well comes by name, whatever came first'), async () => {
    const { found, put, index } = await testIndex({ 'b-tool': 'Same text.', 'a-tool': 'Same text.' });
    expect(found('same text')).toEqual(['a-tool', 'b-tool']);
    put('0-tool', 'Same text.');
    await index.indexAll();
    expect(found('same')).toEqual(['0-tool', 'a-tool', 'b-tool']);
  });

  test('the very name is first, also with blanks for hyphens', async () => {
    const { found } = await testIndex({
      'code-review-with-code-review': 'Code review of code review.',
      'code-review': 'Look at a change.',
    });
    expect(found('code-review')[0]).toBe('code-review');
    expect(found('Code Review')[0]).toBe('code-review');
  });

  test('a part of a word is found wherever it stands, also in words that are never indexed', async () => {
    const { found } = await testIndex({ one: 'The copying of thistles.', two: 'Nothing else.' });
    expect(found('pying')).toEqual(['one']);
    expect(found('his')).toEqual(['one']);
    expect(found('hist')).toEqual(['one']);
    expect(found('g of thi')).toEqual(['one']);
  });

  test('a phrase goes across a line break, but not from the name into the description', async () => {
    const { found } = await testIndex({ one: 'fill\n  in forms', form: 'filler' });
    expect(found('fill in')).toEqual(['one']);
    expect(found('form filler')[0]).toBe('form');
    expect((await testIndex({ form: 'filler' })).search('formfiller').hits).toEqual([]);
  });

  test(req('M-search-5', 'an empty query lists by name, up to the limit'), async () => {
    const { found, search } = await testIndex(LIBRARY);
    expect(found(' \t ', { limit: 2 })).toEqual(['html-report', 'merge']);
    expect(search('').total).toBe(5);
  });

  test('case and accents do not matter beyond ASCII either', async () => {
    const { found } = await testIndex({ a: 'Größe prüfen', b: 'ΣΊΣΥΦΟΣ', c: 'nothing' });
    expect(found('GRÖSSE')).toEqual(['a']);
    expect(found('GRÖẞE')).toEqual(['a']);
    expect(found('grosse prufen')).toEqual(['a']);
    expect(found('σίσυφος')).toEqual(['b']);
  });
});

describe('words of a query', () => {
  test('the text of a skill is searched, too, below its name and description', async () => {
    const { found } = await testIndex({
      kafka: { description: 'Streams.', body: 'Nothing more.' },
      notes: { description: 'Writes notes.', body: 'Mentions kafka and partitions once.' },
    });
    expect(found('partitions')).toEqual(['notes']);
    expect(found('kafka partitions rebalance')).toEqual(['notes', 'kafka']);
  });

  test('triggers are searched', async () => {
    const { found } = await testIndex({ a: { triggers: ['rotate the keys'] }, b: 'Other.' });
    expect(found('keys to rotate')).toEqual(['a']);
  });

  test('forms of a word meet', async () => {
    const { found } = await testIndex({ a: 'Merges documents.', b: 'Other.' });
    expect(found('merging a document')).toEqual(['a']);
  });

  test('a sentence finds by the words that tell something, the whole query before single words', async () => {
    const { found } = await testIndex({
      'fill-forms': 'Fill a form in a PDF.',
      invoice: 'How to fill the form of a customer.',
      deploy: 'Use this to ship it to the cloud.',
    });
    expect(found('how to fill the form')).toEqual(['invoice', 'fill-forms']);
  });

  test(
    req('M-search-3', 'a sentence that fits nothing finds nothing, however common its small words are'),
    async () => {
      const { found } = await testIndex(LIBRARY);
      for (const query of ['how do I use this for a rocket with you', '???', '%', '.*', '"', '(', 'NEAR('])
        expect([query, found(query)]).toEqual([query, []]);
    },
  );

  test('other scripts are found without blanks between words', async () => {
    const { found } = await testIndex({ a: '处理表格文件', b: 'tables', c: '写代码' });
    expect(found('请帮我处理表格')).toEqual(['a']);
    expect(found('代码')).toEqual(['c']);
  });
});

describe('slips', () => {
  test.each([
    ['kuberentes', 'kubernetes-ops'],
    ['termnal', 'terminal-recording'],
    ['chrt', 'chart'],
    ['kubern', 'kubernetes-ops'],
  ])('%s is read as the word of a name that is meant', async (typed, name) => {
    const { search } = await testIndex({
      'kubernetes-ops': 'Clusters.',
      'terminal-recording': 'Shows a session.',
      chart: 'Draws.',
      other: 'Something else.',
    });
    expect(search(typed).hits[0]).toMatchObject({ name });
  });

  test('says what was read as what, and never claims a whole phrase', async () => {
    const { search } = await testIndex({ 'kubernetes-ops': 'Clusters.' });
    const [hit] = search('kuberentes').hits;
    expect(hit?.why).toMatch(/^kuberentes read as kubernetes; /);
    expect(hit?.score).toBeLessThan(1);
  });

  test('a word that is too far off finds nothing', async () => {
    const { found } = await testIndex({ chart: 'Draws.' });
    expect(found('zzzzzz')).toEqual([]);
    expect(found('cat')).toEqual([]);
  });
});

describe('who may be shown', () => {
  test('hidden skills are passed over, however many rank above the rest', async () => {
    const hidden = Object.fromEntries(
      Array.from({ length: 120 }, (_, index) => [`hidden-${index}`, 'Deploy deploy.']),
    );
    const { found } = await testIndex({ ...hidden, shown: 'Deploy something that is far longer to say.' });
    expect(found('deploy', { accepts: (name) => !name.startsWith('hidden') })).toEqual(['shown']);
  });

  test('how often a skill was used decides between equals only', async () => {
    const { found } = await testIndex({ a: 'Same text.', b: 'Same text.', c: 'Text that is the same.' });
    const usage = (name: string) => ({ a: 0, b: 5, c: 100 })[name] ?? 0;
    expect(found('same text')).toEqual(['a', 'b', 'c']);
    expect(found('same text', { usage })).toEqual(['b', 'a', 'c']);
  });
});
