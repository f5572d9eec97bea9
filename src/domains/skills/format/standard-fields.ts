/** The six fields of the Agent Skills standard. */

import type { Json } from '../../../lib/json.ts';
import { codePointLength, hasHiddenCharacters } from '../../../lib/text.ts';
import type { SkillFields, SkillFrontmatter } from '../skill.ts';
import { isJsonMap, readText, wrongType } from './field-values.ts';
import { type Findings, shown, unlessLenient, unlessPublish } from './findings.ts';
import { checkName } from './name.ts';
import { readTools } from './tool-list.ts';

export const STANDARD_FIELDS: ReadonlySet<string> = new Set([
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
]);

export const DESCRIPTION_CHARS_MAX: number = 1024;
export const COMPATIBILITY_CHARS_MAX: number = 500;

export type StandardFields = Pick<
  SkillFields,
  'name' | 'description' | 'license' | 'compatibility' | 'metadata' | 'allowedTools'
>;

export interface StandardSource {
  readonly frontmatter: SkillFrontmatter;
  readonly directory: string | null;
  /** The metadata with every scalar as the text in the file; asked only when some value is not a string. */
  readonly metadataAsText: () => Json | undefined;
}

export function readStandardFields(findings: Findings, source: StandardSource): StandardFields {
  const { frontmatter } = source;
  const field = (name: string) => ({ name, value: frontmatter[name], severity: 'error' as const });
  const name = readRequired(findings, 'name', frontmatter['name']);
  const description = readRequired(findings, 'description', frontmatter['description']);
  if (description !== null) checkDescription(findings, description);
  return {
    name: name === null ? '' : checkName(findings, name, source.directory),
    description: description ?? '',
    license: readText(findings, field('license')),
    compatibility: readCompatibility(findings, frontmatter['compatibility']),
    metadata: readMetadata(findings, source),
    allowedTools: readTools(findings, field('allowed-tools')),
  };
}

function readRequired(findings: Findings, name: string, value: Json | undefined): string | null {
  if (value === undefined || value === null) {
    const message = `missing required field ${name}; add \`${name}: …\` to the frontmatter`;
    findings.add('error', 'field-missing', { message, field: name });
    return null;
  }
  if (typeof value !== 'string') {
    wrongType(findings, { name, value, severity: 'error' }, 'a string; put quotes around it');
    return null;
  }
  if (value.trim() === '') {
    const message = `field ${name} must be a non-empty string; write a value`;
    findings.add('error', 'field-blank', { message, field: name });
    return null;
  }
  if (hasHiddenCharacters(value)) {
    const message = `field ${name} holds characters that a reader cannot see: ${shown(value)}; remove them`;
    findings.add(unlessPublish(findings), 'hidden-text', { message, field: name });
  }
  return value;
}

function checkDescription(findings: Findings, description: string): void {
  checkLength(findings, 'description', description, DESCRIPTION_CHARS_MAX);
  if (findings.profile === 'publish' && /[<>]/.test(description)) {
    const message = 'field description holds < or >, which upload validators refuse; write it in words';
    findings.add('warning', 'angle-brackets', { message, field: 'description' });
  }
}

function readCompatibility(findings: Findings, value: Json | undefined): string | null {
  if (typeof value === 'string' && value.trim() === '') {
    const message = `field compatibility must hold 1 to ${COMPATIBILITY_CHARS_MAX} characters; write a value or remove it`;
    findings.add(unlessLenient(findings), 'field-blank', { message, field: 'compatibility' });
    return null;
  }
  const text = readText(findings, { name: 'compatibility', value, severity: 'error' });
  if (text !== null) checkLength(findings, 'compatibility', text, COMPATIBILITY_CHARS_MAX);
  return text;
}

function checkLength(findings: Findings, field: string, text: string, max: number): void {
  // UTF-16 units are never fewer than code points, so the count is needed only for long texts.
  if (text.length <= max) return;
  const length = codePointLength(text);
  if (length <= max) return;
  const message = `field ${field} exceeds the ${max} character limit (${length}); shorten it`;
  findings.add('error', 'field-length', { message, field });
}

function readMetadata(findings: Findings, source: StandardSource): Readonly<Record<string, string>> {
  const value = source.frontmatter['metadata'];
  const field = { name: 'metadata', value, severity: 'error' as const };
  if (value === undefined) return {};
  if (!isJsonMap(value)) {
    if (value !== null) wrongType(findings, field, 'a map from strings to strings');
    else readText(findings, field);
    return {};
  }
  const entries = Object.entries(value);
  if (entries.every(([, entry]) => typeof entry === 'string')) return { ...value } as Record<string, string>;
  const texts = source.metadataAsText();
  const metadata: Record<string, string> = {};
  for (const [key, entry] of entries) {
    const name = `metadata.${key}`;
    if (typeof entry === 'string') metadata[key] = entry;
    else if (typeof entry !== 'object' || entry === null)
      metadata[key] = coerce(findings, name, textOf(texts, key));
    // One public skill in three keeps a list of tags here, so a lenient root takes it as JSON text.
    else if (findings.profile === 'lenient') metadata[key] = coerce(findings, name, JSON.stringify(entry));
    else
      wrongType(findings, { name, value: entry, severity: 'error' }, 'a string; maps and lists do not fit');
  }
  return metadata;
}

function textOf(texts: Json | undefined, key: string): string {
  const text = isJsonMap(texts) ? texts[key] : undefined;
  return typeof text === 'string' ? text : '';
}

function coerce(findings: Findings, name: string, text: string): string {
  findings.add(unlessPublish(findings), 'metadata-coerced', {
    message: `field ${name} is not a string and is read as ${shown(text)}; put quotes around it`,
    field: name,
  });
  return text;
}
