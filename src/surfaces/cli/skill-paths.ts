/** What a path on the command line of `validate` stands for. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { listRoot } from '../../domains/skills/scan/disk.ts';
import type { Diagnostic } from '../../lib/diagnostics.ts';

export interface SkillPaths {
  /** Skill folders, or paths that are for the inspection to judge. Spelled as the user would. */
  readonly paths: readonly string[];
  /** Entries of a folder of skills that are refused before any file is opened. */
  readonly refused: readonly Diagnostic[];
}

// `skill.md` is a skill with a misspelt file, which is for the inspection to say.
const SKILL_FILE_RE = /^skill\.md$/i;

/** A skill stands for itself; a folder without SKILL.md stands for the skills in it, seen as a scan sees them. */
export function expandSkillPath(typed: string): SkillPaths {
  const alone = { paths: [typed], refused: [] };
  if (lookInto(typed) !== 'folder') return alone;
  const { directories, refused } = listRoot(typed);
  if (directories.length === 0 && refused.length === 0) return alone;
  const skills = directories.filter((child) => lookInto(child.path) === 'skill');
  return { paths: skills.map(({ name }) => path.join(typed, name)), refused };
}

/** Whatever cannot be looked into counts as a skill, because the inspection has the words for what is wrong. */
function lookInto(where: string): 'skill' | 'folder' {
  try {
    return readdirSync(where).some((name) => SKILL_FILE_RE.test(name)) ? 'skill' : 'folder';
  } catch {
    return 'skill';
  }
}
