/** A parsed skill and its place on disk → the values of one row of the `skills` table. */
import type { Diagnostic } from '../../lib/diagnostics.ts';
import { isAsciiText } from '../../lib/text.ts';
import { NO_COLIBRI_FIELDS } from './format/colibri-fields.ts';
import { NO_HOST_FIELDS } from './format/host-fields.ts';
import { bodyVersion, type SkillHead } from './parse.ts';
import { searchText } from './search-text.ts';

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
export const RARE_COLUMNS: Readonly<Record<string, (head: SkillHead, context: RowContext) => Value>> = {
  body: (_, { body }) => body ?? '',
  search_text: ({ standard }) => storedSearchText(standard.name, standard.description),
  version: ({ colibri }) => colibri.version,
  entrypoint: ({ colibri }) => colibri.entrypoint,
  capabilities: ({ colibri }) => jsonList(colibri.capabilities),
  greek_letter: ({ colibri }) => colibri.greekLetter,
  tier: ({ colibri }) => colibri.tier,
  invokable_by: ({ colibri }) => jsonList(colibri.invokableBy),
  category: ({ colibri }) => colibri.category,
  compatibility: ({ standard }) => standard.compatibility,
  triggers: ({ colibri }) => jsonList(colibri.triggers),
  required_tools: ({ colibri }) => jsonList(colibri.requiredTools),
  workflow: ({ colibri }) => jsonList(colibri.workflow),
  verification: ({ colibri }) => jsonList(colibri.verification),
  body_version: (_, { body }) => (body === undefined ? '' : bodyVersion(body)),
  diagnostics: (_, { diagnostics }) => jsonList(diagnostics),
  user_invocable: ({ host }) => (host.userInvocable ? 1 : 0),
  model_invocable: ({ host }) => (host.disableModelInvocation ? 0 : 1),
  argument_hint: ({ host }) => host.argumentHint,
  arguments: ({ host }) => jsonList(host.arguments),
  when_to_use: ({ host }) => host.whenToUse,
  disallowed_tools: ({ host }) => jsonList(host.disallowedTools),
  model: ({ host }) => host.model,
};

const RARE_VALUES = Object.values(RARE_COLUMNS);

/** Most skills say nothing about the rare columns; their rows end before those. */
export function skillRowValues(head: SkillHead, context: RowContext): SkillRowValues {
  const { standard } = head;
  const values: Value[] = [
    standard.name,
    standard.description,
    JSON.stringify(head.frontmatter),
    context.directory,
    standard.license,
    isEmpty(standard.metadata) ? '{}' : JSON.stringify(standard.metadata),
    jsonList(standard.allowedTools),
    head.digest,
    head.bodyTokens,
  ];
  if (!isUsual(head, context)) for (const read of RARE_VALUES) values.push(read(head, context));
  return values;
}

function isUsual({ standard, colibri, host }: SkillHead, { diagnostics, body }: RowContext): boolean {
  const { name, description, compatibility } = standard;
  if (colibri !== NO_COLIBRI_FIELDS || host !== NO_HOST_FIELDS || compatibility !== null) return false;
  return diagnostics.length === 0 && body === undefined && isAsciiText(name) && isAsciiText(description);
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
