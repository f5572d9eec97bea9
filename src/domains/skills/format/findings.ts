import type { Severity } from '../../../lib/diagnostics.ts';
import type { Json } from '../../../lib/json.ts';
import { printable } from '../../../lib/text.ts';
import type { DiagnosticCode, SkillDiagnostic } from '../diagnostic-codes.ts';
import type { Profile } from '../skill.ts';
import { findInvalidText } from './json-values.ts';

/** Collects what is wrong with one file. */
export interface Findings {
  readonly profile: Profile;
  readonly all: readonly SkillDiagnostic[];
  add(severity: Severity, code: DiagnosticCode, finding: Finding): void;
}

export interface Finding {
  readonly message: string;
  readonly field?: string;
  readonly line?: number | null;
}

/** `locate` finds the line of a field; it is asked only when there is something to report. */
export function createFindings(
  file: string,
  profile: Profile,
  locate: (field: string) => number | null,
): Findings {
  const all: SkillDiagnostic[] = [];
  return {
    profile,
    all,
    add(severity, code, { message, field, line }) {
      const at = line ?? (field === undefined ? null : locate(field));
      all.push({
        code,
        severity,
        message,
        file,
        ...(field === undefined ? {} : { field }),
        ...(at === null ? {} : { line: at }),
      });
    },
  };
}

/** What the profiles other than publish forgive. */
export function unlessPublish(findings: Findings): Severity {
  return findings.profile === 'publish' ? 'error' : 'warning';
}

/** What only the lenient profile forgives. */
export function unlessLenient(findings: Findings): Severity {
  return findings.profile === 'lenient' ? 'warning' : 'error';
}

/** Reports a text inside the value that databases and other readers would mangle. */
export function reportInvalidText(findings: Findings, field: string, value: Json): void {
  const text = findInvalidText(value);
  if (text === null) return;
  const message = `field ${field} holds NUL or half a surrogate pair: ${shown(text)}; remove the escape`;
  findings.add('error', 'text-invalid', { message, field });
}

const SHOWN_CHARS_MAX = 60;

/** A value of the file, quoted for a message: one line, nothing hidden, not long. */
export function shown(value: unknown): string {
  const text = printable(typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value)));
  return `"${text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text}"`;
}
