/** Readers for one field each: the value when it fits, else what stands for absent and a finding. */
import type { Severity } from '../../../lib/diagnostics.ts';
import type { Json } from '../../../lib/json.ts';
import { type Findings, shown, unlessPublish } from './findings.ts';

export interface Field {
  /** As the user wrote it, for messages. */
  readonly name: string;
  readonly value: Json | undefined;
  /** Of a value that does not fit. */
  readonly severity: Severity;
}

const TRUE_WORDS: readonly Json[] = [true, 'true', 'yes', 'on', '1', 1];
const FALSE_WORDS: readonly Json[] = [false, 'false', 'no', 'off', '0', 0];

export function readText(findings: Findings, field: Field): string | null {
  const { name, value } = field;
  if (isAbsent(findings, field)) return null;
  if (typeof value !== 'string') {
    wrongType(findings, field, 'a string; put quotes around it');
    return null;
  }
  if (value.trim() === '') {
    findings.add(unlessPublish(findings), 'field-blank', {
      message: `field ${name} is empty; write a value or remove the field`,
      field: name,
    });
    return null;
  }
  return value;
}

export function readTextList(findings: Findings, field: Field): readonly string[] {
  const { value } = field;
  if (isAbsent(findings, field)) return [];
  if (!isJsonList(value) || !value.every(isFilledText)) {
    wrongType(findings, field, 'a list of non-empty strings, such as [one, two]');
    return [];
  }
  return value;
}

/** Hosts also take yes/no, on/off and 1/0. */
export function readBoolean(findings: Findings, field: Field, absent: boolean): boolean {
  const { value } = field;
  if (value === undefined || isAbsent(findings, field)) return absent;
  const word = typeof value === 'string' ? value.toLowerCase() : value;
  if (TRUE_WORDS.includes(word)) return true;
  if (FALSE_WORDS.includes(word)) return false;
  wrongType(findings, field, 'true or false');
  return absent;
}

/** A field that is not there, or is there without a value. */
export function isAbsent(findings: Findings, { name, value }: Field): boolean {
  if (value === undefined) return true;
  if (value !== null) return false;
  findings.add(unlessPublish(findings), 'field-blank', {
    message: `field ${name} is empty; write a value or remove the field`,
    field: name,
  });
  return true;
}

export function wrongType(findings: Findings, field: Field, expected: string): void {
  findings.add(field.severity, 'field-type', {
    message: `field ${field.name} must be ${expected}; found ${shown(field.value)}`,
    field: field.name,
  });
}

export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isJsonMap(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isFilledText(value: Json | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
