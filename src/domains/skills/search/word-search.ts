/** A search without an index: every name and description is looked at. For the moments in which there is none yet. */

import { FIELD_SEPARATOR, plain, plainText } from './document.ts';
import type { RankedSkill, Ranking, SearchOptions } from './search.ts';
import { STOP_WORDS } from './tokenise.ts';

interface Described {
  readonly name: string;
  readonly description: string;
}

const WORDS_MAX = 32;
const QUERY_CHARS_MAX = 32_000;

/** Skills come by name. An empty query lists them so. */
export function searchByWords(
  skills: readonly Described[],
  query: string,
  { limit, accepts = () => true }: SearchOptions,
): Ranking {
  const wanted = plain(query.slice(0, QUERY_CHARS_MAX));
  const hits = wanted === '' ? listed(skills, query) : found(skills, wanted);
  const shown: RankedSkill[] = [];
  for (const hit of hits) {
    if (shown.length >= limit) break;
    if (accepts(hit.name)) shown.push(hit);
  }
  return { hits: shown, total: hits.length };
}

function listed(skills: readonly Described[], query: string): readonly RankedSkill[] {
  if (query.trim() !== '') return [];
  return skills.map(({ name }) => ({ name, score: 0, why: 'listed by name' }));
}

function found(skills: readonly Described[], wanted: string): readonly RankedSkill[] {
  const texts = skills.map((skill) => plainText(skill));
  const words = weighedWords(wanted, texts);
  const most = words.reduce((sum, { weight }) => sum + 2 * weight, 0) || 1;
  const hits: RankedSkill[] = [];
  for (const [index, { name }] of skills.entries()) {
    const text = texts[index] ?? '';
    const end = text.indexOf(FIELD_SEPARATOR);
    const phrase = (text.slice(0, end).includes(wanted) ? 2 : 0) + (text.includes(wanted, end) ? 1 : 0);
    const has = words.filter(({ word }) => text.includes(word));
    const sum = has.reduce(
      (total, { word, weight }) => total + weight * (text.indexOf(word) < end ? 2 : 1),
      0,
    );
    if (phrase + sum === 0) continue;
    const score = Math.round((phrase + Math.min(0.999, sum / most)) * 1000) / 1000;
    const why = phrase > 1 ? 'in name' : phrase > 0 ? 'in description' : reason(has);
    hits.push({ name, score, why });
  }
  return hits.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
}

interface WeighedWord {
  readonly word: string;
  readonly weight: number;
}

/** Rare words tell more. */
function weighedWords(wanted: string, texts: readonly string[]): readonly WeighedWord[] {
  const words = new Set(wanted.match(/[\p{L}\p{N}]+/gu) ?? []);
  const telling = [...words].filter((word) => !STOP_WORDS.has(word) && !/^[a-z0-9]{1,2}$/.test(word));
  return telling.slice(0, WORDS_MAX).map((word) => {
    const count = texts.reduce((sum, text) => sum + (text.includes(word) ? 1 : 0), 0);
    return { word, weight: Math.log(1 + texts.length / (count + 1)) };
  });
}

function reason(words: readonly WeighedWord[]): string {
  const named = words.slice(0, 3).map(({ word }) => word);
  return `words: ${named.join(', ')}`;
}
