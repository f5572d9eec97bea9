/** Reads what lies in the folders that hosts read: names, links and frontmatter. Runs nothing, follows no link but skill folders. */
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { sha256Hex } from '../../lib/digest.ts';
import { messageOf, systemCodeOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { realPathOf } from '../../lib/real-path.ts';
import { readSkillBytes } from '../skills/skill-file.ts';
import { hostFrontmatter } from './host-frontmatter.ts';
import type { DiskSkill, HostFolder } from './host-view.ts';

/** As deep as the host that looks deepest. */
const LEVELS_MAX = 8;
const ENTRIES_MAX = 20_000;
/** Nested projects are looked for only so far down. */
const NESTED_LEVELS_MAX = 4;
const NESTED_FOLDERS_MAX = 2000;

/** Null when there is no such folder. */
export function readHostFolder(folder: string, logger: Logger): HostFolder | null {
  if (realPathOf(folder) === null) return null;
  const skills: DiskSkill[] = [];
  const budget = { entries: ENTRIES_MAX };
  const visit = (place: string, level: number): void => {
    if (level > LEVELS_MAX) return;
    for (const entry of entriesOf(place, logger)) {
      if (--budget.entries < 0) return;
      const child = path.join(place, entry.name);
      if (entry.isFile() && level === 0 && entry.name.endsWith('.md')) {
        skills.push(entry.name === 'SKILL.md' ? describe(place, 0, false) : markdownSkill(child));
      } else if (isCandidate(entry)) {
        const skill = skillAt(child, level + 1, entry.isSymbolicLink());
        if (skill !== null) skills.push(skill);
        // A folder with a SKILL.md is a skill and not searched further; a link is no way down.
        else if (entry.isDirectory()) visit(child, level + 1);
      }
    }
  };
  visit(folder, 0);
  return { path: folder, skills };
}

/** Folders below that have one of these folders of skills in them. */
export function findNested(here: string, suffixes: readonly string[], logger: Logger): readonly string[] {
  const found: string[] = [];
  let left = NESTED_FOLDERS_MAX;
  const visit = (relative: string, level: number): void => {
    for (const entry of entriesOf(path.join(here, relative), logger)) {
      if (!entry.isDirectory() || entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (--left < 0) return;
      const child = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (suffixes.some((suffix) => realPathOf(path.join(here, child, suffix)) !== null)) found.push(child);
      if (level < NESTED_LEVELS_MAX) visit(child, level + 1);
    }
  };
  visit('', 1);
  return found;
}

/** The nearest folder upwards that holds a repository, or the folder itself. */
export function repositoryTop(here: string): string {
  for (let folder = here; ; folder = path.dirname(folder)) {
    if (lstatSync(path.join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return folder;
    if (folder === path.dirname(folder)) return here;
  }
}

function isCandidate(entry: Dirent): boolean {
  if (entry.name.startsWith('.') || entry.name === 'node_modules') return false;
  return entry.isDirectory() || entry.isSymbolicLink();
}

function skillAt(folder: string, level: number, isLink: boolean): DiskSkill | null {
  const file = path.join(folder, 'SKILL.md');
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return null;
  }
  return describe(folder, level, isLink);
}

function describe(folder: string, level: number, isLink: boolean): DiskSkill {
  const real = realPathOf(folder) ?? folder;
  const read = readSkillBytes(path.join(real, 'SKILL.md'));
  return {
    path: folder,
    real,
    directory: path.basename(folder),
    level,
    isLink,
    isMarkdown: false,
    digest: read.ok ? sha256Hex(read.bytes) : null,
    frontmatter: read.ok ? hostFrontmatter(read.bytes) : null,
  };
}

function markdownSkill(file: string): DiskSkill {
  const real = realPathOf(file) ?? file;
  const directory = path.basename(file, '.md');
  const place = { path: file, real, directory, level: 0, isLink: false, isMarkdown: true };
  return { ...place, digest: null, frontmatter: null };
}

function entriesOf(folder: string, logger: Logger): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    if (systemCodeOf(error) !== 'ENOENT')
      logger('[colibri] a folder of a host cannot be read:', messageOf(error));
    return [];
  }
}
