/** Puts the files of a skill in place: written beside it first, then moved there as a whole. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { ColibriError, messageOf } from '../../../lib/errors.ts';
import type { ScanFile } from '../scan/scan-rule.ts';

export interface SkillWrite {
  /** The root, absolute. */
  readonly root: string;
  readonly name: string;
  readonly files: readonly ScanFile[];
  /** Names the folders that are in use meanwhile. */
  readonly mark: string;
  readonly change: 'new' | 'changed';
}

/** Folders that begin with a dot are no skills, so a half-written one is never seen. */
export function writeSkillFolder({ root, name, files, mark, change }: SkillWrite): string {
  const target = path.join(root, name);
  const fresh = path.join(root, `.colibri-new-${mark}`);
  const old = path.join(root, `.colibri-old-${mark}`);
  try {
    mkdirSync(root, { recursive: true });
    // Nobody has been here before: a link that lies there would be followed.
    mkdirSync(fresh);
    for (const { path: file, bytes } of files) {
      const place = path.join(fresh, file);
      mkdirSync(path.dirname(place), { recursive: true });
      writeFileSync(place, bytes, { flag: 'wx', flush: true });
    }
    if (change === 'new') moveNew(fresh, target, name);
    else swap({ fresh, target, old });
    return target;
  } catch (error) {
    if (error instanceof ColibriError) throw error;
    throw new ColibriError('WRITE_FAILED', `${name} could not be written: ${messageOf(error)}`, { name });
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function moveNew(fresh: string, target: string, name: string): void {
  // An empty folder would be replaced silently by a rename.
  if (existsSync(target))
    throw new ColibriError('SKILL_EXISTS', `there is a folder named ${name} already; choose another name`, {
      name,
    });
  renameSync(fresh, target);
}

function swap({
  fresh,
  target,
  old,
}: {
  readonly fresh: string;
  readonly target: string;
  readonly old: string;
}): void {
  renameSync(target, old);
  try {
    renameSync(fresh, target);
  } catch (error) {
    renameSync(old, target);
    throw error;
  }
  rmSync(old, { recursive: true, force: true });
}
