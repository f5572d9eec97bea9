import { lstatSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

import { messageOf, systemCodeOf } from '../../lib/errors.ts';
import type { DiagnosticCode, SkillDiagnostic } from './diagnostic-codes.ts';
import { shown } from './format/findings.ts';
import { parseSkill } from './parse.ts';
import type { ParsedSkill, Profile } from './skill.ts';
import { readSkillBytes } from './skill-file.ts';
import { measureTree, TREE_BYTES_MAX, TREE_FILES_MAX, type TreeSize } from './skill-tree.ts';

export interface Inspection {
  readonly skill: ParsedSkill | null;
  readonly diagnostics: readonly SkillDiagnostic[];
  /** The skill's directory, as the user would type it. */
  readonly directory: string;
}

const SKILL_FILE = 'SKILL.md';

/** Checks one skill, given by its directory or its SKILL.md. */
export function inspectSkill(target: string, options: { readonly profile?: Profile } = {}): Inspection {
  const place = locate(target);
  if (place.problem !== null)
    return { skill: null, diagnostics: [place.problem], directory: place.directory };
  const { directory } = place;
  const file = path.join(directory, SKILL_FILE);
  const read = readSkillBytes(file);
  if (!read.ok) {
    const missing = read.diagnostic.code === 'skill-md-missing';
    return { skill: null, diagnostics: [missing ? missingFile(directory) : read.diagnostic], directory };
  }
  const where = { file, directory: path.basename(path.resolve(directory)) };
  const { skill, diagnostics } = parseSkill(read.bytes, where, options);
  const tree = options.profile === 'publish' ? checkTree(directory) : [];
  return { skill: tree.length > 0 ? null : skill, diagnostics: [...diagnostics, ...tree], directory };
}

interface Place {
  readonly directory: string;
  readonly problem: SkillDiagnostic | null;
}

function locate(target: string): Place {
  const parent = path.dirname(target);
  try {
    // A link that is called SKILL.md is judged by the reader, which knows where links may lead.
    const stat = path.basename(target) === SKILL_FILE ? lstatSync(target) : statSync(target);
    if (stat.isDirectory() && path.basename(target) !== SKILL_FILE)
      return { directory: target, problem: null };
  } catch (error) {
    return { directory: target, problem: unreachable(target, error) };
  }
  const name = path.basename(target);
  if (name === SKILL_FILE) return { directory: parent, problem: null };
  if (isMisspelt(name)) return { directory: parent, problem: missingFile(parent) };
  const message = `${shown(target)} is not a directory; give a skill directory or its ${SKILL_FILE}`;
  return { directory: parent, problem: problem('path-not-directory', target, message) };
}

function unreachable(target: string, error: unknown): SkillDiagnostic {
  const code = systemCodeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return problem('path-missing', target, `path ${shown(target)} does not exist; check the spelling`);
  }
  return problem('file-unreadable', target, `path ${shown(target)} cannot be read (${messageOf(error)})`);
}

function missingFile(directory: string): SkillDiagnostic {
  const misspelt = findMisspelt(directory);
  const fix =
    misspelt === undefined
      ? 'add one'
      : `did you mean ${SKILL_FILE}? rename ${shown(misspelt)}, because the name is case-sensitive`;
  return problem('skill-md-missing', directory, `missing required file: ${SKILL_FILE} not found; ${fix}`);
}

function findMisspelt(directory: string): string | undefined {
  try {
    return readdirSync(directory).find(isMisspelt);
  } catch {
    // The directory cannot be listed, or is gone by now: the file is missing all the same, only without a hint.
    return undefined;
  }
}

function isMisspelt(name: string): boolean {
  return name !== SKILL_FILE && name.toLowerCase() === SKILL_FILE.toLowerCase();
}

function checkTree(directory: string): SkillDiagnostic[] {
  try {
    return judgeTree(directory, measureTree(directory));
  } catch (error) {
    const message = `the files of the skill cannot be counted (${messageOf(error)}); check their permissions`;
    return [problem('file-unreadable', directory, message)];
  }
}

function judgeTree(directory: string, { files, bytes }: TreeSize): SkillDiagnostic[] {
  const problems: SkillDiagnostic[] = [];
  if (files > TREE_FILES_MAX) {
    const message = `the skill holds more than ${TREE_FILES_MAX} files; remove some or split the skill`;
    problems.push(problem('too-many-files', directory, message));
  }
  if (bytes > TREE_BYTES_MAX) {
    const message = `the files of the skill hold more than ${TREE_BYTES_MAX / 1024 ** 2} MiB; remove or shrink some`;
    problems.push(problem('tree-too-large', directory, message));
  }
  return problems;
}

function problem(code: DiagnosticCode, file: string, message: string): SkillDiagnostic {
  return { code, severity: 'error', message, file };
}
