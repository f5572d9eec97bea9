/** Runs a command of the user's own with the limits and the cleaning up of a script, and with the user's rights. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { environmentOf } from './environment.ts';
import { resolveLimits } from './limits.ts';
import type { ScriptRuntime } from './probe.ts';
import { createRunFolder, removeRunFolder } from './scratch.ts';
import { startPlain } from './start-plain.ts';
import { type EndedRun, supervise } from './supervise.ts';

export interface CommandRequest {
  readonly command: readonly string[];
  readonly stdin: Uint8Array;
  readonly timeMs: number;
  /** Its HOME: the command is the user's, so are the files that it needs. */
  readonly home: string;
  readonly signal?: AbortSignal | undefined;
}

export async function runCommand(request: CommandRequest, runtime: ScriptRuntime): Promise<EndedRun> {
  const limits = resolveLimits({ timeMs: request.timeMs });
  const folder = createRunFolder(runtime.scratchRoot, runtime.ids.ulid());
  try {
    const work = path.join(folder.path, 'work');
    mkdirSync(work, { mode: 0o700 });
    const run = await startPlain({
      id: folder.id,
      command: request.command,
      work,
      folder: folder.path,
      environment: environmentOf(request.home, {}),
      limits,
      stdin: request.stdin,
    });
    return await supervise(run, { limits, clock: runtime.clock, signal: request.signal });
  } finally {
    removeRunFolder(folder.path);
  }
}
