/** The tree of the code: what stands where, and the few files that may do what others may not. */
import path from 'node:path';

/** A domain may import those before it. A new domain takes its place in this list. */
export const DOMAIN_ORDER: readonly string[] = [
  'events',
  'skills',
  'policy',
  'sessions',
  'integrity',
  'agents',
  'tasks',
];

/** Files of a domain that touch the world by design, each with its reason; all others are deciders and stay pure. */
export const IO_FILES: ReadonlyMap<string, string> = new Map([
  ['src/domains/skills/disk.ts', 'lists the directories of a root'],
  ['src/domains/skills/skill-file.ts', 'reads one SKILL.md without blocking and within its limits'],
  ['src/domains/skills/skill-tree.ts', 'counts the files and bytes of a skill folder'],
  ['src/domains/skills/inspect.ts', 'looks at a folder the user names, for `colibri validate`'],
]);

/** `<file>` or `<file>#<function>` beyond the size limits. This list only shrinks. */
export const SIZE_EXCEPTIONS: readonly string[] = [];

/** Own functions of other files that a module may call while it loads, because they only build a value. */
export const PURE_FACTORIES: ReadonlySet<string> = new Set(['createMutexRegistry', 'preparedOnce']);

export type Place =
  | { readonly layer: 'lib' | 'db' | 'kernel' | 'config' | 'startup' | 'cli-entry' | 'library-entry' }
  | { readonly layer: 'domain' | 'surface'; readonly name: string }
  | { readonly layer: 'unknown' };

export function placeOf(file: string): Place {
  const [root, folder = '', name = '', ...rest] = file.split('/');
  if (root !== 'src') return { layer: 'unknown' };
  if (folder === 'lib' && name !== '') return { layer: 'lib' };
  if (folder === 'db' && name !== '') return { layer: 'db' };
  if (folder === 'domains' && rest.length > 0) return { layer: 'domain', name };
  if (folder === 'surfaces' && rest.length > 0) return { layer: 'surface', name };
  return placeOfRootFile(file);
}

function placeOfRootFile(file: string): Place {
  switch (file) {
    case 'src/server.ts':
      return { layer: 'kernel' };
    case 'src/config.ts':
      return { layer: 'config' };
    case 'src/startup.ts':
      return { layer: 'startup' };
    case 'src/cli.ts':
      return { layer: 'cli-entry' };
    case 'src/library.ts':
      return { layer: 'library-entry' };
    default:
      return { layer: 'unknown' };
  }
}

export function isRepository(file: string): boolean {
  return placeOf(file).layer === 'domain' && /^(?:.+-)?repository\.ts$/.test(path.posix.basename(file));
}

/** A file of a domain that only computes: neither stores, nor answers tools, nor is listed as touching the world. */
export function isDecider(file: string): boolean {
  if (placeOf(file).layer !== 'domain' || isRepository(file) || IO_FILES.has(file)) return false;
  return !/^(?:(?:.+-)?service|tools|schema)\.ts$/.test(path.posix.basename(file));
}
