/** What `skill_search` and `skill_match` answer. Pure, like the rest of the engine: the ranking comes from the world. */
import { ColibriError } from '../../lib/errors.ts';
import type { RankedSkill } from '../skills/search/search.ts';
import { cutAt, oneLine, UNTRUSTED_MARK } from './catalog.ts';
import { load, requireConfigured, type Step, type World } from './engine.ts';
import { invokedEvent } from './invoke.ts';
import type { SessionState } from './schema.ts';

export const SEARCH_LIMIT = 10;
export const MATCH_LIMIT = 5;

/** What an answer of ten results may cost the one who reads it, and each further result. */
const TEXT_BYTES_MAX = 2_048;
const TEXT_BYTES_EACH = 205;
/** Of a query that is said again in the answer. */
const QUERY_SHOWN_CHARS = 200;
const QUERY_KEPT_CHARS = 2_000;

/** A result as a program gets it. */
export interface SearchHit extends RankedSkill {
  readonly source: string;
  readonly description: string;
  readonly trusted: boolean;
}

export function search(
  world: World,
  { query, limit = SEARCH_LIMIT }: { readonly query: string; readonly limit?: number | undefined },
): Step {
  requireConfigured(world);
  const { hits, total } = world.search(query, limit);
  const found = described(world, hits);
  const shown = oneLine(query).slice(0, QUERY_SHOWN_CHARS);
  const more = total - found.length;
  const listing = listingOf(found, {
    heading: `Skills matching '${shown}' (${more > 0 ? `${found.length} of ${total}` : found.length}):`,
    line: ({ name, source }) => `${oneLine(name)} [${source}]`,
    notes: more > 0 ? [`${more} more have some of the words; narrow the query or raise limit.`] : [],
  });
  const data = {
    query: query.slice(0, QUERY_KEPT_CHARS),
    ...resultsOf(found, listing),
    total_count: total,
  };
  return { text: found.length === 0 ? `No skills matched '${shown}'.` : listing.text, data, ...NOTHING_LEFT };
}

export interface MatchCall {
  readonly task: string;
  readonly limit?: number | undefined;
  readonly toolUseId: string | null;
}

/** In a session with `auto_load` the winner is loaded, too. */
export function match(world: World, state: SessionState | null, call: MatchCall): Step {
  requireConfigured(world);
  const { hits, total } = world.match(call.task, call.limit ?? MATCH_LIMIT);
  const found = described(world, hits);
  const listing = listingOf(found, {
    heading: `Skills that fit this task (${found.length < total ? `${found.length} of ${total}` : total}), best first:`,
    line: ({ name, source, score, why }) =>
      `${oneLine(name)} [${source}] ${score} (${oneLine(why).slice(0, WHY_SHOWN_CHARS)})`,
    notes: [],
  });
  const text = found.length === 0 ? 'No skill clearly fits this task.' : listing.text;
  const data = { ...resultsOf(found, listing), total_count: total };
  const loaded =
    state?.options.auto_load === true ? autoLoad(world, state, { ...call, name: hits[0]?.name }) : null;
  if (loaded === null) return { text, data: { ...data, auto_loaded: null }, ...NOTHING_LEFT };
  return { ...loaded, text: `${text}\n\n${loaded.text}`, data: { ...data, auto_loaded: loaded.data } };
}

const NOTHING_LEFT = { drafts: [], artifacts: [] } as const;
const WHY_SHOWN_CHARS = 60;

/** Null when the skill is not trusted, was given before, or the budget is spent: nobody asked for it, so nothing fails. */
export function autoLoad(
  world: World,
  state: SessionState,
  { name, toolUseId }: { readonly name: string | undefined; readonly toolUseId: string | null },
): Step | null {
  const skill = name === undefined ? null : world.skill(name);
  if (skill === null || !world.policy(skill).trusted) return null;
  try {
    const step = load(world, state, { name: skill.name, reason: 'auto_suggested', toolUseId });
    if (step.loaded === undefined) return null;
    const call = { name: skill.name, args: '', mode: 'auto' } as const;
    const invoked = invokedEvent(call, world.policy(skill).tools);
    return { ...step, drafts: [...step.drafts, invoked] };
  } catch (error) {
    if (error instanceof ColibriError && error.code === 'BUDGET_EXHAUSTED') return null;
    throw error;
  }
}

function described(world: World, hits: readonly RankedSkill[]): readonly SearchHit[] {
  return hits.flatMap((hit) => {
    const skill = world.head(hit.name);
    if (skill === null) return [];
    const { name, source, description } = skill;
    const trusted = world.isTrusted(skill);
    return [{ name, source, description, score: hit.score, why: hit.why, trusted }];
  });
}

interface Listing {
  readonly text: string;
  /** Characters that descriptions were cut to; null when none was. */
  readonly cut: number | null;
}

interface ListingParts {
  readonly heading: string;
  /** What stands before the description. */
  readonly line: (hit: SearchHit) => string;
  readonly notes: readonly string[];
}

const CUT_NOTE = 'Descriptions are cut to keep this short; skill_get tells all of one.';

/** Descriptions are cut to the longest common length that fits; when even names do not fit, the last ones are left out. */
function listingOf(hits: readonly SearchHit[], { heading, line, notes }: ListingParts): Listing {
  const most = Math.max(TEXT_BYTES_MAX, hits.length * TEXT_BYTES_EACH);
  const lines = hits.map((hit) => ({
    start: line(hit),
    description: oneLine(hit.description),
    mark: hit.trusted ? '' : UNTRUSTED_MARK,
  }));
  const textAt = (cut: number | null, count: number): string =>
    [
      heading,
      ...lines
        .slice(0, count)
        .map(({ start, description, mark }) =>
          cut === 0 ? `- ${start}${mark}` : `- ${start} — ${cutAt(description, cut)}${mark}`,
        ),
      ...(count < lines.length ? [`${lines.length - count} more do not fit here; ask for fewer.`] : notes),
      ...(cut === null ? [] : [CUT_NOTE]),
    ].join('\n');
  const fits = (text: string): boolean => Buffer.byteLength(text) <= most;
  const whole = textAt(null, lines.length);
  if (fits(whole)) return { text: whole, cut: null };
  const longest = Math.max(0, ...lines.map(({ description }) => description.length));
  const cut = largest(longest, (length) => fits(textAt(length, lines.length)));
  const count = largest(lines.length, (some) => fits(textAt(cut, some)));
  return { text: textAt(cut, count), cut };
}

/** The largest number up to `most` that fits, at least 0. */
function largest(most: number, fits: (value: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function resultsOf(hits: readonly SearchHit[], { cut }: Listing): Readonly<Record<string, unknown>> {
  return {
    result_count: hits.length,
    result_names: hits.map(({ name }) => name),
    results: hits.map((hit) => ({ ...hit, description: cutAt(hit.description, cut) })),
    descriptions_cut_to: cut,
  };
}
