/** Reads what may be mended and carries plans out, one file at a time: a reader sees the old text or the new one. */
import { lstatSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';

import { replaceFile } from '../../../lib/durable-file.ts';
import { ColibriError, messageOf, systemCodeOf } from '../../../lib/errors.ts';
import { readRegularFile } from '../../../lib/regular-file.ts';
import type { SkillsService } from '../../skills/service.ts';
import type { FixPlan, FixTarget } from './fix-plan.ts';

const SKILL_FILE = 'SKILL.md';
const SKILL_BYTES_MAX = 1024 * 1024;

/** Every folder that the registry has looked at, with its SKILL.md or what was meant as one; but for those of the `closed` roots. */
export function readFixTargets(skills: SkillsService, closed: ReadonlySet<string>): readonly FixTarget[] {
  const { indexed, rejected } = skills.records();
  const folders = [...indexed, ...rejected]
    .filter(({ root }) => !closed.has(root))
    .map(({ directory }) => directory);
  return [...new Set(folders)].flatMap((directory) => {
    const real = skills.placeOf(directory);
    const target = real === null ? null : readTarget(directory, real);
    return target === null ? [] : [target];
  });
}

export function applyFix(plan: FixPlan): void {
  const file = path.join(plan.real, plan.file);
  const goal = path.join(plan.real, plan.renameTo ?? plan.file);
  // Between the look and the write somebody may have saved the file; their text must not be lost.
  if (readFileSync(file, 'utf8') !== plan.before)
    throw new ColibriError(
      'FILE_CHANGED',
      `${plan.directory}/${plan.file} has changed meanwhile; run it again`,
    );
  const { mode } = lstatSync(file);
  try {
    // First, and by itself: where case does not matter, the old name and the new one are the same file.
    if (goal !== file) renameSync(file, goal);
    if (plan.after === plan.before) return;
    replaceFile(goal, plan.after, mode & 0o777);
  } catch (error) {
    throw new ColibriError(
      'WRITE_FAILED',
      `${plan.directory}/${plan.file} could not be written: ${messageOf(error)}`,
    );
  }
}

function readTarget(directory: string, real: string): FixTarget | null {
  try {
    const names = readdirSync(real);
    const file = names.includes(SKILL_FILE)
      ? SKILL_FILE
      : names.find((name) => name.toLowerCase() === 'skill.md');
    if (file === undefined) return null;
    const read = readRegularFile(path.join(real, file), SKILL_BYTES_MAX);
    return read.ok ? { directory, real, file, bytes: read.bytes } : null;
  } catch (error) {
    // A folder that cannot be listed, or a link in place of the file: a finding, but nothing to mend.
    if (systemCodeOf(error) === undefined) throw error;
    return null;
  }
}
