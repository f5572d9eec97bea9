/** Copies of installed files as they came, by digest: what a later update compares a user's edits with. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { sha256Hex } from '../../../lib/digest.ts';
import { replaceFile } from '../../../lib/durable-file.ts';
import { regularBytes } from '../../../lib/regular-file.ts';
import { TREE_BYTES_MAX } from '../../skills/skill-tree.ts';
import type { BundleFile } from './bundle.ts';
import type { Lock } from './lock.ts';
import type { Place } from './place.ts';

export function keepPristine(place: Place, files: readonly BundleFile[]): void {
  const folder = folderOf(place);
  mkdirSync(folder, { recursive: true });
  for (const { bytes } of files) replaceFile(path.join(folder, sha256Hex(bytes)), bytes);
}

/** Null when it is not there, or not what it was: then nothing is merged by it. */
export function readPristine(place: Place, sha256: string): Buffer | null {
  const bytes = regularBytes(path.join(folderOf(place), sha256), TREE_BYTES_MAX);
  return bytes !== null && sha256Hex(bytes) === sha256 ? bytes : null;
}

/** Removes what no entry of the lock names any more. */
export function prunePristine(place: Place, { skills }: Lock): void {
  const folder = folderOf(place);
  mkdirSync(folder, { recursive: true });
  const named = new Set(
    Object.values(skills).flatMap(({ files }) => Object.values(files).map(({ sha256 }) => sha256)),
  );
  for (const name of readdirSync(folder))
    if (!named.has(name)) rmSync(path.join(folder, name), { force: true });
}

function folderOf({ state }: Place): string {
  return path.join(state, 'pristine');
}
