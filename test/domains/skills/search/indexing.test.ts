import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createSearchWriter } from '../../../../src/domains/skills/search/search-write-repository.ts';
import { type TestIndex, testIndex } from './harness.ts';

describe('text that is not indexed yet', () => {
  test('a scan only notes names: nothing is indexed before somebody searches or the background comes to it', async () => {
    const { db, put } = await testIndex();
    put('one', { description: 'First.', body: 'Deep text.' });
    expect(db.handle.prepare('SELECT name FROM search_pending').pluck().all()).toEqual(['one']);
    expect(db.handle.prepare('SELECT count(*) FROM search_documents').pluck().get()).toBe(0);
  });

  test('a search that comes earlier looks at names and descriptions as they are', async () => {
    const { put, search } = await testIndex();
    put('deploy', 'Ship it.');
    put('other', 'How to deploy a page.');
    put('third', 'A page.');
    expect(search('deploy').hits.map(({ name, why }) => [name, why])).toEqual([
      ['deploy', 'in name'],
      ['other', 'in description'],
    ]);
    expect(search('a page to deploy').hits.map(({ name }) => name)).toEqual(['deploy', 'other', 'third']);
    expect(search('').hits.map(({ name }) => name)).toEqual(['deploy', 'other', 'third']);
    expect(search('', { limit: 1 }).total).toBe(3);
  });

  test('names and descriptions come before bodies, and bodies count once nearly all are there', async () => {
    const { db, put, found, index } = await testIndex();
    for (let at = 0; at < 40; at++) put(`skill-${at}`, { description: 'Text.', body: `word${at} shared` });
    await index.prepare();
    expect(found('word7')).toEqual(['skill-7']);
    db.handle.exec('UPDATE search_documents SET body_waits = 1');
    await index.prepare();
    expect(found('word39')).toEqual(['skill-39']);
  });

  test('a background indexes what comes later, and ends when it is told', async () => {
    const { put, found, index, db } = await testIndex();
    const background = index.keepUp();
    put('late', { description: 'Text.', body: 'A heffalump.' });
    const waits = () =>
      db.handle.prepare('SELECT count(*) FROM search_documents WHERE body_waits = 0').pluck().get();
    await expect.poll(waits, { timeout: 5_000 }).toBe(1);
    expect(found('heffalump')).toEqual(['late']);
    await background.close();
    put('later', 'A woozle.');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(db.handle.prepare('SELECT name FROM search_pending').pluck().all()).toEqual(['later']);
  });

  test('trouble with the index is logged and the search still answers', async () => {
    const { db, put, found, index } = await testIndex();
    put('one', 'Text.');
    db.handle.exec('DROP TABLE search_terms');
    await index.prepare();
    expect(found('text')).toEqual(['one']);
  });
});

describe('skills that change', () => {
  test('are found by their new text alone', async () => {
    const { put, remove, found, index } = await testIndex({ one: 'Apples.', two: 'Pears.' });
    put('one', 'Plums.');
    await index.indexAll();
    expect([found('apples'), found('plums')]).toEqual([[], ['one']]);
    remove('one');
    await index.indexAll();
    expect([found('plums'), found('pears')]).toEqual([[], ['two']]);
  });

  test('a skill that was written again as it was is not indexed again', async () => {
    const { db, put, found, index } = await testIndex({ one: 'Apples.' });
    const documents = () => db.handle.prepare('SELECT number FROM search_documents').pluck().all();
    const before = documents();
    put('one', 'Apples.');
    await index.indexAll();
    expect(documents()).toEqual(before);
    expect(found('apples')).toEqual(['one']);
  });

  test('whatever came and went, the index answers like a fresh one', async () => {
    const word = fc.constantFrom('apple', 'pear', 'plum', 'fig', 'deploy', 'test', 'testing', 'pdf');
    const text = fc.record({
      description: fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
      body: fc.array(word, { maxLength: 8 }).map((words) => words.join(' ')),
    });
    const change = fc.record({
      name: fc.constantFrom('a', 'b-plum', 'c', 'd-test', 'e'),
      text: fc.option(text),
      index: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        const grown = await testIndex();
        const kept = new Map<string, { description: string; body: string }>();
        for (const { name, text: now, index } of changes) {
          if (now === null) {
            kept.delete(name);
            grown.remove(name);
          } else {
            kept.set(name, now);
            grown.put(name, now);
          }
          if (index) await grown.index.indexAll();
        }
        await grown.index.indexAll();
        const fresh = await testIndex(Object.fromEntries(kept));
        for (const query of ['apple', 'test pdf', 'plum fig deploy apple', 'tes', ''])
          expect(grown.search(query)).toEqual(fresh.search(query));
      }),
      { numRuns: 12 },
    );
  });

  test('an index that holds more of the past than of the present starts over', async () => {
    const grown = await testIndex({ one: 'Apples.' });
    for (let round = 0; round < 4; round++) await change(grown, `Pears ${round}.`);
    const writer = createSearchWriter(grown.db.handle, { wornFrom: 3 });
    expect(writer.transact(() => writer.startOverIfWorn())).toBe(true);
    expect(grown.found('pears')).toEqual(['one']);
    await grown.index.indexAll();
    expect(grown.found('pears 3')).toEqual(['one']);
    expect(grown.db.handle.prepare('SELECT count(*) FROM search_documents').pluck().get()).toBe(1);
    expect(writer.transact(() => writer.startOverIfWorn())).toBe(false);
  });
});

async function change({ put, index }: TestIndex, text: string): Promise<void> {
  put('one', text);
  await index.indexAll();
}
