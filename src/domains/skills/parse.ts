import { isAscii, isUtf8 } from 'node:buffer';

import { hasErrors } from '../../lib/diagnostics.ts';
import { sha256Hex } from '../../lib/digest.ts';
import type { SkillDiagnostic } from './diagnostic-codes.ts';
import { readFields } from './format/fields.ts';
import { createFindings, type Findings } from './format/findings.ts';
import { type Fences, FRONTMATTER_BYTES_MAX, splitFrontmatter } from './format/frontmatter.ts';
import { fieldLine, readFrontmatter } from './format/frontmatter-yaml.ts';
import { deepFreeze } from './format/json-values.ts';
import type { ParsedSkill, Profile } from './skill.ts';

export interface SkillPlace {
  /** Named in every diagnostic, as the user would type it. */
  readonly file: string;
  /** The name of the directory around the file; null compares the skill's name with nothing. */
  readonly directory: string | null;
}

export interface ParseResult {
  readonly skill: ParsedSkill | null;
  readonly diagnostics: readonly SkillDiagnostic[];
}

/** Above this, the standard advises to move text into files of their own. */
export const BODY_TOKENS_ADVISED: number = 5000;
const CODE_POINTS_PER_TOKEN = 4;
const BODY_VERSION_CHARS = 16;

/** Reads a SKILL.md from its bytes. Never throws on content and keeps nothing between calls. */
export function parseSkill(
  bytes: Uint8Array,
  where: SkillPlace,
  options: { readonly profile?: Profile } = {},
): ParseResult {
  let yaml = '';
  const findings = createFindings(where.file, options.profile ?? 'strict', (field) => fieldLine(yaml, field));
  const rejected = (): ParseResult => ({ skill: null, diagnostics: findings.all });

  const content = decode(findings, bytes);
  if (content === null) return rejected();
  const { text } = content;
  const parts = split(findings, text);
  if (parts === null) return rejected();
  yaml = parts.yaml;
  const read = readFrontmatter(findings, yaml);
  if (read === null) return rejected();

  const fields = readFields(findings, { ...read, directory: where.directory });
  // Hashing and counting the bytes saves encoding the body again.
  const bodyBytes = content.bytes.subarray(Buffer.byteLength(text.slice(0, parts.bodyStart)));
  const bodyTokens = countTokens(parts.body, bodyBytes);
  checkBody(findings, bodyBytes, bodyTokens);
  if (hasErrors(findings.all)) return rejected();
  const skill: ParsedSkill = {
    ...fields,
    frontmatter: read.frontmatter,
    body: parts.body,
    digest: sha256Hex(bytes),
    bodyVersion: sha256Hex(bodyBytes).slice(0, BODY_VERSION_CHARS),
    bodyTokens,
  };
  return { skill: deepFreeze(skill), diagnostics: findings.all };
}

interface Content {
  readonly text: string;
  /** The same content as UTF-8. */
  readonly bytes: Buffer;
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The content without its byte order mark, or null when it is no text. */
function decode(findings: Findings, raw: Uint8Array): Content | null {
  if (raw.length === 0) {
    findings.add('error', 'file-empty', { message: 'SKILL.md is empty; write frontmatter and instructions' });
    return null;
  }
  const buffer = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  if (isAscii(buffer)) return { text: buffer.toString('latin1'), bytes: buffer };
  if (!isUtf8(buffer)) {
    const wide = buffer[0] === 0xff || buffer[0] === 0xfe;
    const guess = wide ? 'it looks like UTF-16; ' : '';
    findings.add('error', 'encoding-invalid', {
      message: `SKILL.md is not valid UTF-8; ${guess}save it as UTF-8`,
    });
    return null;
  }
  const marked = buffer.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const bytes = marked ? buffer.subarray(BYTE_ORDER_MARK.length) : buffer;
  return { text: bytes.toString('utf8'), bytes };
}

type Parts = Extract<Fences, { readonly kind: 'found' }>;

function split(findings: Findings, text: string): Parts | null {
  const fences = splitFrontmatter(text);
  switch (fences.kind) {
    case 'found':
      return fences;
    case 'missing':
      findings.add('error', 'frontmatter-missing', {
        message: 'SKILL.md must start with YAML frontmatter; make --- the first line',
        line: 1,
      });
      return null;
    case 'unclosed':
      findings.add('error', 'frontmatter-unclosed', {
        message: `frontmatter is not properly closed; end it with a --- line within ${FRONTMATTER_BYTES_MAX / 1024} KiB`,
        line: 1,
      });
      return null;
  }
}

function countTokens(body: string, bytes: Buffer): number {
  const codePoints = body.length - countSurrogatePairs(bytes);
  return Math.max(1, Math.floor(codePoints / CODE_POINTS_PER_TOKEN));
}

const FOUR_BYTE_LEADS = [0xf0, 0xf1, 0xf2, 0xf3, 0xf4];

/** Characters that UTF-8 writes in four bytes are the ones that UTF-16 writes in two units. */
function countSurrogatePairs(bytes: Buffer): number {
  let count = 0;
  for (const lead of FOUR_BYTE_LEADS) {
    for (let at = bytes.indexOf(lead); at !== -1; at = bytes.indexOf(lead, at + 1)) count++;
  }
  return count;
}

function checkBody(findings: Findings, body: Buffer, tokens: number): void {
  if (body.includes(0)) {
    findings.add('error', 'text-invalid', { message: 'the body holds a NUL character; remove it' });
  }
  if (tokens > BODY_TOKENS_ADVISED) {
    findings.add('warning', 'body-long', {
      message: `the body has about ${tokens} tokens, more than ${BODY_TOKENS_ADVISED}; move parts into files that it points at`,
    });
  }
}
