/** Cuts a file into lines that know what they stand in. Pure, and linear in the size of the text. */
import type { Region, ScanDocument, ScanFile, ScanLine } from './scan-rule.ts';

/** A line longer than this is looked at in pieces, so that no pattern ever sees an unbounded text. */
const WINDOW_CHARS = 1000;
/** What two pieces share: a match that is shorter is not cut in two. */
const OVERLAP_CHARS = 200;
/** Lines that a backslash may join into one command. */
const JOINED_LINES_MAX = 12;
/** Encoded text worth decoding, and how much of it. */
const ENCODED = /[A-Za-z0-9+/]{40,8000}={0,2}/g;
const ENCODED_BLOBS_MAX = 64;

const MARKDOWN = /\.(?:md|mdx|markdown|txt|rst)$/i;
const SCRIPT =
  /\.(?:sh|bash|zsh|fish|py|js|mjs|cjs|ts|mts|rb|pl|php|ps1|psm1|bat|cmd|lua|go|rs|swift|applescript|scpt)$/i;
const SHEBANG = /^#!/;
const FENCE = /^\s{0,12}(`{3,}|~{3,})/;
const WARNING =
  /(?:\u274c|\u26a0|\u{1f6ab})|\b(?:never|do not|don['\u2019]t|avoid|dangerous|unsafe|insecure|vulnerable|malicious|bad example|wrong|anti-?pattern|blocks|detects|refuses?|red flags?|suspicious)\b|\bBAD\b/iu;

/** Null when the bytes are no text: nothing can be said about them. */
export function readText(file: ScanFile): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(file.bytes);
    return text.includes('\0') ? null : text;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

export function documentOf(file: ScanFile, source: string): ScanDocument {
  const raw = source.split(/\r?\n/);
  const plain = MARKDOWN.test(file.path)
    ? markdownLines(raw)
    : wholeFile(raw, isScript(file.path, source) ? 'script' : 'data');
  const written = joinContinued(plain).flatMap(inWindows);
  const lines = [...written, ...decodedLines(written)];
  return {
    file: file.path,
    lines,
    text: lines.map(({ text }) => text).join('\n'),
    isWarned: (line) =>
      [raw[line - 1], raw[line - 2]].some((text) => WARNING.test(text?.slice(0, WINDOW_CHARS) ?? '')),
  };
}

/** What base64 says, where it says something: each blob as a script on the line where it stands. */
function decodedLines(lines: readonly ScanLine[]): readonly ScanLine[] {
  const found: ScanLine[] = [];
  for (const line of lines) {
    for (const [blob] of line.text.matchAll(ENCODED)) {
      if (found.length >= ENCODED_BLOBS_MAX) return found;
      const text = decode(blob);
      if (text === null) continue;
      for (const each of text.split(/\r?\n/).slice(0, JOINED_LINES_MAX))
        found.push({ ...line, region: 'script', text: each.slice(0, WINDOW_CHARS) });
    }
  }
  return found;
}

function decode(blob: string): string | null {
  const text = Buffer.from(blob, 'base64').toString('latin1');
  return /^[\x20-\x7e\n\r\t]{12,}$/.test(text) && text.includes(' ') ? text : null;
}

function isScript(path: string, text: string): boolean {
  return SCRIPT.test(path) || SHEBANG.test(text);
}

function wholeFile(lines: readonly string[], region: Region): readonly ScanLine[] {
  return lines.map((text, index) => ({ number: index + 1, region, text }));
}

function markdownLines(lines: readonly string[]): readonly ScanLine[] {
  let region: Region = /^---\s*$/.test(lines[0]?.replace(/^\ufeff/, '') ?? '') ? 'frontmatter' : 'prose';
  let fence = '';
  return lines.map((text, index) => {
    const here = { number: index + 1, text };
    if (region === 'frontmatter') {
      if (index > 0 && /^---\s*$/.test(text)) region = 'prose';
      return { ...here, region: 'frontmatter' };
    }
    const mark = FENCE.exec(text)?.[1] ?? '';
    if (region === 'code') {
      if (mark.startsWith(fence) && mark !== '') region = 'prose';
      return { ...here, region: 'code' };
    }
    if (region === 'prose' && mark !== '') {
      region = 'code';
      fence = mark;
      return { ...here, region: 'code' };
    }
    return { ...here, region: commentState(text) };
  });

  /** A comment may span lines; what a renderer hides is what an agent still reads. */
  function commentState(text: string): Region {
    const opens = text.lastIndexOf('<!--');
    const closes = text.lastIndexOf('-->');
    const was = region;
    if (opens >= 0 && opens > closes) region = 'comment';
    else if (closes >= 0) region = 'prose';
    return was === 'comment' || opens >= 0 ? 'comment' : 'prose';
  }
}

/** `curl x \⏎ | sh` is one command. */
function joinContinued(lines: readonly ScanLine[]): readonly ScanLine[] {
  const joined: ScanLine[] = [];
  let open: { line: ScanLine; count: number } | null = null;
  for (const line of lines) {
    const whole: ScanLine =
      open === null ? line : { ...open.line, text: `${open.line.text} ${line.text.trim()}` };
    const count: number = (open?.count ?? 0) + 1;
    if (line.region !== 'prose' && line.text.endsWith('\\') && count < JOINED_LINES_MAX) {
      open = { line: { ...whole, text: whole.text.slice(0, -1).trimEnd() }, count };
      continue;
    }
    joined.push(whole);
    open = null;
  }
  if (open !== null) joined.push(open.line);
  return joined;
}

function inWindows(line: ScanLine): readonly ScanLine[] {
  if (line.text.length <= WINDOW_CHARS) return [line];
  const windows: ScanLine[] = [];
  for (let start = 0; start < line.text.length; start += WINDOW_CHARS - OVERLAP_CHARS)
    windows.push({ ...line, text: line.text.slice(start, start + WINDOW_CHARS) });
  return windows;
}
