/** What the doors may ask of the skill index. */
import type { ColibriDatabase } from '../../db/database.ts';
import { ColibriError } from '../../lib/errors.ts';
import { nearest } from '../../lib/text.ts';
import {
  allNames,
  findDetail,
  findSummaries,
  type SkillDetail,
  type SkillFilters,
  type SkillSummary,
} from './registry-repository.ts';
import type { LoadSkillsResult } from './repository.ts';

export interface SkillsService {
  list(filters?: SkillFilters): readonly SkillSummary[];
  get(name: string): SkillDetail | null;
  /** Like `get`, but an unknown name is an error that names the nearest ones. */
  require(name: string): SkillDetail;
  names(): readonly string[];
  /** What the scan at start found. */
  lastLoad(): LoadSkillsResult;
}

export function createSkillsService(db: ColibriDatabase['handle'], load: LoadSkillsResult): SkillsService {
  return {
    list: (filters) => findSummaries(db, filters),
    get: (name) => findDetail(db, name),
    require(name) {
      const skill = findDetail(db, name);
      if (skill !== null) return skill;
      const near = nearest(name, allNames(db));
      const hint = near.length === 0 ? 'colibri list shows all' : `did you mean ${near.join(', ')}?`;
      throw new ColibriError('SKILL_NOT_FOUND', `no skill named ${JSON.stringify(name)}; ${hint}`, {
        name,
        nearest: near,
      });
    },
    names: () => allNames(db),
    lastLoad: () => load,
  };
}
