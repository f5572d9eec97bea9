/** Skills that an agent proposes: what may be proposed, and what becomes of the files. Pure. */
import { sha256Hex } from '../../../lib/digest.ts';
import { ColibriError } from '../../../lib/errors.ts';
import { hasHiddenCharacters } from '../../../lib/text.ts';
import { isStandardName } from '../../skills/format/name.ts';
import { parseSkill } from '../../skills/parse.ts';
import type { ScanFile } from '../scan/scan-rule.ts';
import type { ScanFinding, ScanVerdict } from '../scan/scan-skill.ts';

/** Files of one proposal. */
export const PROPOSAL_FILES_MAX = 64;
/** Characters of one file, and of all together. */
export const PROPOSAL_FILE_CHARS_MAX: number = 256 * 1024;
export const PROPOSAL_CHARS_MAX: number = 1024 * 1024;
/** Proposals that wait, in all: whoever reviews must be able to follow. */
export const WAITING_MAX = 50;
/** And from one session. */
export const WAITING_PER_SESSION_MAX = 10;

export interface ProposedFile {
  readonly path: string;
  /** Null removes the file. */
  readonly text: string | null;
}

export interface ProposalRequest {
  readonly name: string;
  readonly files: readonly ProposedFile[];
  readonly reason: string;
  /** Whether a skill that is there is to be changed. */
  readonly change: boolean;
}

export interface Proposal {
  readonly id: string;
  readonly name: string;
  readonly change: 'new' | 'changed';
  readonly state: 'waiting' | 'accepted' | 'rejected';
  readonly reason: string;
  readonly files: readonly ProposedFile[];
  readonly digest: string;
  readonly base_digest: string | null;
  readonly verdict: ScanVerdict;
  readonly findings: readonly ScanFinding[];
  readonly proposed_by: string;
  readonly session_id: string | null;
  readonly proposed_at: string;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly note: string | null;
}

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._ -]{0,99}$/;
const DEPTH_MAX = 6;
const LONE_SURROGATE = /\p{Cs}/u;

/** Refuses paths that lead anywhere but into the skill, and more than anybody would review. */
export function checkFiles(files: readonly ProposedFile[]): void {
  if (files.length === 0 || files.length > PROPOSAL_FILES_MAX)
    refuse(`a proposal has 1 to ${PROPOSAL_FILES_MAX} files, not ${files.length}`);
  const seen = new Set<string>();
  let chars = 0;
  for (const { path, text } of files) {
    const segments = path.split('/');
    if (
      segments.length > DEPTH_MAX ||
      !segments.every((segment) => SEGMENT.test(segment)) ||
      path.includes('..')
    )
      refuse(
        `${JSON.stringify(path)} is no path inside a skill; use plain names such as references/guide.md`,
      );
    if (seen.has(path.toLowerCase())) refuse(`${JSON.stringify(path)} is there twice`);
    seen.add(path.toLowerCase());
    chars += text?.length ?? 0;
    if ((text?.length ?? 0) > PROPOSAL_FILE_CHARS_MAX)
      refuse(`${path} is longer than ${PROPOSAL_FILE_CHARS_MAX} characters; shorten it`);
    if (text !== null && (text.includes('\0') || LONE_SURROGATE.test(text))) refuse(`${path} is no text`);
  }
  if (chars > PROPOSAL_CHARS_MAX)
    refuse(`the files hold more than ${PROPOSAL_CHARS_MAX} characters; propose less`);
}

/** It becomes the name of a folder. */
export function checkName(name: string): void {
  if (!isStandardName(name))
    refuse(
      `${JSON.stringify(name)} is no name of a skill; use lower-case letters, digits and single hyphens`,
    );
}

/** The files as they would be afterwards. */
export function mergeFiles(
  current: readonly ScanFile[],
  proposed: readonly ProposedFile[],
): readonly ScanFile[] {
  const files = new Map(current.map((file) => [file.path, file]));
  for (const { path, text } of proposed) {
    if (text === null) files.delete(path);
    else files.set(path, { path, bytes: new TextEncoder().encode(text) });
  }
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Holds the outcome to the rules that every skill is held to, with all of what is wrong in the answer. */
export function checkSkill(name: string, files: readonly ScanFile[]): void {
  const bytes = files.find(({ path }) => path === 'SKILL.md')?.bytes;
  if (bytes === undefined) refuse('a skill needs a file SKILL.md');
  const { skill, diagnostics } = parseSkill(bytes ?? new Uint8Array(), { file: 'SKILL.md', directory: name });
  if (skill !== null) return;
  const problems = diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  refuse(`SKILL.md cannot be used: ${problems.join('; ')}`, { diagnostics });
}

export function checkReason(reason: string): void {
  if (hasHiddenCharacters(reason))
    refuse('the reason holds characters that cannot be seen; write plain text');
}

export function digestOf(files: readonly ProposedFile[]): string {
  const lines = files.map(({ path, text }) => `${path}\0${text === null ? '-' : sha256Hex(text)}`);
  return sha256Hex(lines.sort().join('\n'));
}

function refuse(message: string, details?: Readonly<Record<string, unknown>>): never {
  throw new ColibriError('PROPOSAL_INVALID', message, details);
}
