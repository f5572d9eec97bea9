/** A parsed skill and its place on disk → the values of one row of the `skills` table. */
import type { Diagnostic } from '../../lib/diagnostics.ts';
import { isAsciiText } from '../../lib/text.ts';
import { bodyVersion, type SkillHead } from './parse.ts';
import { searchText } from './search-text.ts';
import { INVOKABLE_BY_DEFAULT } from './tiers.ts';

/** Which kind of root a skill came from. */
export type SkillSource = 'workspace' | 'global' | 'mirror' | 'repo';

/** Where a skill was found, in the form that the index stores. */
export interface SkillPlace {
  readonly source: SkillSource;
  /** The root as displayed, for example `.agents/skills`. */
  readonly root: string;
  /** The skill's own directory as displayed. */
  readonly directory: string;
}

/** One value per column: of the usual columns, or of those and then the rare ones. */
export type SkillRowValues = readonly (string | number | null)[];

/** What every row says for itself. */
export const USUAL_COLUMNS = [
  'name',
  'description',
  'body',
  'source_path',
  'frontmatter_json',
  'loaded_at',
  'source',
  'root',
  'directory',
  'license',
  'metadata',
  'allowed_tools',
  'digest',
  'body_tokens',
  'search_text',
  'generation',
] as const;

/** What few skills say anything about, and the table's own default for the others. */
export const RARE_COLUMNS = {
  version: null,
  entrypoint: null,
  capabilities: '[]',
  greek_letter: null,
  tier: 2,
  invokable_by: '["T0","T1","T2","T3"]',
  category: null,
  compatibility: null,
  triggers: '[]',
  required_tools: '[]',
  workflow: '[]',
  verification: '[]',
  body_version: '',
  diagnostics: '[]',
  user_invocable: 1,
  model_invocable: 1,
  argument_hint: null,
  arguments: '[]',
  when_to_use: null,
  disallowed_tools: '[]',
  model: null,
} as const;

export interface RowContext {
  readonly place: SkillPlace;
  readonly diagnostics: readonly Diagnostic[];
  /** ISO-8601 UTC. */
  readonly loadedAt: string;
  /** Counts the states of the catalog; the one that this row belongs to. */
  readonly generation: number;
  /** To be kept in the row itself. Without it the body is found by the digest, see `body-repository.ts`. */
  readonly body?: string;
}

/** Most skills say nothing about the rare columns; their rows end before those. */
export function skillRowValues(head: SkillHead, context: RowContext): SkillRowValues {
  const { fields: skill } = head;
  const { place, body, diagnostics } = context;
  const usual = [
    skill.name,
    skill.description,
    body ?? '',
    `${place.directory}/SKILL.md`,
    JSON.stringify(head.frontmatter),
    context.loadedAt,
    place.source,
    place.root,
    place.directory,
    skill.license,
    isEmpty(skill.metadata) ? '{}' : JSON.stringify(skill.metadata),
    jsonList(skill.allowedTools),
    head.digest,
    head.bodyTokens,
    storedSearchText(skill.name, skill.description),
    context.generation,
  ];
  const isUsual =
    head.standardOnly && skill.compatibility === null && diagnostics.length === 0 && body === undefined;
  return isUsual ? usual : [...usual, ...rareValues(head, context)];
}

function rareValues({ fields: skill }: SkillHead, { body, diagnostics }: RowContext): SkillRowValues {
  return [
    skill.version,
    skill.entrypoint,
    jsonList(skill.capabilities),
    skill.greekLetter,
    skill.tier,
    skill.invokableBy === INVOKABLE_BY_DEFAULT ? RARE_COLUMNS.invokable_by : jsonList(skill.invokableBy),
    skill.category,
    skill.compatibility,
    jsonList(skill.triggers),
    jsonList(skill.requiredTools),
    jsonList(skill.workflow),
    jsonList(skill.verification),
    body === undefined ? '' : bodyVersion(body),
    jsonList(diagnostics),
    skill.userInvocable ? 1 : 0,
    skill.disableModelInvocation ? 0 : 1,
    skill.argumentHint,
    jsonList(skill.arguments),
    skill.whenToUse,
    jsonList(skill.disallowedTools),
    skill.model,
  ];
}

/** Empty where SQLite's own `lower` gives the same, so that most texts are not stored twice. */
function storedSearchText(name: string, description: string): string {
  return isAsciiText(name) && isAsciiText(description) ? '' : searchText(name, description);
}

function isEmpty(map: Readonly<Record<string, string>>): boolean {
  for (const _ in map) return false;
  return true;
}

// Most lists of most skills are empty; this keeps them off the serialiser on the scan's hot path.
function jsonList(list: readonly unknown[]): string {
  return list.length === 0 ? '[]' : JSON.stringify(list);
}
