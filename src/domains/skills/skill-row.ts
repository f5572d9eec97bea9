/** A parsed skill and its place on disk → the values of one row of the `skills` table. */
import path from 'node:path';

import type { Diagnostic } from '../../lib/diagnostics.ts';
import { foldCase } from '../../lib/text.ts';
import type { ParsedSkill } from './schema.ts';

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

/** One value per column, in the order of `SKILL_COLUMNS`. */
export type SkillRowValues = readonly (string | number | null)[];

export const SKILL_COLUMNS = [
  'name',
  'description',
  'version',
  'entrypoint',
  'capabilities',
  'greek_letter',
  'body',
  'source_path',
  'frontmatter_json',
  'loaded_at',
  'tier',
  'invokable_by',
  'source',
  'root',
  'directory',
  'category',
  'license',
  'compatibility',
  'metadata',
  'allowed_tools',
  'triggers',
  'required_tools',
  'workflow',
  'verification',
  'digest',
  'body_version',
  'body_tokens',
  'diagnostics',
  'search_text',
  'user_invocable',
  'model_invocable',
  'argument_hint',
  'arguments',
  'when_to_use',
  'disallowed_tools',
  'model',
  'generation',
] as const;

export interface RowContext {
  readonly place: SkillPlace;
  readonly diagnostics: readonly Diagnostic[];
  /** ISO-8601 UTC. */
  readonly loadedAt: string;
  /** Counts the states of the catalog; the one that this row belongs to. */
  readonly generation: number;
}

export function skillRowValues(skill: ParsedSkill, context: RowContext): SkillRowValues {
  const { place } = context;
  return [
    skill.name,
    skill.description,
    skill.version,
    skill.entrypoint,
    jsonList(skill.capabilities),
    skill.greekLetter,
    skill.body,
    `${place.directory}/SKILL.md`,
    JSON.stringify(skill.frontmatter),
    context.loadedAt,
    skill.tier,
    jsonList(skill.invokableBy),
    place.source,
    place.root,
    place.directory,
    skill.category,
    skill.license,
    skill.compatibility,
    JSON.stringify(skill.metadata),
    jsonList(skill.allowedTools),
    jsonList(skill.triggers),
    jsonList(skill.requiredTools),
    jsonList(skill.workflow),
    jsonList(skill.verification),
    skill.digest,
    skill.bodyVersion,
    skill.bodyTokens,
    jsonList(context.diagnostics),
    searchText(skill.name, skill.description),
    skill.userInvocable ? 1 : 0,
    skill.disableModelInvocation ? 0 : 1,
    skill.argumentHint,
    jsonList(skill.arguments),
    skill.whenToUse,
    jsonList(skill.disallowedTools),
    skill.model,
    context.generation,
  ];
}

/** Stands between name and description, so that a match never reaches across the two. */
const FIELD_SEPARATOR = '\u001f';

export function searchText(name: string, description: string): string {
  return foldCase(name) + FIELD_SEPARATOR + foldCase(description);
}

/** A path as users know it: relative to the workspace, else from `~`, else absolute; always with forward slashes. */
export function displayPath(
  absolute: string,
  where: { readonly workspace: string; readonly home: string },
): string {
  const inWorkspace = path.relative(where.workspace, absolute);
  if (isInside(inWorkspace)) return toPosix(inWorkspace);
  const inHome = path.relative(where.home, absolute);
  if (isInside(inHome)) return `~/${toPosix(inHome)}`;
  return toPosix(absolute);
}

function isInside(relative: string): boolean {
  return (
    relative !== '' &&
    relative !== '..' &&
    !relative.startsWith(`..${path.sep}`) &&
    !path.isAbsolute(relative)
  );
}

function toPosix(value: string): string {
  return path.posix.normalize(path.sep === '/' ? value : value.split(path.sep).join('/'));
}

// Most lists of most skills are empty; this keeps them off the serialiser on the scan's hot path.
function jsonList(list: readonly unknown[]): string {
  return list.length === 0 ? '[]' : JSON.stringify(list);
}
