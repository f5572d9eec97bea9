/** Links of a SKILL.md to files beside it. Pure. */
import path from 'node:path';

export interface DeadLink {
  readonly target: string;
  /** 1-based. */
  readonly line: number;
  readonly why: 'missing' | 'outside';
}

const FENCE = /^\s{0,12}(?:`{3,}|~{3,})/;
const LINK = /\]\(\s{0,3}<?([^)<>\s]{1,400})>?(?:\s[^)]{0,200})?\)/g;
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|#|\/|\/\/)/i;
/** A place that the reader is to fill in. */
const PLACEHOLDER = /[{}$<>*|]|\.\.\.|^(?:url|link|path|file)$/i;

/** `files` are those of the skill, relative to its folder. */
export function deadLinks(text: string, files: ReadonlySet<string>): readonly DeadLink[] {
  const folders = new Set([...files].flatMap(foldersOf));
  const found: DeadLink[] = [];
  let fenced = false;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (FENCE.test(line)) fenced = !fenced;
    if (fenced) continue;
    for (const [, target = ''] of line.replace(/`[^`]{0,300}`/g, '').matchAll(LINK)) {
      const why = judge(target, files, folders);
      if (why !== null) found.push({ target, line: index + 1, why });
    }
  }
  return found;
}

function judge(
  target: string,
  files: ReadonlySet<string>,
  folders: ReadonlySet<string>,
): DeadLink['why'] | null {
  if (ELSEWHERE.test(target) || PLACEHOLDER.test(target)) return null;
  const place = path.posix.normalize(decoded(target.replace(/[?#].*$/, ''))).replace(/\/$/, '');
  if (place === '.' || place === '') return null;
  if (place.startsWith('..')) return 'outside';
  return files.has(place) || folders.has(place) ? null : 'missing';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

function foldersOf(file: string): readonly string[] {
  const folders: string[] = [];
  for (let at = file.indexOf('/'); at !== -1; at = file.indexOf('/', at + 1)) folders.push(file.slice(0, at));
  return folders;
}
