import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { onTestFinished } from 'vitest';

/** A new directory that is gone when the test that asked for it ends. */
export function temporaryDirectory(): string {
  const directory = makeTemporaryDirectory();
  onTestFinished(() => removeTree(directory));
  return directory;
}

/** For hooks, which must remove it themselves. */
export function makeTemporaryDirectory(): string {
  // Resolved, because a link on the way to the system's temporary directory would make paths differ from what code reports.
  return realpathSync(mkdtempSync(path.join(os.tmpdir(), 'colibri-test-')));
}

export function removeTree(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}
