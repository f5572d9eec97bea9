/**
 * Reads the YAML that nearly all frontmatter is: `key: text` lines, short lists, one level of maps, folded text.
 * It knows no errors: whatever it is not sure of is left to the real parser, at a tenth of whose cost it works.
 */
import type { Json } from './json.ts';

/** Turns a plain word into what the schema makes of it; undefined when that is for the real parser to say. */
export type ScalarReader = (text: string) => Json | undefined;

type PlainMap = Record<string, Json>;

// No tab, carriage return, control, backslash or odd space; each of them means something, or is refused.
const PLAIN_TEXT =
  /^[\x20-\x5b\x5d-\x7e\n\u00a1-\u1fff\u2010-\u2027\u2030-\u205e\u2190-\u2bff\u3001-\ud7ff]*$/;
const KEY = /^[A-Za-z][A-Za-z0-9_-]{0,99}$/;
const FLOW_ITEM = /^[A-Za-z](?:[A-Za-z0-9_./ -]*[A-Za-z0-9_./-])?$/;
const WORD_START = /^[A-Za-z0-9]/;
const SPACE = 0x20;
const LINE_BREAK = 0x0a;

/** Null: not plain enough. The text ends with a line break. */
export function readPlainYaml(source: string, scalar: ScalarReader): PlainMap | null {
  if (!source.endsWith('\n') || !PLAIN_TEXT.test(source)) return null;
  const lines: Lines = { source, at: 0, scalar };
  const map: PlainMap = {};
  while (lines.at < source.length) {
    const key = readKey(lines, map);
    if (key === null) return null;
    const text = readLine(lines);
    const value =
      text === '' ? readNested(lines) : isBlock(text) ? readBlock(lines, text) : readScalar(text, scalar);
    if (value === undefined) return null;
    map[key] = value;
  }
  return map;
}

interface Lines {
  readonly source: string;
  readonly scalar: ScalarReader;
  /** Where the next unread character is. */
  at: number;
}

/** A new key at the place where the reading stands; null when there is none, or one that has a meaning or comes again. */
function readKey(lines: Lines, map: PlainMap): string | null {
  const { source } = lines;
  const colon = source.indexOf(':', lines.at);
  const key = source.slice(lines.at, colon);
  if (colon === -1 || !KEY.test(key) || Object.hasOwn(map, key) || lines.scalar(key) !== key) return null;
  const value = afterSpaces(source, colon + 1);
  if (value === colon + 1 && source.charCodeAt(value) !== LINE_BREAK) return null;
  lines.at = value;
  return key;
}

/** The rest of the line. */
function readLine(lines: Lines): string {
  const end = lines.source.indexOf('\n', lines.at);
  const text = lines.source.slice(lines.at, end);
  lines.at = end + 1;
  return text;
}

function readScalar(text: string, scalar: ScalarReader): Json | undefined {
  const first = text[0];
  if (first === '"' || first === "'") {
    return text.length > 1 && text.indexOf(first, 1) === text.length - 1 ? text.slice(1, -1) : undefined;
  }
  if (first === '[') return readFlowList(text, scalar);
  if (!WORD_START.test(text) || text.includes(': ') || text.includes(' #')) return undefined;
  return text.endsWith(':') || text.endsWith(' ') ? undefined : scalar(text);
}

function readFlowList(text: string, scalar: ScalarReader): Json | undefined {
  if (!text.endsWith(']')) return undefined;
  if (text === '[]') return [];
  const items = text
    .slice(1, -1)
    .split(',')
    .map((item) => item.trim());
  // A word that the schema makes something else of is not worth a rule here.
  return items.every((item) => FLOW_ITEM.test(item) && scalar(item) === item) ? items : undefined;
}

/** What stands indented below a key: a list of texts, or a map of them. */
function readNested(lines: Lines): Json | undefined {
  const indent = indentAt(lines);
  if (indent === 0) return undefined;
  return lines.source.startsWith('- ', lines.at + indent) ? readList(lines, indent) : readMap(lines, indent);
}

function readList(lines: Lines, indent: number): Json | undefined {
  const list: Json[] = [];
  while (indentAt(lines) > 0) {
    if (indentAt(lines) !== indent || !lines.source.startsWith('- ', lines.at + indent)) return undefined;
    lines.at += indent + 2;
    const value = readScalar(readLine(lines), lines.scalar);
    if (value === undefined) return undefined;
    list.push(value);
  }
  return list;
}

function readMap(lines: Lines, indent: number): Json | undefined {
  const map: PlainMap = {};
  while (indentAt(lines) > 0) {
    if (indentAt(lines) !== indent) return undefined;
    lines.at += indent;
    const key = readKey(lines, map);
    const value = key === null ? undefined : readScalar(readLine(lines), lines.scalar);
    if (key === null || value === undefined) return undefined;
    map[key] = value;
  }
  return map;
}

function isBlock(text: string): boolean {
  return text === '>-' || text === '|' || text === '>' || text === '|-';
}

/** Text over several lines. Blank or further indented ones have rules of their own. */
function readBlock(lines: Lines, style: string): string | undefined {
  const indent = indentAt(lines);
  const texts: string[] = [];
  while (indentAt(lines) > 0) {
    if (indentAt(lines) !== indent) return undefined;
    lines.at += indent;
    const text = readLine(lines);
    if (text === '' || text.endsWith(' ') || text.startsWith('-')) return undefined;
    texts.push(text);
  }
  if (texts.length === 0) return undefined;
  return texts.join(style.startsWith('>') ? ' ' : '\n') + (style.endsWith('-') ? '' : '\n');
}

function indentAt({ source, at }: Lines): number {
  return afterSpaces(source, at) - at;
}

function afterSpaces(source: string, start: number): number {
  let at = start;
  // Beyond the end there is NaN, which is no space.
  while (source.charCodeAt(at) === SPACE) at++;
  return at;
}
