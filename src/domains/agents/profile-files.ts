/** The files of profiles: `.colibri/agents/<agent_type>.yaml` of the workspace and of the user's home. */
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { sha256Hex } from '../../lib/digest.ts';
import { replaceFile } from '../../lib/durable-file.ts';
import { messageOf, systemCodeOf } from '../../lib/errors.ts';
import { requireInside } from '../../lib/inside.ts';
import { readRegularFile } from '../../lib/regular-file.ts';
import { type ParsedProfile, parseProfile } from './profile.ts';

export const PROFILE_FOLDER: string = path.join('.colibri', 'agents');

const PROFILE_BYTES_MAX = 64 * 1_024;
/** More profiles than anybody tells apart. */
const PROFILES_MAX = 500;

export interface ProfileFile {
  /** Absolute. */
  readonly path: string;
  /** sha256 of the bytes that were parsed; null when they could not be read. */
  readonly digest: string | null;
  readonly parsed: ParsedProfile;
}

/** The files that hold profiles, whether they can be read or not; in order of their names. */
export function listProfileFiles(root: string): readonly string[] {
  const folder = path.join(root, PROFILE_FOLDER);
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.yaml'))
      .sort()
      .slice(0, PROFILES_MAX)
      .map((name) => path.join(folder, name));
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

export function readProfileFile(file: string): ProfileFile {
  const refuse = (problem: string): ProfileFile => ({
    path: file,
    digest: null,
    parsed: { ok: false, problem },
  });
  try {
    const read = readRegularFile(file, PROFILE_BYTES_MAX);
    if (!read.ok) return refuse(`cannot be read: it is ${read.reason}`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(read.bytes);
    return { path: file, digest: sha256Hex(read.bytes), parsed: parseProfile(text, file) };
  } catch (error) {
    if (error instanceof TypeError) return refuse('is not UTF-8 text; save it as UTF-8');
    if (systemCodeOf(error) === undefined) throw error;
    return refuse(`cannot be read: ${messageOf(error)}`);
  }
}

/** Written whole or not at all: a reader never sees half a profile. */
export function writeProfileFile(root: string, name: string, text: string): string {
  const folder = path.join(root, PROFILE_FOLDER);
  const file = path.join(folder, `${name}.yaml`);
  requireInside(folder, root);
  mkdirSync(folder, { recursive: true });
  replaceFile(file, text);
  return file;
}
