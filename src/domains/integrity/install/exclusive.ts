import { existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { tryFileLock } from '../../../db/file-lock.ts';
import { replaceFile } from '../../../lib/durable-file.ts';
import { ColibriError, messageOf } from '../../../lib/errors.ts';
import { isInside, requireInside } from '../../../lib/inside.ts';
import type { Place } from './place.ts';
import { recover, removeScratch } from './transaction.ts';

/** How long somebody else may go on before we give up. */
const WAIT_MS = 10_000;
const WAIT_STEP_MS = 50;

/** One command at a time; what a killed one has left is ended first. */
export async function exclusively<T>(place: Place, work: () => Promise<T>): Promise<T> {
  prepareState(place);
  const held = await waitForLock(path.join(place.state, 'busy'));
  try {
    recover(place);
    return await work();
  } finally {
    removeScratch(place);
    held.release();
  }
}

/** A workspace may come from anybody: a link in it must not choose where we write and delete. */
function prepareState({ base, state }: Place): void {
  let why: string | null = null;
  try {
    // Before anything is made: a folder would be made where the link leads.
    requireInside(state, base);
    mkdirSync(state, { recursive: true });
    const inPlace = path.join(realpathSync(base), path.relative(base, state));
    if (isInside(state, base) && realpathSync(state) !== inPlace) why = 'a folder on the way is a link';
    why ??= linkIn(state, '') ?? linkIn(state, 'moving');
    const ignore = path.join(state, '.gitignore');
    // None of it belongs into version control.
    if (why === null && !existsSync(ignore)) replaceFile(ignore, '*\n');
  } catch (error) {
    why = messageOf(error);
  }
  if (why === null) return;
  const message = `${state} cannot be used by the installer: ${why}`;
  throw new ColibriError('INSTALL_PLACE', message, { folder: state });
}

/** The installer makes none. */
function linkIn(state: string, folder: string): string | null {
  const place = path.join(state, folder);
  const entries = existsSync(place) ? readdirSync(place, { withFileTypes: true }) : [];
  const link = entries.find((entry) => entry.isSymbolicLink());
  return link === undefined ? null : `${path.posix.join(folder, link.name)} is a link; remove it`;
}

async function waitForLock(file: string): Promise<{ release(): void }> {
  for (let waited = 0; waited <= WAIT_MS; waited += WAIT_STEP_MS) {
    const held = tryFileLock(file);
    if (held !== null) return held;
    await sleep(WAIT_STEP_MS);
  }
  throw new ColibriError(
    'INSTALL_BUSY',
    'another process is installing skills here; try again when it has finished',
    {
      file,
    },
  );
}
