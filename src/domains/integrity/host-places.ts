/** Which folders a host reads from one place in a project. Pure. */
import path from 'node:path';

import type { HostRule } from './host-rules.ts';
import type { ReadPlace } from './host-view.ts';

export interface Standpoint {
  /** The folder that the host is started in. */
  readonly here: string;
  /** The root of the repository around it, or the folder itself. */
  readonly top: string;
  readonly home: string;
  /** Folders below `here` that hold a folder of skills, relative, with forward slashes. */
  readonly nested: readonly string[];
}

/** In the host's order, each folder once. */
export function placesOf({ places }: HostRule, standpoint: Standpoint): readonly ReadPlace[] {
  const seen = new Set<string>();
  const found: ReadPlace[] = [];
  for (const place of places) {
    for (const { folder, nested } of foldersOf(place, standpoint)) {
      const full = path.join(folder, place.path);
      if (seen.has(full)) continue;
      seen.add(full);
      found.push({ place, path: full, nested });
    }
  }
  return found;
}

interface Base {
  readonly folder: string;
  readonly nested: string | null;
}

function foldersOf(
  { scope, reach }: HostRule['places'][number],
  { here, top, home, nested }: Standpoint,
): readonly Base[] {
  if (scope === 'system') return [{ folder: '/', nested: null }];
  if (scope === 'user') return [{ folder: home, nested: null }];
  if (reach === 'up') return upFrom(here, top).map((folder) => ({ folder, nested: null }));
  const below =
    reach === 'below' ? nested.map((each) => ({ folder: path.join(here, each), nested: each })) : [];
  return [{ folder: here, nested: null }, ...below];
}

/** From here to the top, both included. */
function upFrom(here: string, top: string): readonly string[] {
  const folders = [here];
  for (let folder = here; folder !== top && folder !== path.dirname(folder); ) {
    folder = path.dirname(folder);
    folders.push(folder);
  }
  return folders;
}
