/**
 * Tool patterns: `Read`, `mcp__server__*`, `Bash(git:*)`, `Bash(npm run test)`, `Read(src/**)`. Pure.
 *
 * A match has four grades, because being wrong costs differently on both sides: an allow counts only when the whole
 * call is what the pattern says; a deny must also see a command that hides behind another one.
 */
import { hasHiddenCharacters } from '../../lib/text.ts';
import { readCommandLine } from './command-line.ts';
import { commandMatch } from './command-match.ts';
import { matchesGlob } from './glob.ts';
import { pathMatch } from './path-match.ts';

export interface ToolCall {
  readonly tool: string;
  /** What it is called with: a command line, a path, a URL. */
  readonly argument?: string | undefined;
}

/** `part`: the pattern is met by one of several commands, or but for case. `maybe`: it cannot be ruled out. */
export type Match = 'yes' | 'part' | 'maybe' | 'no';

export type ArgumentPattern =
  | { readonly kind: 'any' }
  | { readonly kind: 'prefix' | 'exact' | 'glob'; readonly text: string };

export interface ToolPattern {
  /** As it was written. */
  readonly text: string;
  /** A glob. */
  readonly tool: string;
  readonly argument: ArgumentPattern;
}

export type ParsedPattern =
  | { readonly ok: true; readonly pattern: ToolPattern }
  | { readonly ok: false; readonly problem: string };

const PATTERN_CHARS_MAX = 500;

const SHAPE = /^([A-Za-z_*][\w.*:/-]*)(?:\(([\s\S]*)\))?$/;

export function parseToolPattern(written: string): ParsedPattern {
  const text = written.trim();
  const fail = (problem: string): ParsedPattern => ({ ok: false, problem });
  if (text.length > PATTERN_CHARS_MAX) return fail(`is longer than ${PATTERN_CHARS_MAX} characters`);
  if (hasHiddenCharacters(text) || /[\n\t]/.test(text)) return fail('holds a character that cannot be seen');
  const shape = SHAPE.exec(text);
  if (shape === null) return fail('is no tool pattern; write `Read`, `mcp__server__*` or `Bash(git:*)`');
  const [, tool = '', inner] = shape;
  const argument = parseArgument(inner);
  if (argument !== null) return { ok: true, pattern: { text, tool, argument } };
  return fail(`cannot be used; write \`${tool}\`, \`${tool}(words:*)\` or \`${tool}(exact words)\``);
}

function parseArgument(inner: string | undefined): ArgumentPattern | null {
  const text = oneBlank(inner ?? '*');
  if (/^\*+$/.test(text)) return { kind: 'any' };
  if (text === '') return null;
  if (!text.endsWith(':*')) return { kind: text.includes('*') ? 'glob' : 'exact', text };
  const prefix = text.slice(0, -2).trimEnd();
  // An open quote or a final backslash would swallow the first character that follows, a separator for example.
  if (prefix === '' || prefix.endsWith('\\') || !readCommandLine(prefix).readable) return null;
  return { kind: 'prefix', text: prefix };
}

/** Tools whose argument is a path, so that `*` stops at slashes and shells do not come into it. */
const PATH_TOOLS: ReadonlySet<string> = new Set(
  'read write edit multiedit notebookedit glob grep ls skill_read'.split(' '),
);

export function matchTool(pattern: ToolPattern, call: ToolCall): Match {
  const name = matchName(pattern.tool, call.tool);
  if (name === 'no') return 'no';
  const argument = matchArgument(pattern.argument, call);
  return argument === 'yes' ? name : argument;
}

/** `bash` does not allow `Bash`, but it does deny it. */
function matchName(glob: string, tool: string): 'yes' | 'part' | 'no' {
  if (matchesGlob(glob, tool, { flat: true })) return 'yes';
  return matchesGlob(glob.toLowerCase(), tool.toLowerCase(), { flat: true }) ? 'part' : 'no';
}

function matchArgument(wanted: ArgumentPattern, { tool, argument }: ToolCall): Match {
  if (wanted.kind === 'any') return 'yes';
  if (argument === undefined) return 'maybe';
  const { kind, text } = wanted;
  // Within quotes blanks count; outside of them one is as good as two.
  const said = /["'\\]/.test(argument) ? trimBlanks(argument) : oneBlank(argument);
  if (kind === 'exact' && said === text) return 'yes';
  if (PATH_TOOLS.has(tool.toLowerCase())) return pathMatch(kind, text, said);
  return commandMatch(kind, text, said);
}

/** Line breaks stay: they part commands. */
function oneBlank(text: string): string {
  return trimBlanks(text.replace(/[ \t]+/g, ' '));
}

function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}

/** Whether every call that is the second pattern is also the first. Says no when in doubt. */
export function covers(outer: ToolPattern, inner: ToolPattern): boolean {
  // A star of the inner one is only met by a star of the outer one, so that taking it for a letter is safe.
  if (!matchesGlob(outer.tool, inner.tool, { flat: true })) return false;
  const [wide, narrow] = [outer.argument, inner.argument];
  if (wide.kind === 'any') return true;
  if (narrow.kind === 'any') return false;
  if (wide.kind === narrow.kind && wide.text === narrow.text) return true;
  if (inner.tool.includes('*')) return false;
  const call = { tool: inner.tool, argument: narrow.text };
  if (narrow.kind === 'exact') return matchTool(outer, call) === 'yes';
  return wide.kind === 'prefix' && narrow.kind === 'prefix' && matchTool(outer, call) === 'yes';
}

/** Whether some call could be both. Says yes when in doubt. */
export function overlaps(one: ToolPattern, other: ToolPattern): boolean {
  const names =
    matchName(one.tool, other.tool) !== 'no' ||
    matchName(other.tool, one.tool) !== 'no' ||
    (one.tool.includes('*') && other.tool.includes('*'));
  if (!names) return false;
  const [a, b] = [one.argument, other.argument];
  if (a.kind === 'any' || b.kind === 'any' || a.kind === 'glob' || b.kind === 'glob') return true;
  const [short, long] = a.text.length <= b.text.length ? [a.text, b.text] : [b.text, a.text];
  return long === short || long.startsWith(`${short} `);
}

/** The part of a pattern that cannot be read which still tells the tool; for refusing, where too much is safe. */
export function widestPattern(written: string): ToolPattern {
  const [tool = '*'] = /^\w[\w.:/-]*/.exec(written.trim()) ?? [];
  return { text: written, tool, argument: { kind: 'any' } };
}
