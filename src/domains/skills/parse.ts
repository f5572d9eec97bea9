import { isAscii, isUtf8 } from 'node:buffer';

import { hasErrors } from '../../lib/diagnostics.ts';
import { sha256Hex } from '../../lib/digest.ts';
import type { SkillDiagnostic } from './diagnostic-codes.ts';
import { type FieldGroups, readFields } from './format/fields.ts';
import { createFindings, type Findings } from './format/findings.ts';
import { FRONTMATTER_BYTES_MAX, splitFrontmatter } from './format/frontmatter.ts';
import { fieldLine, readFrontmatter } from './format/frontmatter-yaml.ts';
import { deepFreeze } from './format/json-values.ts';
import type { ParsedSkill, Profile, SkillFrontmatter } from './skill.ts';

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

/** A SKILL.md without the text of its body, which most readers never ask for. */
export interface SkillHead extends FieldGroups {
  readonly frontmatter: SkillFrontmatter;
  /** sha256 of the file's bytes, hex. */
  readonly digest: string;
  readonly bodyTokens: number;
  /** Where the body starts in the file, in bytes. */
  readonly bodyStart: number;
}

export interface HeadResult {
  readonly head: SkillHead | null;
  readonly diagnostics: readonly SkillDiagnostic[];
}

export interface ParseOptions {
  readonly profile?: Profile;
  /** The sha256 of the bytes, for who has it already. */
  readonly digest?: string;
}

/** Reads a SKILL.md from its bytes. Never throws on content and keeps nothing between calls. */
export function parseSkill(bytes: Uint8Array, where: SkillPlace, options: ParseOptions = {}): ParseResult {
  const { head, diagnostics } = parseHead(bytes, where, options);
  if (head === null) return { skill: null, diagnostics };
  const { standard, colibri, host, frontmatter, digest, bodyTokens } = head;
  const body = bodyText(bytes, head);
  const skill = {
    ...standard,
    ...colibri,
    ...host,
    frontmatter,
    body,
    digest,
    bodyVersion: bodyVersion(body),
    bodyTokens,
  };
  return { skill: deepFreeze(skill), diagnostics };
}

/** The same for who needs everything but the body: a scan reads thousands. */
export function parseHead(bytes: Uint8Array, where: SkillPlace, options: ParseOptions = {}): HeadResult {
  let yaml = '';
  const findings = createFindings(where.file, options.profile ?? 'strict', (field) => fieldLine(yaml, field));
  const rejected = (): HeadResult => ({ head: null, diagnostics: findings.all });

  const content = decode(findings, bytes);
  if (content === null) return rejected();
  const parts = split(findings, content);
  if (parts === null) return rejected();
  yaml = parts.yaml;
  const read = readFrontmatter(findings, yaml);
  if (read === null) return rejected();

  const { standard, colibri, host } = readFields(findings, {
    frontmatter: read.frontmatter,
    yaml: read.yaml,
    directory: where.directory,
  });
  const bodyTokens = countTokens(content, parts);
  checkBody(findings, content.bytes, { bodyStart: parts.bodyStart, tokens: bodyTokens });
  if (hasErrors(findings.all)) return rejected();
  const head: SkillHead = {
    standard,
    colibri,
    host,
    frontmatter: read.frontmatter,
    digest: options.digest ?? sha256Hex(bytes),
    bodyTokens,
    bodyStart: bytes.length - content.bytes.length + parts.bodyStart,
  };
  return { head, diagnostics: findings.all };
}

/** The body of a file that `parseHead` has read. */
export function bodyText(bytes: Uint8Array, { bodyStart }: Pick<SkillHead, 'bodyStart'>): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8', bodyStart);
}

/** The body of a file whose frontmatter is of no interest; empty when it is no skill. */
export function bodyOfFile(bytes: Uint8Array): string {
  const findings = createFindings('', 'lenient', () => null);
  const content = decode(findings, bytes);
  const parts = content === null ? null : split(findings, content);
  return content === null || parts === null ? '' : content.bytes.toString('utf8', parts.bodyStart);
}

/** Tells two bodies apart: the first 16 hex digits of its sha256. */
export function bodyVersion(body: string): string {
  return sha256Hex(body).slice(0, BODY_VERSION_CHARS);
}

interface Content {
  /** UTF-8 without a byte order mark. */
  readonly bytes: Buffer;
  /** One byte a character. */
  readonly ascii: boolean;
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The content without its byte order mark, or null when it is no text. */
function decode(findings: Findings, raw: Uint8Array): Content | null {
  if (raw.length === 0) {
    findings.add('error', 'file-empty', { message: 'SKILL.md is empty; write frontmatter and instructions' });
    return null;
  }
  const buffer = Buffer.isBuffer(raw) ? raw : Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  if (isAscii(buffer)) return { bytes: buffer, ascii: true };
  if (!isUtf8(buffer)) {
    const wide = buffer[0] === 0xff || buffer[0] === 0xfe;
    const guess = wide ? 'it looks like UTF-16; ' : '';
    findings.add('error', 'encoding-invalid', {
      message: `SKILL.md is not valid UTF-8; ${guess}save it as UTF-8`,
    });
    return null;
  }
  const marked = buffer.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return { bytes: marked ? buffer.subarray(BYTE_ORDER_MARK.length) : buffer, ascii: false };
}

interface Parts {
  readonly yaml: string;
  /** In bytes. */
  readonly bodyStart: number;
}

function split(findings: Findings, { bytes, ascii }: Content): Parts | null {
  const fences = splitFront(bytes, ascii) ?? splitFrontmatter(bytes.toString('utf8'));
  switch (fences.kind) {
    case 'found':
      return { yaml: fences.yaml, bodyStart: bytes.length - Buffer.byteLength(fences.body) };
    case 'in-front':
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

/** Holds nearly all frontmatter. To decode whole files would be most of the garbage that a scan makes. */
const FRONT_BYTES = 1024;

/** Null: the first bytes alone do not tell. */
function splitFront(bytes: Buffer, ascii: boolean): (Parts & { readonly kind: 'in-front' }) | null {
  // Only where a character is a byte are places in the text places in the file.
  if (!ascii && !isAscii(bytes.subarray(0, FRONT_BYTES))) return null;
  const front = bytes.toString('latin1', 0, FRONT_BYTES);
  const fences = splitFrontmatter(front);
  // At the very end, blank lines before the body may go on behind it.
  if (fences.kind !== 'found' || fences.bodyStart === front.length) return null;
  return { kind: 'in-front', yaml: fences.yaml, bodyStart: fences.bodyStart };
}

function countTokens({ bytes, ascii }: Content, { bodyStart }: Parts): number {
  const codePoints = ascii ? bytes.length - bodyStart : countCodePoints(bytes.subarray(bodyStart));
  return Math.max(1, Math.floor(codePoints / CODE_POINTS_PER_TOKEN));
}

/** In UTF-8 every character has one byte that does not continue another. */
function countCodePoints(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) count++;
  return count;
}

function checkBody(
  findings: Findings,
  bytes: Buffer,
  { bodyStart, tokens }: Pick<Parts, 'bodyStart'> & { readonly tokens: number },
): void {
  if (bytes.includes(0, bodyStart)) {
    findings.add('error', 'text-invalid', { message: 'the body holds a NUL character; remove it' });
  }
  if (tokens > BODY_TOKENS_ADVISED) {
    findings.add('warning', 'body-long', {
      message: `the body has about ${tokens} tokens, more than ${BODY_TOKENS_ADVISED}; move parts into files that it points at`,
    });
  }
}
