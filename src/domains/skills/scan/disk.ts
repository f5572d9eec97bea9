/** Which directories of a root may hold a skill. Looks at names and links only; opens no file. */
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

import type { Diagnostic } from '../../../lib/diagnostics.ts';
import { ColibriError, messageOf, systemCodeOf } from '../../../lib/errors.ts';
import type { DiagnosticCode } from '../diagnostic-codes.ts';
import { isPassedOver } from './root-snapshot.ts';

export interface SkillDirectory {
  readonly name: string;
  readonly path: string;
}

export interface RootListing {
  /** Sorted by name, so that the same files always give the same order. */
  readonly directories: readonly SkillDirectory[];
  /** Entries that were left out and why. */
  readonly refused: readonly Diagnostic<DiagnosticCode>[];
}

/** A missing root is no error: a fresh checkout has none. One that cannot be looked at is. */
export function rootExists(root: string): boolean {
  try {
    return statSync(root, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw unreadable(root, error);
  }
}

/** Throws when the root itself cannot be read; what is wrong with one entry never stops the others. */
export function listRoot(root: string): RootListing {
  try {
    return list(root);
  } catch (error) {
    throw unreadable(root, error);
  }
}

function list(root: string): RootListing {
  const directories: SkillDirectory[] = [];
  const refused: Diagnostic<DiagnosticCode>[] = [];
  const entries = readdirSync(root, { withFileTypes: true }).filter(isCandidate);
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  let realRoot: string | undefined;
  for (const entry of entries) {
    const entryPath = path.join(root, entry.name);
    if (entry.name.includes('\ufffd')) {
      refused.push(refusal('name-encoding', entryPath, 'directory name is not valid UTF-8; rename it'));
      continue;
    }
    if (entry.isDirectory()) {
      directories.push({ name: entry.name, path: entryPath });
      continue;
    }
    realRoot ??= realpathSync(root);
    const link = followLink(entryPath, realRoot);
    if (link.kind === 'directory') directories.push({ name: entry.name, path: link.target });
    if (link.kind === 'refused') refused.push(link.diagnostic);
  }
  return { directories, refused };
}

function isCandidate(entry: Dirent): boolean {
  if (isPassedOver(entry.name)) return false;
  return entry.isDirectory() || entry.isSymbolicLink();
}

type Link =
  | { readonly kind: 'directory'; readonly target: string }
  | { readonly kind: 'alias' }
  | { readonly kind: 'file' }
  | { readonly kind: 'refused'; readonly diagnostic: Diagnostic<DiagnosticCode> };

/** A link counts as a directory when it stays inside the root; one to a sibling that is listed anyway is an alias. */
function followLink(linkPath: string, realRoot: string): Link {
  let target: string;
  try {
    target = realpathSync(linkPath);
    // A link to a file is as little a skill as a file is.
    if (!statSync(target).isDirectory()) return { kind: 'file' };
  } catch (error) {
    const why = systemCodeOf(error) === 'ENOENT' ? 'points to nothing' : messageOf(error);
    return {
      kind: 'refused',
      diagnostic: refusal('link-broken', linkPath, `link ${why}; remove or repair it`),
    };
  }
  const relative = path.relative(realRoot, target);
  if (relative === '' || relative === '..' || relative.startsWith(`..${path.sep}`)) {
    const message =
      'link leads out of the skills root; copy the skill here or configure its folder as a root';
    return { kind: 'refused', diagnostic: refusal('link-outside', linkPath, message) };
  }
  const isListedSibling = !relative.includes(path.sep) && !relative.startsWith('.');
  return isListedSibling ? { kind: 'alias' } : { kind: 'directory', target };
}

function refusal(code: DiagnosticCode, file: string, message: string): Diagnostic<DiagnosticCode> {
  return { code, severity: 'error', file, message };
}

function unreadable(root: string, error: unknown): ColibriError {
  const message = `skills root ${root} cannot be read (${messageOf(error)}); check the path and its permissions`;
  return new ColibriError('ROOT_UNREADABLE', message, { root, cause: systemCodeOf(error) }, { cause: error });
}
