import { codePointLength } from '../../../lib/text.ts';
import { type Findings, shown, unlessLenient } from './findings.ts';

export const NAME_CHARS_MAX: number = 64;

const STANDARD_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
// What Python's isalnum takes, which the reference validator uses.
const UNICODE_NAME = /^[\p{L}\p{N}-]+$/u;

/** By its characters alone. */
export function isStandardName(name: string): boolean {
  return STANDARD_NAME.test(name);
}

/** Checks a name and gives the form it is known by; `directory: null` compares it with nothing. */
export function checkName(findings: Findings, written: string, directory: string | null): string {
  if (isStandardName(written) && written.length <= NAME_CHARS_MAX && written === (directory ?? written)) {
    // The directory's own string: a piece of the file's text would keep all of that text in memory.
    return directory ?? written;
  }
  const name = written.normalize('NFKC');
  checkLength(findings, name);
  checkCharacters(findings, name);
  if (directory !== null && name !== directory.normalize('NFKC')) {
    findings.add(unlessLenient(findings), 'name-directory', {
      message: `directory name ${shown(directory)} must match skill name ${shown(name)}; rename one of them`,
      field: 'name',
    });
  }
  return name;
}

function checkLength(findings: Findings, name: string): void {
  const length = codePointLength(name);
  if (length <= NAME_CHARS_MAX) return;
  findings.add(unlessLenient(findings), 'field-length', {
    message: `field name exceeds the ${NAME_CHARS_MAX} character limit (${length}); shorten it`,
    field: 'name',
  });
}

function checkCharacters(findings: Findings, name: string): void {
  const field = 'name';
  const quoted = shown(name);
  if (name !== name.toLowerCase()) {
    const message = `name ${quoted} must be lowercase; write ${shown(name.toLowerCase())}`;
    findings.add('error', 'name-case', { message, field });
  }
  if (name.startsWith('-') || name.endsWith('-')) {
    const message = `name ${quoted} cannot start or end with a hyphen; remove it`;
    findings.add('error', 'name-hyphen-edge', { message, field });
  }
  if (name.includes('--')) {
    const message = `name ${quoted} cannot hold consecutive hyphens; write one`;
    findings.add('error', 'name-hyphen-double', { message, field });
  }
  if (!UNICODE_NAME.test(name)) {
    const message = `name ${quoted} holds invalid characters; use only a-z, 0-9 and hyphens`;
    findings.add('error', 'name-characters', { message, field });
    return;
  }
  if (/[^\x20-\x7e]/.test(name)) reportUnicode(findings, quoted);
}

function reportUnicode(findings: Findings, quoted: string): void {
  findings.add(unlessLenient(findings), 'name-unicode', {
    message:
      `name ${quoted} uses letters beyond a-z and 0-9, which cannot be served over MCP; ` +
      'rename the skill, or load its root with the lenient profile',
    field: 'name',
  });
}
