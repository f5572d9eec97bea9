/**
 * What the session tools do, as functions of the session's state and of what it may look at.
 * They read no clock and write nothing: the live service and the replay run the very same code.
 */
import { sha256Hex } from '../../lib/digest.ts';
import { ColibriError, type ErrorCode } from '../../lib/errors.ts';
import { nearest, printable } from '../../lib/text.ts';
import type { EventDraft } from '../events/schema.ts';
import type { EffectiveTool } from '../policy/effective-tools.ts';
import type { OverrideDecision } from '../policy/overrides.ts';
import type { Ranking } from '../skills/search/search.ts';
import type { SkillFile } from '../skills/skill-files.ts';
import type { SnapshotDetail, SnapshotSkill } from '../skills/snapshot.ts';
import type { CustomCommand } from './command-file.ts';
import { checkFilePath } from './file-path.ts';
import { overrideEvents } from './override-events.ts';
import type { Loaded, LoadReason, SessionState } from './schema.ts';

/** A file of a skill as it was when the skill was loaded. */
export type FileFact = SkillFile;

/** What the policy says of a skill at the moment of a call. */
export interface PolicyFacts {
  readonly trusted: boolean;
  readonly tools: readonly EffectiveTool[];
  /** What the skill wanted to override, and what became of it. */
  readonly overrides: readonly OverrideDecision[];
}

/** Everything a session may look at: its snapshot of the catalog, and the files of its skills. */
export interface World {
  /** False when no root of skills is configured at all. */
  readonly configured: boolean;
  /** All skills that may be seen, by name. */
  skills(): readonly SnapshotSkill[];
  /** One of them without its text. */
  head(name: string): SnapshotSkill | null;
  skill(name: string): SnapshotDetail | null;
  /** The skills that fit a query best. */
  search(query: string, limit: number): Ranking;
  /** The skills that a task calls for. */
  match(task: string, limit: number): Ranking;
  /** Any skill, also one that only people may use. */
  command(name: string): SnapshotDetail | null;
  /** A command of the user's own. */
  custom(name: string): CustomCommand | null;
  policy(skill: SnapshotDetail): PolicyFacts;
  /** Whether skills that nobody vouched for are out of sight. */
  readonly hidesUntrusted: boolean;
  /** As a mark in lists: as it was when the session began. */
  isTrusted(skill: SnapshotSkill): boolean;
  /** All files of the skill as they were when it was first loaded, by path. */
  files(skill: SnapshotDetail): readonly FileFact[];
  /** The bytes of one file. Throws with its own code when it is no plain file or cannot be read. */
  read(skill: SnapshotDetail, path: string): Uint8Array;
}

