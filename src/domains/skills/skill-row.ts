/** A parsed skill and its place on disk → the values of one row of the `skills` table. */
import type { Diagnostic } from '../../lib/diagnostics.ts';
import { isAsciiText } from '../../lib/text.ts';
import { bodyVersion, type SkillHead } from './parse.ts';
import { searchText } from './search-text.ts';
import type { SkillFields } from './skill.ts';

/** Which kind of root a skill came from. */
export type SkillSource = 'workspace' | 'global' | 'mirror' | 'repo';

/** What the rows that one scan writes for one root have in common. */
export interface RowOrigin {
  /** ISO-8601 UTC. */
  readonly loadedAt: string;
  readonly source: SkillSource;
  /** The root as displayed, for example `.agents/skills`. */
  readonly root: string;
  /** Counts the states of the catalog; the one that the rows belong to. */
  readonly generation: number;
}

type Value = string | number | null;

/** One value per column: of the usual columns, or of those and then the rare ones. */
export type SkillRowValues = readonly Value[];

/** What every row says for itself. */
export const USUAL_COLUMNS = [
  'name',
  'description',
  'frontmatter_json',
  'directory',
  'license',
  'metadata',
  'allowed_tools',
  'digest',
  'body_tokens',
] as const;

export interface RowContext {
  /** The skill's own directory as displayed. */
  readonly directory: string;
  readonly diagnostics: readonly Diagnostic[];
  /** To be kept in the row itself. Without it the body is found by the digest, see `body-repository.ts`. */
  readonly body?: string;
}

/** What few skills say anything about: for all others the values are the defaults of the table. */
export const RARE_COLUMNS: Readonly<Record<string, (skill: SkillFields, context: RowContext) => Value>> = {
  body: (_, { body }) => body ?? '',
  search_text: (skill) => storedSearchText(skill.name, skill.description),
  version: (skill) => skill.version,
  entrypoint: (skill) => skill.entrypoint,
  capabilities: (skill) => jsonList(skill.capabilities),
  greek_letter: (skill) => skill.greekLetter,
  tier: (skill) => skill.tier,
  invokable_by: (skill) => jsonList(skill.invokableBy),
  category: (skill) => skill.category,
  compatibility: (skill) => skill.compatibility,
  triggers: (skill) => jsonList(skill.triggers),
  required_tools: (skill) => jsonList(skill.requiredTools),
  workflow: (skill) => jsonList(skill.workflow),
  verification: (skill) => jsonList(skill.verification),
  body_version: (_, { body }) => (body === undefined ? '' : bodyVersion(body)),
  diagnostics: (_, { diagnostics }) => jsonList(diagnostics),
  user_invocable: (skill) => (skill.userInvocable ? 1 : 0),
  model_invocable: (skill) => (skill.disableModelInvocation ? 0 : 1),
  argument_hint: (skill) => skill.argumentHint,
  arguments: (skill) => jsonList(skill.arguments),
  when_to_use: (skill) => skill.whenToUse,
  disallowed_tools: (skill) => jsonList(skill.disallowedTools),
  model: (skill) => skill.model,
};

const RARE_VALUES = Object.values(RARE_COLUMNS);

/** Most skills say nothing about the rare columns; their rows end before those. */
export function skillRowValues(head: SkillHead, context: RowContext): SkillRowValues {
  const { fields: skill } = head;
  const values: Value[] = [
    skill.name,
    skill.description,
    JSON.stringify(head.frontmatter),
    context.directory,
    skill.license,
    isEmpty(skill.metadata) ? '{}' : JSON.stringify(skill.metadata),
    jsonList(skill.allowedTools),
    head.digest,
    head.bodyTokens,
  ];
  if (!isUsual(head, context)) for (const read of RARE_VALUES) values.push(read(skill, context));
  return values;
}

function isUsual({ fields, standardOnly }: SkillHead, { diagnostics, body }: RowContext): boolean {
  if (!standardOnly || fields.compatibility !== null || diagnostics.length > 0) return false;
  return body === undefined && isAsciiText(fields.name) && isAsciiText(fields.description);
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
