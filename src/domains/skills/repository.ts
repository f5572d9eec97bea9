/** The skill index as contracted: load from one root, get, list, and the `skill_list` tool. */
import os from 'node:os';
import path from 'node:path';

import type Database from 'better-sqlite3';
import { z } from 'zod';

import { type Clock, isoNow, systemClock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { type ColibriServerContext, registerColibriTool } from '../../server.ts';
import { type BodyPlace, findBody } from './body-repository.ts';
import { displayPath } from './display-path.ts';
import type { IsOffered } from './offered.ts';
import { createPages, offeredPage, PAGE_SKILLS } from './page-repository.ts';
import { bodyText, type HeadResult, parseHead } from './parse.ts';
import { prepared } from './prepared-repository.ts';
import { skillRowWriter } from './rows-repository.ts';
import { listRoot, rootExists, type SkillDirectory } from './scan/disk.ts';
import { readSkillBytes } from './skill-file.ts';
import { skillRowValues } from './skill-row.ts';
import { filteredSkills, findSummaries } from './summary-repository.ts';

/** The row shape stored in the `skills` table and returned by the read helpers. */
export interface SkillRow {
  readonly name: string;
  readonly description: string;
  readonly version: string | null;
  readonly entrypoint: string | null;
  readonly capabilities: readonly string[];
  readonly greek_letter: string | null;
  readonly body: string;
  /** Relative to the workspace, with forward slashes. */
  readonly source_path: string;
  readonly frontmatter_json: string;
  /** ISO-8601 UTC. */
  readonly loaded_at: string;
}

/** Both filters are optional; given together, a row must match both. */
export interface ListSkillsFilters {
  /** Substring of name or description, case-insensitive, taken literally. */
  readonly search?: string;
  /** Exactly one of the skill's capabilities. */
  readonly capability?: string;
}

export interface LoadSkillsResult {
  /** Rows written. */
  readonly loaded: number;
  /** SKILL.md files that were found and refused. */
  readonly skipped: number;
  /** Rows deleted because their skill is gone from the disk. */
  readonly pruned: number;
  /** SKILL.md files found: loaded + skipped. */
  readonly total_on_disk: number;
}

export interface LoadSkillsOptions {
  /** Paths in the index are relative to it. Default: the current directory. */
  readonly workspace?: string;
  readonly clock?: Clock;
}

/**
 * Scans one root, upserts every valid skill and deletes every other row, all in one transaction.
 * A bad skill is logged and skipped. An unreadable root or a database error throws and changes nothing.
 */
export function loadSkillsFromDisk(
  db: Database.Database,
  skillsRoot: string,
  logger: Logger,
  options: LoadSkillsOptions = {},
): LoadSkillsResult {
  const root = path.resolve(skillsRoot);
  if (!rootExists(root)) {
    logger('[colibri] skills root missing', root);
    return { loaded: 0, skipped: 0, pruned: 0, total_on_disk: 0 };
  }
  const load = db.transaction(() => loadRoot(db, root, logger, options));
  const result = load.immediate();
  logger(`[colibri] skills loaded: ${result.loaded}, skipped: ${result.skipped}, pruned: ${result.pruned}`);
  return result;
}

/** The row of that name, or null. */
export function getSkill(db: Database.Database, name: string): SkillRow | null {
  const row = prepared(db, `SELECT ${COLUMNS} FROM skills WHERE name = ?`).get(name) as StoredRow | undefined;
  return row === undefined ? null : skillRow(db, row);
}

/** Matching skills, ordered by name. */
export function listSkills(db: Database.Database, filters: ListSkillsFilters = {}): readonly SkillRow[] {
  return (filteredSkills(db, COLUMNS, filters) as StoredRow[]).map((row) => skillRow(db, row));
}

const PAGE_SKILLS_MAX = 1000;

const SKILL_LIST = {
  start: 'with-end',
  title: 'skill_list',
  description:
    'List all skills loaded from .agents/skills/*/SKILL.md into the ε Skill Registry, with optional substring search and capability filter.',
  annotations: { readOnlyHint: true, openWorldHint: false },
} as const;

const skillListInput = z.object({
  search: z.string().optional().describe('substring of name or description, case-insensitive'),
  capability: z.string().optional().describe('exactly one declared capability'),
});

const pagedSkillListInput = skillListInput.extend({
  limit: z.int().min(1).max(PAGE_SKILLS_MAX).optional().describe(`${PAGE_SKILLS} by default`),
  cursor: z.string().optional(),
});

export interface SkillToolOptions {
  /** Answers page by page instead of with everything at once. */
  readonly paged?: boolean;
  /** Whether one look at the index is enough for all who ask within a turn of the event loop. */
  readonly perTurn?: boolean;
  /** Which skills may be seen now; null or absent: all. */
  readonly offered?: (() => Promise<IsOffered | null>) | undefined;
}

/** Registers exactly one tool, `skill_list`. */
export function registerSkillTools(
  ctx: ColibriServerContext,
  db: Database.Database,
  options: SkillToolOptions = {},
): void {
  const { paged, perTurn = false, offered } = options;
  if (paged) {
    const pageOf = createPages(db, { perTurn });
    const list = async (input: z.output<typeof pagedSkillListInput>) => {
      const isOffered = (await offered?.()) ?? null;
      return isOffered === null ? pageOf(input) : offeredPage(db, input, isOffered);
    };
    registerColibriTool(ctx, 'skill_list', { ...SKILL_LIST, inputSchema: pagedSkillListInput }, list);
    return;
  }
  registerColibriTool(ctx, 'skill_list', { ...SKILL_LIST, inputSchema: skillListInput }, (filters) => {
    const skills = findSummaries(db, filters);
    return { skills, total_count: skills.length };
  });
}

function loadRoot(
  db: Database.Database,
  root: string,
  logger: Logger,
  options: LoadSkillsOptions,
): LoadSkillsResult {
  const { workspace = process.cwd(), clock = systemClock } = options;
  const display = (absolute: string) => displayPath(absolute, { workspace, home: os.homedir() });
  const { directories, refused } = listRoot(root);
  const writer = skillRowWriter(db);
  writer.forgetScans();
  const origin = {
    source: 'workspace',
    root: display(root),
    loadedAt: isoNow(clock),
    generation: writer.generation() + 1,
  } as const;
  const keepNames: string[] = [];
  let skipped = refused.length;
  for (const { file, message } of refused) logger('[colibri] skill skipped:', `${file}:`, message);
  for (const directory of directories) {
    const { bytes, head, diagnostics } = readSkill(directory, root);
    if (head === null) {
      const [first] = diagnostics.filter(({ severity }) => severity === 'error');
      if (first === undefined) continue;
      logger('[colibri] skill skipped:', `${path.join(directory.path, 'SKILL.md')}:`, first.message);
      skipped++;
      continue;
    }
    const shown = display(path.join(root, directory.name));
    const row = skillRowValues(head, { directory: shown, diagnostics, body: bodyText(bytes, head) });
    writer.upsert(row, { origin, capabilities: head.colibri.capabilities });
    keepNames.push(head.standard.name);
  }
  writer.flush();
  const loaded = keepNames.length;
  const pruned = writer.prune(keepNames);
  writer.noteForSearch(keepNames, loaded);
  writer.nextGeneration();
  return { loaded, skipped, pruned, total_on_disk: loaded + skipped };
}

interface SkillOnDisk extends HeadResult {
  readonly bytes: Uint8Array;
}

/** A directory without SKILL.md is no skill: it gives neither a skill nor a diagnostic. */
function readSkill(directory: SkillDirectory, root: string): SkillOnDisk {
  const file = path.join(directory.path, 'SKILL.md');
  const read = readSkillBytes(file, { allowedRoots: [root] });
  if (read.ok) {
    return { bytes: read.bytes, ...parseHead(read.bytes, { file, directory: directory.name }) };
  }
  const { diagnostic } = read;
  const diagnostics = diagnostic.code === 'skill-md-missing' ? [] : [diagnostic];
  return { bytes: NO_BYTES, head: null, diagnostics };
}

const NO_BYTES = new Uint8Array();

interface StoredRow extends Omit<SkillRow, 'capabilities'>, BodyPlace {
  readonly capabilities: string;
}

function skillRow(db: Database.Database, stored: StoredRow): SkillRow {
  const { digest, root, directory, ...row } = stored;
  return { ...row, capabilities: JSON.parse(row.capabilities), body: findBody(db, stored) };
}

const COLUMNS =
  'name, description, version, entrypoint, capabilities, greek_letter, body, source_path, frontmatter_json, loaded_at, digest, root, directory';
