/** Where installed skills lie, and where the installer keeps its own things. Pure. */
import path from 'node:path';

import { isInside } from '../../../lib/inside.ts';
import { LOCK_FILE } from './lock.ts';

export interface Place {
  /** The folder that the lock file stands in; paths in the lock are relative to it. */
  readonly base: string;
  /** Where agents look for skills. */
  readonly root: string;
  readonly lockFile: string;
  /** Outside of every root, on the same file system: what is being installed, and pristine copies. */
  readonly state: string;
}

/** `base` is the workspace, or `~/.agents` for skills of the user. */
export function installPlace(base: string, root: string): Place {
  const inside = isInside(root, base);
  return {
    base,
    root,
    lockFile: path.join(base, LOCK_FILE),
    // A root that was configured elsewhere may lie on another file system, where nothing could be moved to.
    state: inside
      ? path.join(base, '.colibri', 'install')
      : path.join(path.dirname(root), '.colibri-install'),
  };
}
