/** Reads `~/.colibri/hooks.yaml`. Hooks come from the user's own home and from nowhere else: never from a workspace or a skill. */
import path from 'node:path';

import { messageOf, systemCodeOf } from '../../lib/errors.ts';
import { readRegularFile } from '../../lib/regular-file.ts';
import { type ParsedHooks, parseHooks } from '../events/hook.ts';

const HOOKS_BYTES_MAX = 256 * 1024;
/** Group and others may not write it. */
const WRITABLE_BY_OTHERS = 0o022;

export function readHooks(home: string, workspace: string): ParsedHooks {
  const file = path.join(home, '.colibri', 'hooks.yaml');
  // A home inside the workspace is no home: whoever wrote the workspace wrote the file.
  if (!path.relative(workspace, file).startsWith('..')) return { ok: true, hooks: [] };
  try {
    const read = readRegularFile(file, HOOKS_BYTES_MAX);
    if (!read.ok) return { ok: false, problem: `${file} cannot be read: it is ${read.reason}` };
    if ((read.stats.mode & WRITABLE_BY_OTHERS) !== 0)
      return { ok: false, problem: `${file} can be written by others; run chmod go-w on it` };
    const parsed = parseHooks(read.bytes.toString('utf8'));
    return parsed.ok ? parsed : { ok: false, problem: `${file}: ${parsed.problem}` };
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { ok: true, hooks: [] };
    if (code === undefined) throw error;
    return { ok: false, problem: `${file} cannot be read: ${messageOf(error)}` };
  }
}
