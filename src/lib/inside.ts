/**
 * Where a path really leads. A workspace may come from anybody, and a link in it would choose what is written, moved or
 * removed elsewhere.
 */
import { lstatSync } from 'node:fs';
import path from 'node:path';

import { ColibriError, systemCodeOf } from './errors.ts';
import { realPathOf } from './real-path.ts';

/** By the names alone. */
export function isInside(place: string, folder: string): boolean {
  const relative = path.relative(folder, place);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** Whether a link on the way to `place`, which need not be there yet, leads out of `folder`. What never was inside does not lead out. */
export function leadsOut(place: string, folder: string): boolean {
  if (!isInside(place, folder)) return false;
  let there = place;
  while (there !== folder && !standsAt(there)) there = path.dirname(there);
  const [real, whole] = [realPathOf(there), realPathOf(folder)];
  // A link to nothing leads to what a write would make.
  return whole !== null && (real === null || !isInside(real, whole));
}

/** To be asked before `place` is written, moved or removed. */
export function requireInside(place: string, folder: string): void {
  if (!leadsOut(place, folder)) return;
  const message = `${place} leads out of ${folder} through a link, so nothing is written there; remove the link, or name the place it leads to`;
  throw new ColibriError('LINK_OUTSIDE', message, { path: place, folder });
}

/** What cannot be looked at, such as what is below a file or a loop, is judged by the folder before it. */
function standsAt(place: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return false;
  }
}
