/** How a path meets a pattern. Pure. */
import path from 'node:path';

import { matchesGlob } from './glob.ts';

/** `src/../.env` is no path below `src`, whatever its letters say; nor is one that a system reads differently. */
export function pathMatch(
  kind: 'prefix' | 'exact' | 'glob',
  wanted: string,
  said: string,
): 'yes' | 'part' | 'no' {
  const meets = (text: string, glob: string) => (kind === 'glob' ? matchesGlob(glob, text) : text === glob);
  const target = withoutDot(wanted);
  if (isStraight(said) && meets(withoutDot(said), target)) return 'yes';
  const real = path.posix.normalize(said.replaceAll('\\', '/')).toLowerCase();
  const candidates = [target, `/${target}`].map((glob) => glob.toLowerCase());
  const [plain = '', rooted = ''] = candidates;
  // An absolute path may lead to what a relative pattern means.
  const isTail = !path.posix.isAbsolute(target) && matchesGlob(`**${rooted}`, real);
  return meets(real, plain) || (path.posix.isAbsolute(real) && isTail) ? 'part' : 'no';
}

function isStraight(said: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a path with one of them is not what it looks like.
  if (/[\\\u0000-\u001f\u007f]/.test(said)) return false;
  return !said.split('/').includes('..');
}

function withoutDot(text: string): string {
  return text.startsWith('./') ? text.slice(2) : text;
}
