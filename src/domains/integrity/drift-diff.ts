/** What differs inside two texts: fields, body, and lines. Pure. */
import { isUtf8 } from 'node:buffer';

import { createTwoFilesPatch } from 'diff';

import type { Json } from '../../lib/json.ts';
import { parseSkill } from '../skills/parse.ts';

/** Above this a file is named and not compared line by line. */
export const DIFF_BYTES_MAX: number = 256 * 1024;
/** Lines added and removed; beyond it two texts are simply different, and finding the shortest way takes long. */
const DIFF_EDITS_MAX = 1000;
const CONTEXT_LINES = 3;

export interface FieldDifference {
  readonly field: string;
  /** Absent where that side does not have the field. */
  readonly canonical?: Json;
  readonly mirror?: Json;
}

export interface SkillTextDifference {
  readonly fields: readonly FieldDifference[];
  readonly body: boolean;
}

export type Patch =
  | { readonly shown: true; readonly text: string }
  /** `why`: in words, for the reader. */
  | { readonly shown: false; readonly why: string };

/** Null when one of the two is no SKILL.md that can be read; then only the lines tell. */
export function compareSkillTexts(canonical: Uint8Array, mirror: Uint8Array): SkillTextDifference | null {
  const where = { file: 'SKILL.md', directory: null };
  const one = parseSkill(canonical, where, { profile: 'lenient' }).skill;
  const other = parseSkill(mirror, where, { profile: 'lenient' }).skill;
  if (one === null || other === null) return null;
  return { fields: compareFields(one.frontmatter, other.frontmatter), body: one.body !== other.body };
}

function compareFields(
  canonical: Readonly<Record<string, Json>>,
  mirror: Readonly<Record<string, Json>>,
): readonly FieldDifference[] {
  const names = [...new Set([...Object.keys(canonical), ...Object.keys(mirror)])].sort();
  return names.flatMap((field) => {
    const [one, other] = [canonical[field], mirror[field]];
    if (JSON.stringify(one) === JSON.stringify(other)) return [];
    return [
      {
        field,
        ...(one === undefined ? {} : { canonical: one }),
        ...(other === undefined ? {} : { mirror: other }),
      },
    ];
  });
}

/** A side that has no such file is null, and its text empty. */
export interface DiffSide {
  readonly path: string;
  readonly bytes: Uint8Array | null;
}

export function unifiedDiff(canonical: DiffSide, mirror: DiffSide): Patch {
  const sides = [canonical, mirror].flatMap(({ bytes }) => (bytes === null ? [] : [bytes]));
  if (sides.some((bytes) => bytes.length > DIFF_BYTES_MAX))
    return { shown: false, why: `larger than ${DIFF_BYTES_MAX / 1024} KiB` };
  if (!sides.every(isText)) return { shown: false, why: 'no text' };
  const text = createTwoFilesPatch(
    canonical.bytes === null ? '/dev/null' : canonical.path,
    mirror.bytes === null ? '/dev/null' : mirror.path,
    textOf(canonical.bytes),
    textOf(mirror.bytes),
    undefined,
    undefined,
    { context: CONTEXT_LINES, maxEditLength: DIFF_EDITS_MAX },
  );
  if (text === undefined) return { shown: false, why: 'different from beginning to end' };
  // The first line is a ruler of the library's own.
  return { shown: true, text: text.replace(/^=+\n/, '') };
}

function isText(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

function textOf(bytes: Uint8Array | null): string {
  return bytes === null ? '' : Buffer.from(bytes).toString('utf8');
}