export interface Artifact {
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/** What a call answers and what has to be recorded with it. */
export interface Step {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly loaded?: Loaded;
  readonly drafts: readonly SessionDraft[];
  readonly artifacts: readonly Artifact[];
}

/** An event before it is known which session it belongs to. */
export type SessionDraft = Pick<EventDraft, 'type' | 'payload' | 'sensitivity'>;

/** Listed files of a skill; more are counted, not named. */
const FILES_SHOWN_MAX = 50;
export interface LoadCall {
  readonly name: string;
  readonly reason: LoadReason;
  readonly toolUseId: string | null;
  /** The body was recorded as given, but its answer never left: the process ended in between. */
  readonly lost?: boolean | undefined;
}

/** Without a session nothing is counted and nothing is remembered. */
export function load(world: World, state: SessionState | null, call: LoadCall): Step {
  const skill = requireSkill(world, call.name);
  refuseHidden(world, skill);
  const before = state?.loaded.findLast(({ name }) => name === call.name);
  if (state !== null && before !== undefined && isGiven(state, skill))
    return call.lost ? again(world, skill) : pointer(skill, before);
  const warning = state === null ? null : spend(state, skill);
  const { loaded, drafts: made, files, artifacts } = firstLoad(world, skill, { ...call, counted: true });
  const data = {
    ...loadMetadata(skill),
    ...policyData(world.policy(skill)),
    ...(warning === null ? {} : { warning }),
  };
  const drafts: SessionDraft[] = [...made];
  if (warning !== null) drafts.push(budgetWarning(skill.name, warning));
  return { text: loadedText(skill, files), data, loaded, drafts, artifacts };
}

/** After a refresh the same name may stand for another body; that one was never given. */
export function isGiven({ loaded }: SessionState, skill: SnapshotDetail): boolean {
  return loaded.findLast(({ name }) => name === skill.name)?.body === artifactOf(skill.body).digest;
}

interface FirstLoad {
  readonly loaded: Loaded;
  readonly drafts: readonly SessionDraft[];
  readonly files: readonly FileFact[];
  readonly artifacts: readonly Artifact[];
}

/** What giving a body for the first time leaves behind. */
export function firstLoad(
  world: World,
  skill: SnapshotDetail,
  call: Pick<LoadCall, 'reason' | 'toolUseId'> & Pick<Loaded, 'counted'>,
): FirstLoad {
  const body = artifactOf(skill.body);
  const files = world.files(skill);
  const listing = artifactOf(JSON.stringify(files));
  const loaded: Loaded = {
    name: skill.name,
    reason: call.reason,
    tokens: skill.body_tokens,
    digest: skill.digest,
    body: body.digest,
    files: listing.digest,
    counted: call.counted,
  };
  const policy = world.policy(skill);
  // Nobody asked for a preloaded skill yet, so nothing is overridden for it.
  const overrides = call.reason === 'always' ? [] : policy.overrides;
  const drafts = [loadedEvent(skill, call, policy), ...overrideEvents(skill.name, overrides)];
  return { loaded, drafts, files, artifacts: [body, listing] };
}

export function read(
  world: World,
  state: SessionState | null,
  { name, path }: { readonly name: string; readonly path: string },
): Step {
  const isLoaded = state?.loaded.some((loaded) => loaded.name === name) === true;
  // What a person invoked is in the conversation, also when agents may not load it.
  const invoked = isLoaded ? world.command(name) : null;
  const skill = invoked ?? requireSkill(world, name);
  if (state !== null && !isLoaded) {
    throw new ColibriError('SKILL_NOT_LOADED', `load ${name} with skill_load before reading its files`, {
      name,
    });
  }
  const checked = checkFilePath(path);
  if (!checked.ok) throw new ColibriError(checked.code, checked.message, { name, path });
  const pinned = findFile(skill, path, world.files(skill));
  const bytes = world.read(skill, path);
  const artifact = artifactOf(bytes);
  if (artifact.digest !== pinned.digest) throw changed(skill, path);
  const text = textOf(bytes);
  const facts = {
    name,
    path,
    size: bytes.length,
    digest: `sha256:${artifact.digest}`,
    encoding: text === null ? 'base64' : 'utf-8',
  };
  return {
    text: text ?? Buffer.from(bytes).toString('base64'),
    data: facts,
    drafts: [],
    artifacts: [artifact],
  };
}

/** All that is known of a skill, without its text. */
export function get(world: World, { name }: { readonly name: string }): Step {
  const skill = requireSkill(world, name);
  const { body: _, ...facts } = skill;
  const { trusted } = world.policy(skill);
  return { text: '', data: { skill: { ...facts, trusted } }, drafts: [], artifacts: [] };
}

export function requireConfigured({ configured }: World): void {
  if (!configured)
    throw new ColibriError('SKILLS_NOT_CONFIGURED', 'skills are not configured for this session');
}

function requireSkill(world: World, name: string): SnapshotDetail {
  requireConfigured(world);
  const skill = world.skill(name);
  if (skill !== null) return skill;
  throw skillNotFound(world, name);
}

/** The list was made when the session began; the skill may have been changed by whomever since. */
export function refuseHidden(world: World, skill: SnapshotDetail): void {
  if (world.hidesUntrusted && !world.policy(skill).trusted) throw skillNotFound(world, skill.name);
}

export function skillNotFound(world: World, name: string): ColibriError {
  const near = nearest(
    name,
    world.skills().map((other) => other.name),
  );
  const hint = near.length === 0 ? 'skill_search finds skills by words' : `did you mean ${near.join(', ')}?`;
  const message = `no skill registered with name ${JSON.stringify(name)}; ${hint}`;
  return new ColibriError('SKILL_NOT_FOUND', message, { name, nearest: near });
}

const REFUSED_KINDS: Readonly<Record<Exclude<FileFact['kind'], 'file'>, readonly [ErrorCode, string]>> = {
  link: ['FILE_IS_LINK', 'is a link; links are not followed'],
  special: ['FILE_NOT_REGULAR', 'is no regular file'],
  large: ['FILE_TOO_LARGE', 'is larger than 1 MiB'],
};

/** The file as it was pinned; anything but a plain file is refused by what it is. */
function findFile({ name }: SnapshotDetail, path: string, files: readonly FileFact[]): FileFact {
  if (path === 'SKILL.md') {
    const message = `${name}/SKILL.md is not read as a file; skill_load gives its text, skill_get its fields`;
    throw new ColibriError('FILE_NOT_FOUND', message, { name, path });
  }
  const found = files.find((file) => file.path === path) ?? linkOnTheWay(path, files);
  if (found !== undefined && found.kind !== 'file') {
    const [code, why] = REFUSED_KINDS[found.kind];
    throw new ColibriError(code, `${name}/${found.path} ${why}`, { name, path });
  }
  if (found !== undefined) return found;
  const near = nearest(
    path,
    files.map((file) => file.path),
  );
  const hint = near.length === 0 ? 'skill_load lists its files' : `did you mean ${near.join(', ')}?`;
  throw new ColibriError('FILE_NOT_FOUND', `${name} has no file ${JSON.stringify(path)}; ${hint}`, {
    name,
    path,
  });
}

function linkOnTheWay(path: string, files: readonly FileFact[]): FileFact | undefined {
  return files.find((file) => file.kind === 'link' && path.startsWith(`${file.path}/`));
}

/** Already in the conversation: saying so is cheaper than saying it again. */
function pointer(skill: SnapshotDetail, before: Loaded): Step {
  const preloaded = before.reason === 'always';
  const where = preloaded ? 'is part of the system prompt' : 'was loaded earlier in this session';
  return {
    text: `The skill '${skill.name}' ${where}; its text is above and is not repeated.`,
    data: { ...loadMetadata(skill), ...(preloaded ? { already_preloaded: true } : { already_loaded: true }) },
    drafts: [],
    artifacts: [],
  };
}

/** Says it once more: the one who was to read it never got it. It was counted and recorded then. */
function again(world: World, skill: SnapshotDetail): Step {
  const text = loadedText(skill, world.files(skill));
  const data = { ...loadMetadata(skill), ...policyData(world.policy(skill)) };
  return { text, data, drafts: [], artifacts: [] };
}

/** Fails when the load would go past a cap; warns when it reaches the mark. Preloaded and invoked bodies cost nothing. */
function spend({ options: { budget }, loaded }: SessionState, skill: SnapshotDetail): string | null {
  const explicit = loaded.filter(({ reason, counted }) => reason !== 'always' && counted);
  const used = explicit.reduce((sum, { tokens }) => sum + tokens, 0);
  const total = used + skill.body_tokens;
  if (explicit.length + 1 > budget.max_loads) {
    const message = `activation budget exhausted: ${explicit.length} of ${budget.max_loads} skills are loaded; use those, or open a new session`;
    throw new ColibriError('BUDGET_EXHAUSTED', message, {
      loads: explicit.length,
      max_loads: budget.max_loads,
    });
  }
  if (total > budget.max_tokens) {
    const message = `activation token cap exhausted: ${skill.name} needs ${skill.body_tokens} tokens and ${budget.max_tokens - used} of ${budget.max_tokens} are left`;
    throw new ColibriError('BUDGET_EXHAUSTED', message, {
      tokens: used,
      needed: skill.body_tokens,
      max_tokens: budget.max_tokens,
    });
  }
  if (used >= budget.warn_tokens || total < budget.warn_tokens) return null;
  return `loaded skills now take ${total} of ${budget.max_tokens} tokens`;
}

export function loadMetadata(skill: SnapshotDetail): Readonly<Record<string, unknown>> {
  return {
    skill_id: skill.name,
    skill_version: skill.body_version,
    source: skill.source,
    load_size_tokens: skill.body_tokens,
  };
}

export function policyData({ trusted, tools, overrides }: PolicyFacts): Readonly<Record<string, unknown>> {
  return { trusted, effective_allowed_tools: tools, ...(overrides.length === 0 ? {} : { overrides }) };
}

/** Without the reasons, which may quote the user's own rules. */
export function effectsOf(
  tools: readonly EffectiveTool[],
): readonly Pick<EffectiveTool, 'pattern' | 'effect'>[] {
  return tools.map(({ pattern, effect }) => ({ pattern, effect }));
}

function loadedEvent(
  skill: SnapshotDetail,
  { reason, toolUseId }: Pick<LoadCall, 'reason' | 'toolUseId'>,
  { tools }: PolicyFacts,
): SessionDraft {
  return {
    type: 'skill.loaded',
    sensitivity: 'pseudonymous',
    payload: {
      skill_id: skill.name,
      skill_version: skill.body_version,
      load_reason: reason,
      load_size_tokens: skill.body_tokens,
      source: skill.source,
      triggered_by_tool_use_id: toolUseId,
      name: skill.name,
      path: skill.path,
      digest: skill.digest,
      frontmatter: skill.frontmatter,
      effective_allowed_tools: effectsOf(tools),
      warnings: skill.diagnostics.map(({ code, message }) => `${code}: ${message}`),
    },
  };
}

function budgetWarning(name: string, reason: string): SessionDraft {
  return {
    type: 'skill.warning',
    sensitivity: 'pseudonymous',
    payload: { kind: 'budget', name, detail: { reason } },
  };
}

function loadedText(skill: SnapshotDetail, files: readonly FileFact[]): string {
  const header = `# Skill: ${skill.name} (source: ${skill.source})\n\n${skill.body.trimEnd()}\n`;
  const others = files.filter(
    ({ path, kind }) => path !== 'SKILL.md' && (kind === 'file' || kind === 'large'),
  );
  const shown = others
    .slice(0, FILES_SHOWN_MAX)
    .map(({ path, size }) => `- ${printable(path)} (${size} bytes)`);
  if (others.length > shown.length) shown.push(`- and ${others.length - shown.length} more`);
  const listing = shown.length === 0 ? [] : ['Files (read them with `skill_read`):', ...shown];
  return [header, `Skill directory: ${printable(skill.directory)}`, ...listing, ''].join('\n');
}

function artifactOf(content: string | Uint8Array): Artifact {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return { digest: sha256Hex(bytes), bytes };
}

/** Null when the bytes are no text that would come back as the same bytes. */
function textOf(bytes: Uint8Array): string | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  return !text.includes('\0') && Buffer.from(text).equals(buffer) ? text : null;
}

/** The one answer to a file that is not what was pinned, whether it is another, gone or unreadable. */
export function changed(skill: SnapshotDetail, path: string): ColibriError {
  const message = `${skill.name}/${path} has changed since the skill was loaded; open a new session to use the new file`;
  return new ColibriError('FILE_CHANGED', message, { name: skill.name, path });
}
