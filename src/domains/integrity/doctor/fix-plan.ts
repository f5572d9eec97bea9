/** What `colibri doctor --fix` would do: each step keeps the meaning of the skill, and all other bytes. Pure. */
import { parseSkill } from '../../skills/parse.ts';
import type { ParsedSkill } from '../../skills/skill.ts';
import { moveFields } from './fix-fields.ts';

/** A folder whose SKILL.md may be mended. */
export interface FixTarget {
  /** As displayed. */
  readonly directory: string;
  /** Absolute, links resolved. */
  readonly real: string;
  /** `SKILL.md`, or the name it was misspelt as. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

export interface FixPlan {
  readonly directory: string;
  readonly real: string;
  readonly file: string;
  /** Set when the file is renamed. */
  readonly renameTo: string | null;
  readonly before: string;
  readonly after: string;
  /** What is done, in words. */
  readonly steps: readonly string[];
  /** Findings that are gone afterwards: code and place. */
  readonly mends: readonly string[];
}

const BOM = '\ufeff';

export function planFixes(targets: readonly FixTarget[]): readonly FixPlan[] {
  return targets.flatMap((target) => {
    const plan = planFix(target);
    return plan === null ? [] : [plan];
  });
}

function planFix(target: FixTarget): FixPlan | null {
  const before = textOf(target.bytes);
  if (before === null) return null;
  const steps: string[] = [];
  const mends: string[] = [];
  const renameTo = target.file === 'SKILL.md' ? null : 'SKILL.md';
  if (renameTo !== null) {
    steps.push(`rename ${target.file} to SKILL.md`);
    mends.push(`skill-md-missing ${target.directory}`, `skill-md-missing ${target.directory}/SKILL.md`);
  }
  let after = before;
  if (after.startsWith(BOM)) {
    after = after.slice(BOM.length);
    steps.push('remove the byte order mark');
  }
  if (after.includes('\r\n')) {
    after = after.replaceAll('\r\n', '\n');
    steps.push('end lines with LF');
  }
  const moved = moveFields(after);
  if (moved !== null && meansTheSame(target, after, moved.text)) {
    after = moved.text;
    steps.push(`move ${moved.fields.join(', ')} under metadata as "colibri.*"`);
    mends.push(`publish-miss ${target.directory}/SKILL.md`);
  }
  if (steps.length === 0) return null;
  return {
    directory: target.directory,
    real: target.real,
    file: target.file,
    renameTo,
    before,
    after,
    steps,
    mends,
  };
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** A fix that changes what a skill says, in any field that Colibri reads, is not made. */
function meansTheSame(target: FixTarget, before: string, after: string): boolean {
  const old = parsed(target, before);
  const fresh = parsed(target, after);
  if (old === null || fresh === null) return false;
  return JSON.stringify(meaningOf(old)) === JSON.stringify(meaningOf(fresh));
}

function parsed({ directory }: FixTarget, text: string): ParsedSkill | null {
  const where = { file: `${directory}/SKILL.md`, directory: null };
  return parseSkill(new TextEncoder().encode(text), where, { profile: 'lenient' }).skill;
}

function meaningOf(skill: ParsedSkill): unknown {
  const { frontmatter: _, metadata, digest: __, ...rest } = skill;
  const own = Object.entries(metadata).filter(([key]) => !key.startsWith('colibri.'));
  return { ...rest, metadata: own };
}
