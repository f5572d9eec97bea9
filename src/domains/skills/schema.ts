import { basename, dirname, resolve } from 'node:path';

import type { SkillDiagnostic } from './diagnostic-codes.ts';
import { parseSkill } from './parse.ts';
import type * as skill from './skill.ts';
import { readSkillBytes } from './skill-file.ts';

// The shapes live in skill.ts, so that the parser can name them without importing this file in a circle.
export type Profile = skill.Profile;
export type AgentTier = skill.AgentTier;
export type SkillTier = skill.SkillTier;
export type SkillFrontmatter = skill.SkillFrontmatter;
export type WorkflowStep = skill.WorkflowStep;
export type ParsedSkill = skill.ParsedSkill;

/** The file is not a valid skill. The message is that of the first error. */
export class SkillSchemaError extends Error {
  readonly diagnostics: readonly SkillDiagnostic[];

  constructor(diagnostics: readonly SkillDiagnostic[]) {
    const first = diagnostics.find((diagnostic) => diagnostic.severity === 'error');
    super(first?.message ?? 'invalid skill');
    this.name = 'SkillSchemaError';
    this.diagnostics = diagnostics;
  }
}

/** Reads and checks one SKILL.md under the strict profile. */
export function parseSkillFile(path: string): ParsedSkill {
  const read = readSkillBytes(path);
  if (!read.ok) throw new SkillSchemaError([read.diagnostic]);
  const directory = basename(dirname(resolve(path)));
  const { skill: parsed, diagnostics } = parseSkill(read.bytes, { file: path, directory });
  if (parsed === null) throw new SkillSchemaError(diagnostics);
  return parsed;
}
