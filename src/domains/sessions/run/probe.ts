/** Whether bubblewrap is here and really isolates: tried out once, by the same way that scripts go. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { ColibriError, messageOf, systemCodeOf } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { environmentOf } from './environment.ts';
import { type Bubblewrap, findBubblewrap, findInterpreter, type ScriptHost } from './host.ts';
import { SYSTEM_FOLDERS } from './interpreter.ts';
import { resolveLimits } from './limits.ts';
import { judgeProbe, PROBE_SCRIPT } from './probe-script.ts';
import { WORK_PLACE } from './sandbox.ts';
import { createRunFolder, removeRunFolder } from './scratch.ts';
import { startSandboxed } from './start-sandboxed.ts';
import { supervise } from './supervise.ts';
import { systemCallFilter } from './system-calls.ts';

export type SandboxState =
  | { readonly usable: true; readonly bubblewrap: Bubblewrap }
  | { readonly usable: false; readonly reason: string };

export interface ScriptRuntime extends ScriptHost {
  /** Looks once; a refusal is looked at again after a while, since somebody may have installed what was missing. */
  sandbox(): Promise<SandboxState>;
}

const RETRY_MS = 10_000;
const PROBE_LIMITS = { timeMs: 10_000, outputBytesMax: 4_096 };

export function createScriptRuntime(
  host: ScriptHost,
  { programFolders = SYSTEM_FOLDERS }: { readonly programFolders?: readonly string[] } = {},
): ScriptRuntime {
  let state: Promise<SandboxState> | null = null;
  let retryAt = Number.POSITIVE_INFINITY;
  const look = async (): Promise<SandboxState> => {
    const found = await probeSandbox(host, programFolders);
    retryAt = found.usable ? Number.POSITIVE_INFINITY : host.clock.monotonic() + RETRY_MS;
    return found;
  };
  return {
    ...host,
    sandbox() {
      if (state === null || host.clock.monotonic() >= retryAt) {
        retryAt = Number.POSITIVE_INFINITY;
        state = look();
      }
      return state;
    },
  };
}

async function probeSandbox(host: ScriptHost, programFolders: readonly string[]): Promise<SandboxState> {
  const bubblewrap = await findBubblewrap(programFolders);
  if ('reason' in bubblewrap) return { usable: false, reason: bubblewrap.reason };
  try {
    const reason = await tryOut(host, bubblewrap);
    return reason === null ? { usable: true, bubblewrap } : { usable: false, reason };
  } catch (error) {
    if (!(error instanceof ColibriError) && systemCodeOf(error) === undefined) throw error;
    return { usable: false, reason: messageOf(error) };
  }
}

async function tryOut(host: ScriptHost, bubblewrap: Bubblewrap): Promise<string | null> {
  const folder = createRunFolder(host.scratchRoot, host.ids.ulid());
  try {
    const skill = path.join(folder.path, 'skill');
    mkdirSync(skill, { mode: 0o755 });
    writeFileSync(path.join(skill, 'probe.sh'), PROBE_SCRIPT, { mode: 0o644 });
    const limits = resolveLimits(PROBE_LIMITS);
    const interpreter = findInterpreter('sh');
    const run = await startSandboxed({
      bubblewrap,
      interpreter,
      command: [interpreter.inside, '/skill/probe.sh'],
      skill,
      folder: folder.path,
      environment: environmentOf(WORK_PLACE, {}),
      network: false,
      limits,
      stdin: undefined,
    });
    const { code, stdout, stderr } = await supervise(run, { limits, clock: host.clock });
    run.release();
    const complaint = judgeProbe(stdout.bytes.toString(), { filtered: hasFilter() });
    if (complaint !== null) return `bubblewrap does not isolate here: ${complaint}`;
    return code === 0 ? null : `the probe ended with ${code}: ${printable(stderr.bytes.toString())}`;
  } finally {
    removeRunFolder(folder.path);
  }
}

function hasFilter(): boolean {
  return systemCallFilter(process.arch, { network: false }) !== null;
}
