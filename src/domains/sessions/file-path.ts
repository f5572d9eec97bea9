/** Which paths `skill_read` takes: plain, relative, inside the skill. Pure; what is on the disk is checked later. */
import type { ErrorCode } from '../../lib/errors.ts';
import { hasHiddenCharacters } from '../../lib/text.ts';

export type FilePath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

const PATH_CHARS_MAX = 1_024;

export function checkFilePath(path: string): FilePath {
  const refuse = (code: ErrorCode, message: string): FilePath => ({ ok: false, code, message });
  if (path === '' || path.length > PATH_CHARS_MAX) {
    return refuse('PATH_INVALID', `a path has 1 to ${PATH_CHARS_MAX} characters`);
  }
  if (hasHiddenCharacters(path) || /[\n\t]/.test(path) || /\p{Cs}/u.test(path)) {
    return refuse(
      'PATH_INVALID',
      'the path holds characters that cannot be seen; use the path as it was listed',
    );
  }
  if (path.includes('\\')) return refuse('PATH_INVALID', 'use / between the parts of a path');
  // Dots and slashes of other scripts, which some software folds into the plain ones.
  if (
    /%(?:2e|2f|5c|00)/i.test(path) ||
    path.normalize('NFKC').split('/').includes('..') !== path.split('/').includes('..')
  ) {
    return refuse(
      'PATH_INVALID',
      'the path is encoded or uses look-alike characters; use it as it was listed',
    );
  }
  if (path.startsWith('/') || path.startsWith('~') || /^[A-Za-z]:/.test(path)) {
    return refuse('PATH_ABSOLUTE', 'give the path relative to the skill, for example references/guide.md');
  }
  const parts = path.split('/');
  if (parts.includes('..')) return refuse('PATH_OUTSIDE', 'the path leads out of the skill');
  if (parts.includes('.') || parts.includes('')) {
    return refuse('PATH_INVALID', 'leave out empty parts and . from the path');
  }
  return { ok: true, path };
}
