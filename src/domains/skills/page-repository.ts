/** Pages of the list. Every agent asks for the first ones, so they are kept while the index stays as it is. */
import type Database from 'better-sqlite3';

import { oncePerTurn } from '../../lib/per-turn.ts';
import { currentGeneration } from './generation-repository.ts';
import type { IsOffered } from './offered.ts';
import {
  countSkills,
  findSummaries,
  type SkillFilters,
  type SkillSummary,
  totalSkills,
} from './summary-repository.ts';

export interface SkillPage {
  readonly skills: readonly SkillSummary[];
  /** Of all pages. */
  readonly total_count: number;
  /** Absent on the last page. */
  readonly next_cursor?: string;
}

export interface PageRequest extends SkillFilters {
  readonly limit?: number | undefined;
  /** The last name of the page before. */
  readonly cursor?: string | undefined;
}

export const PAGE_SKILLS = 100;
/** How many are kept, each of at most `PAGE_SKILLS`. */
const PAGES_MAX = 16;

/** Gives the same object for the same page of the same index, so that what is made of it can be kept with it. */
export function createPages(
  db: Database.Database,
  { perTurn }: { readonly perTurn: boolean },
): (request: PageRequest) => SkillPage {
  const look = () => currentGeneration(db);
  const generationNow = perTurn ? oncePerTurn(look) : look;
  let known = { generation: Number.NaN, pages: new Map<string, SkillPage>() };
  return (request) => {
    const generation = generationNow();
    if (known.generation !== generation) known = { generation, pages: new Map() };
    const { search, capability, limit = PAGE_SKILLS, cursor } = request;
    const key = JSON.stringify([search, capability, limit, cursor]);
    const found = known.pages.get(key);
    if (found !== undefined) return found;
    const page = readPage(db, request);
    if (limit <= PAGE_SKILLS && known.pages.size < PAGES_MAX) known.pages.set(key, page);
    return page;
  };
}

function readPage(
  db: Database.Database,
  { search, capability, limit = PAGE_SKILLS, cursor }: PageRequest,
): SkillPage {
  const rows = findSummaries(db, { search, capability, after: cursor, limit: limit + 1 });
  const total = search || capability ? countSkills(db, { search, capability }) : totalSkills(db);
  return pageOf(rows, { limit, total });
}

/** Only where something is hidden: the filter is no SQL, so every row is looked at. */
export function offeredPage(
  db: Database.Database,
  { limit = PAGE_SKILLS, cursor = '', ...filters }: PageRequest,
  isOffered: IsOffered,
): SkillPage {
  const all = findSummaries(db, filters).filter(isOffered);
  const rest = all.filter(({ name }) => name > cursor);
  return pageOf(rest, { limit, total: all.length });
}

/** The first of the rows; one more of them tells that there is another page. */
function pageOf(
  rows: readonly SkillSummary[],
  { limit, total }: { readonly limit: number; readonly total: number },
): SkillPage {
  const skills = rows.slice(0, limit);
  const last = skills.at(-1);
  return {
    skills,
    total_count: total,
    ...(rows.length > limit && last !== undefined ? { next_cursor: last.name } : {}),
  };
}
