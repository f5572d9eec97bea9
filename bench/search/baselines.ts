/** What others do, each at its best settings. */
import Database from 'better-sqlite3';
import MiniSearch, { type SearchOptions } from 'minisearch';

import { createLexicon, foldText, tokenise } from '../../src/domains/skills/search/tokenise.ts';
import type { BenchSkill } from './data.ts';
import type { Answer } from './metrics.ts';

export interface Baseline {
  readonly name: string;
  readonly answer: Answer;
}

const TOP = 10;
const MINISEARCH_WORDS = 32;

export function substringBaselines(skills: readonly BenchSkill[]): readonly Baseline[] {
  const folded = skills.map(({ name, description }) => ({
    name,
    inName: foldText(name),
    inDescription: foldText(description),
  }));
  const score = (needle: string, { inName, inDescription }: (typeof folded)[number]): number =>
    (inName.includes(needle) ? 2 : 0) + (inDescription.includes(needle) ? 1 : 0);
  const top = (of: (skill: (typeof folded)[number]) => number): readonly string[] =>
    folded
      .map((skill) => ({ name: skill.name, score: of(skill) }))
      .filter((scored) => scored.score > 0)
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
      .slice(0, TOP)
      .map(({ name }) => name);
  return [
    {
      name: 'whole query as substring',
      answer: (query) => {
        const needle = foldText(query).trim();
        return top((skill) => score(needle, skill));
      },
    },
    {
      name: 'each word as substring',
      answer: (query) => {
        const words = [...new Set(foldText(query).match(/[\p{L}\p{N}]+/gu) ?? [])];
        return top((skill) => words.reduce((sum, word) => sum + score(word, skill), 0));
      },
    },
  ];
}

export function ftsBaselines(skills: readonly BenchSkill[]): readonly Baseline[] {
  const db = new Database(':memory:');
  db.exec(`CREATE VIRTUAL TABLE fts USING fts5(name, description, body, tokenize = 'porter unicode61');
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fts, 'row');`);
  const insert = db.prepare('INSERT INTO fts (name, description, body) VALUES (?, ?, ?)');
  db.transaction(() => {
    for (const { name, description, body } of skills)
      insert.run(name.replaceAll(/[-_]/g, ' '), description, body);
  })();
  const find = db
    .prepare('SELECT rowid FROM fts WHERE fts MATCH ? ORDER BY bm25(fts, 4.0, 4.0, 1.0) LIMIT 10')
    .pluck();
  const count = db.prepare('SELECT doc FROM vocabulary WHERE term = ?').pluck();
  const lexicon = createLexicon();
  const wordsOf = (query: string, most: number): readonly string[] => {
    const words = new Map(tokenise(query.slice(0, 32_000), lexicon).map(({ form, term }) => [term, form]));
    const weighed = [...words].map(([term, form]) => ({ form, documents: Number(count.get(term) ?? 0) }));
    return weighed
      .filter(({ documents }) => documents > 0)
      .sort((a, b) => a.documents - b.documents)
      .slice(0, most)
      .map(({ form }) => `"${form}"`);
  };
  const ask = (words: readonly string[], operator: string): readonly string[] => {
    if (words.length === 0) return [];
    return (find.all(words.join(operator)) as number[]).map((row) => skills[row - 1]?.name ?? '');
  };
  return [
    { name: 'FTS5, words AND-ed', answer: (query) => ask(wordsOf(query, 1000), ' AND ') },
    { name: 'FTS5, bm25, OR of 24 words', answer: (query) => ask(wordsOf(query, 24), ' OR ') },
  ];
}

/** MiniSearch takes seconds for a long text as it is, so it is given the rarest words of it. */
function rarestWords(skills: readonly BenchSkill[]): (query: string) => string {
  const lexicon = createLexicon();
  const documents = new Map<string, number>();
  for (const { name, description, body } of skills) {
    for (const term of new Set(
      tokenise(`${name} ${description} ${body}`, lexicon).map((word) => word.term),
    )) {
      documents.set(term, (documents.get(term) ?? 0) + 1);
    }
  }
  return (query) => {
    const words = new Map(tokenise(query.slice(0, 32_000), lexicon).map(({ form, term }) => [term, form]));
    const known = [...words].filter(([term]) => documents.has(term));
    known.sort(([a], [b]) => (documents.get(a) ?? 0) - (documents.get(b) ?? 0));
    return known
      .slice(0, MINISEARCH_WORDS)
      .map(([, form]) => form)
      .join(' ');
  };
}

export function miniSearchBaselines(skills: readonly BenchSkill[]): readonly Baseline[] {
  const lexicon = createLexicon();
  const make = (fields: string[]): MiniSearch => {
    const index = new MiniSearch({
      fields,
      tokenize: (text) => tokenise(text, lexicon).map(({ term }) => term),
      processTerm: (term) => term,
    });
    index.addAll(skills.map(({ name, description, body }, id) => ({ id, name, description, body })));
    return index;
  };
  const options: SearchOptions = {
    boost: { name: 2, description: 2 },
    bm25: { k: 1.5, b: 0.7, d: 0 },
    combineWith: 'OR',
  };
  const heaviest = rarestWords(skills);
  const ask = (index: MiniSearch): Answer => {
    return (query) =>
      index
        .search(heaviest(query), options)
        .slice(0, TOP)
        .map(({ id }) => skills[Number(id)]?.name ?? '');
  };
  return [
    { name: 'MiniSearch, name + description', answer: ask(make(['name', 'description'])) },
    { name: 'MiniSearch, with body', answer: ask(make(['name', 'description', 'body'])) },
  ];
}
