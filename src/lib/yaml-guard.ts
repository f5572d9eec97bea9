/** Refuses YAML that skills may not use, and YAML that two readers would read in two ways. */

/** What the guard needs of js-yaml's loader state. */
interface LoaderState {
  readonly input: string;
  readonly position: number;
  readonly kind: string | null;
  readonly result: unknown;
}

export class UnsupportedYaml extends Error {
  /** 1-based. */
  readonly line: number | null;

  constructor(message: string, line: number | null) {
    super(message);
    this.name = 'UnsupportedYaml';
    this.line = line;
  }
}

/** Longest key with its quotes; beyond 1024 the `yaml` package takes no key. */
export const YAML_KEY_CHARS_MAX: number = 1000;

// Finds all of the patterns below in one pass, because nearly every text has none of them.
const SUSPECT = /^(?:---|\.\.\.|%|\ufeff| *\t|[ -]*-[ \t]*(?:#|\r?$))|\r(?!\n)|\\U/m;
const DOCUMENT_MARK = /^(?:---|\.\.\.)/m;
const DIRECTIVE = /^%/m;
const LONE_CARRIAGE_RETURN = /\r(?!\n)/;
const TAB_INDENT = /^ *\t/m;
const EMPTY_ITEM = /^([ -]*)-[ \t]*(?:#.*)?\n(?=(?: *(?:#.*)?\n)*( *)-\s)/gm;
const BEYOND_UNICODE = /\\U(?!000|0010)[0-9a-fA-F]{8}/;
const ESCAPED_BREAK = /\\\r?\n[ \t]*\r?\n/;
const INDENT_INDICATOR = /^[|>][-+]?[0-9]/;
const BYTE_ORDER_MARK = /^\ufeff/m;

/** Looks at the text as a whole, before it is parsed. */
export function refuseLines(source: string): void {
  if (!SUSPECT.test(source)) return;
  refuse(source, DOCUMENT_MARK, 'several YAML documents; keep one, without --- or ... lines');
  refuse(source, DIRECTIVE, 'a % directive; remove the line');
  refuse(source, LONE_CARRIAGE_RETURN, 'a carriage return without line feed; end lines with LF or CRLF');
  refuse(source, TAB_INDENT, 'a tab in the indentation; use spaces');
  refuse(source, BEYOND_UNICODE, 'an escape beyond U+10FFFF; remove it');
  refuseEmptyItem(source);
  refuse(source, BYTE_ORDER_MARK, 'a stray byte order mark; remove it');
}

/** js-yaml takes a less indented item after an empty one for its neighbour. */
function refuseEmptyItem(source: string): void {
  for (const { 1: before = '', 2: next = '', index } of source.replaceAll('\r', '').matchAll(EMPTY_ITEM)) {
    if (next.length >= before.length) continue;
    throw new UnsupportedYaml(
      'an empty list item before a less indented one; write null',
      lineAt(source, index),
    );
  }
}

function refuse(source: string, pattern: RegExp, what: string): void {
  const match = pattern.exec(source);
  if (match !== null) throw new UnsupportedYaml(what, lineAt(source, match.index));
}

function lineAt(source: string, position: number): number {
  return source.slice(0, position).split('\n').length;
}

/** A listener for js-yaml: sees every node where it starts and where it ends. */
export function createNodeGuard(): (event: 'open' | 'close', state: LoaderState) => void {
  const starts: number[] = [];
  // For each open node whether a comment at the start of a line comes before it.
  const commented: boolean[] = [];
  // How many nodes enclose the outermost [ ] or { } that is being read.
  let flowDepth = Number.POSITIVE_INFINITY;
  return (event, state) => {
    if (event === 'open') {
      const start = skipSpace(state.input, state.position);
      checkStart(state, start, starts.length > flowDepth);
      if (isFlow(state.input, start)) flowDepth = Math.min(flowDepth, starts.length);
      starts.push(start);
      commented.push(start > state.position && state.input.slice(state.position, start).includes('\n#'));
      return;
    }
    const start = starts.pop() ?? 0;
    if (starts.length === flowDepth) flowDepth = Number.POSITIVE_INFINITY;
    if (commented.pop() && state.kind === 'scalar') {
      fail({ input: state.input, start }, 'a comment between a field and its text; move it above the field');
    }
    checkEnd(state, start, starts.at(-1) ?? start);
  };
}

interface Place {
  readonly input: string;
  /** Where the node starts. */
  readonly start: number;
}

function checkStart(state: LoaderState, start: number, inFlow: boolean): void {
  const { input, position } = state;
  const at = { input, start };
  const first = input[start];
  if (first === '&') fail(at, 'an anchor (&); write the value out');
  if (first === '*') fail(at, 'an alias (*); write the value out, or quote it if the text starts with *');
  if (first === '!') fail(at, 'a tag (!); remove it, or quote the value if the text starts with !');
  const explicit = inFlow ? characterBefore(input, position) === '?' : input[position - 1] === '?';
  if (explicit) fail(at, 'a ? key; write `key: value`');
}

function checkEnd(state: LoaderState, start: number, parent: number): void {
  const { input, kind, position } = state;
  const at = { input, start };
  if (input[position] === '#' && !isSpace(input[position - 1])) {
    fail(at, 'a comment right after a value; put a space before #');
  }
  if (kind === 'scalar' && (input[start] === '|' || input[start] === '>')) checkBlockText(at, state.result);
  if (input[start] === '"' && ESCAPED_BREAK.test(input.slice(start, position))) {
    fail(at, 'a blank line after \\ at the end of a line; remove it');
  }
  const collection = kind === 'mapping' || kind === 'sequence';
  if (collection && isFlow(input, start) && hasComment(input, start, position)) {
    fail(at, 'a comment inside [ ] or { }; move it to its own line outside');
  }
  const next = skipSpace(input, position);
  const alone = parent !== start && input[parent] === '{' && characterBefore(input, start) !== ':';
  if (input[next] !== ':' && !alone) return;
  // A node before a colon, or without one inside { }, is a key.
  if (collection) fail(at, 'a list or map as a key; use a text');
  if (state.result === null) fail(at, 'an empty key; name the field');
  if (next - start > YAML_KEY_CHARS_MAX) fail(at, 'a key of over 1000 characters; shorten it');
}

/** Readers disagree about blank lines in these. */
function checkBlockText(at: Place, text: unknown): void {
  if (INDENT_INDICATOR.test(at.input.slice(at.start, at.start + 3))) {
    fail(at, 'an indentation number after | or >; remove it');
  }
  if (String(text).trim() === '') fail(at, 'a block text (| or >) without text; write "" or the text');
}

function fail(at: Place, what: string): never {
  throw new UnsupportedYaml(what, lineAt(at.input, at.start));
}

function isFlow(input: string, start: number): boolean {
  return input[start] === '[' || input[start] === '{';
}

/** A comment runs to the end of its line, so only a collection over several lines can hold one. */
function hasComment(input: string, start: number, end: number): boolean {
  const text = input.slice(start, end);
  return text.includes('\n') && text.includes('#');
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r';
}

/** The next position that is neither white space nor comment. */
function skipSpace(input: string, from: number): number {
  let position = from;
  for (;;) {
    while (isSpace(input[position])) position++;
    if (input[position] !== '#') return position;
    const lineBreak = input.indexOf('\n', position);
    if (lineBreak === -1) return input.length;
    position = lineBreak;
  }
}

function characterBefore(input: string, from: number): string | undefined {
  let position = from - 1;
  while (isSpace(input[position])) position--;
  return input[position];
}

/** Looks at what was read: keys that other programs give a meaning of their own. */
export function refuseValues(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    value.forEach(refuseValues);
    return;
  }
  for (const [key, entry] of Object.entries(value)) {
    if (key === '<<') throw new UnsupportedYaml('a merge key (<<); write the fields out', null);
    if (key === '__proto__') throw new UnsupportedYaml('the key __proto__; rename it', null);
    refuseValues(entry);
  }
}
