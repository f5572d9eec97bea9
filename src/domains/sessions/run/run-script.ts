/** Runs one script of a skill so that it can do only what was allowed, and says exactly what happened. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { ColibriError } from '../../../lib/errors.ts';
import type { Captured } from './capture.ts';
import { checkGrants, environmentOf, type Grants } from './environment.ts';
import { type Bubblewrap, findInterpreter, type Program } from './host.ts';
import { chooseInterpreter, type Interpreter } from './interpreter.ts';
import { checkInput, type RunLimits, resolveLimits, SCRIPT_BYTES_MAX } from './limits.ts';
import { checkScriptPath, copyPinnedFiles, type PinnedCopy, type PinnedSkill } from './pinned-files.ts';
import type { ScriptRuntime } from './probe.ts';
import { SKILL_PLACE, WORK_PLACE } from './sandbox.ts';
import { createRunFolder, type RunFolder, removeRunFolder } from './scratch.ts';
import { startPlain } from './start-plain.ts';
import { startSandboxed } from './start-sandboxed.ts';
import { type EndedRun, type StopReason, supervise } from './supervise.ts';
import { collectWorkFiles, type WorkFiles } from './work-files.ts';

export interface RunRequest {
  readonly skill: PinnedSkill;
  /** As it was listed, for example `scripts/extract.py`. */
  readonly script: string;
  readonly args?: readonly string[];
  readonly stdin?: Uint8Array;
  /** Variables the policy granted, beside PATH, HOME and LANG. */
  readonly env?: Grants;
  readonly network?: boolean;
  readonly limits?: Partial<RunLimits>;
  /** `none` only when the policy allowed this run unsandboxed. */
  readonly sandbox: 'bubblewrap' | 'none';
  /** Ends the run early. */
  readonly signal?: AbortSignal;
}

export interface RunResult extends WorkFiles {
  readonly id: string;
  readonly sandbox: 'bubblewrap' | 'none';
  /** Null when the run was killed. In a sandbox a script that died of signal n ends with 128 + n. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why we ended the run, if we did. */
  readonly stopped: StopReason | null;
  readonly timedOut: boolean;
  /** Whether a part of stdout or stderr is missing. */
  readonly truncated: boolean;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly durationMs: number;
  /** What ran, as seen from inside. */
  readonly argv: readonly string[];
  /** sha256, hex: the script, and path and content of every file of the skill. */
  readonly digests: { readonly script: string; readonly files: string };
}

export async function runScript(request: RunRequest, runtime: ScriptRuntime): Promise<RunResult> {
  const { args = [], env = {} } = request;
  const limits = resolveLimits(request.limits ?? {});
  checkScriptPath(request.script, request.skill.files);
  checkInput(args, request.stdin);
  checkGrants(env);
  const bubblewrap = request.sandbox === 'none' ? null : await requireSandbox(runtime);
  const folder = createRunFolder(runtime.scratchRoot, runtime.ids.ulid());
  try {
    const copy = copyPinnedFiles(request.skill, path.join(folder.path, 'skill'), { script: request.script });
    if (copy.script.length > SCRIPT_BYTES_MAX) throw tooLong(request.script, copy.script.length);
    const interpreter = chooseInterpreter(request.script, copy.script);
    const prepared = { request, limits, folder, interpreter, program: findInterpreter(interpreter.name) };
    const done =
      bubblewrap === null
        ? await runPlain(prepared, runtime)
        : await runSandboxed(prepared, { bubblewrap, runtime });
    return resultOf(request.sandbox, { ...done, copy, id: folder.id });
  } finally {
    removeRunFolder(folder.path);
  }
}

interface Prepared {
  readonly request: RunRequest;
  readonly limits: RunLimits;
  readonly folder: RunFolder;
  readonly interpreter: Interpreter;
  readonly program: Program;
}

interface Done {
  readonly argv: readonly string[];
  readonly ended: EndedRun;
  readonly work: WorkFiles;
}

async function runSandboxed(
  { request, limits, folder, interpreter, program }: Prepared,
  { bubblewrap, runtime }: { readonly bubblewrap: Bubblewrap; readonly runtime: ScriptRuntime },
): Promise<Done> {
  const argv = commandOf(request, interpreter, { program: program.inside, skill: SKILL_PLACE });
  const run = await startSandboxed({
    bubblewrap,
    interpreter: program,
    command: argv,
    skill: path.join(folder.path, 'skill'),
    folder: folder.path,
    environment: environmentOf(WORK_PLACE, request.env ?? {}),
    network: request.network ?? false,
    limits,
    stdin: request.stdin,
  });
  try {
    const ended = await supervise(run, { limits, clock: runtime.clock, signal: request.signal });
    return { argv, ended, work: collectWorkFiles(run.work, limits) };
  } finally {
    run.release();
  }
}

async function runPlain(
  { request, limits, folder, interpreter, program }: Prepared,
  runtime: ScriptRuntime,
): Promise<Done> {
  const work = path.join(folder.path, 'work');
  mkdirSync(work, { mode: 0o700 });
  const argv = commandOf(request, interpreter, {
    program: program.path,
    skill: path.join(folder.path, 'skill'),
  });
  const run = await startPlain({
    id: folder.id,
    command: argv,
    work,
    folder: folder.path,
    environment: environmentOf(work, request.env ?? {}),
    limits,
    stdin: request.stdin,
  });
  const ended = await supervise(run, { limits, clock: runtime.clock, signal: request.signal });
  return { argv, ended, work: collectWorkFiles(work, limits) };
}

function commandOf(
  { script, args = [] }: RunRequest,
  { flags }: Interpreter,
  { program, skill }: { readonly program: string; readonly skill: string },
): readonly string[] {
  // The script's path is absolute and everything after it belongs to the script, so no argument becomes an option.
  return [program, ...flags, `${skill}/${script}`, ...args];
}

async function requireSandbox(runtime: ScriptRuntime): Promise<Bubblewrap> {
  const state = await runtime.sandbox();
  if (state.usable) return state.bubblewrap;
  const message = `scripts run in a sandbox only, and there is none: ${state.reason}; or let the policy allow this skill to run unsandboxed`;
  throw new ColibriError('SANDBOX_MISSING', message, { reason: state.reason });
}

function resultOf(
  sandbox: RunResult['sandbox'],
  { ended, work, argv, copy, id }: Done & { readonly copy: PinnedCopy; readonly id: string },
): RunResult {
  const { stopped, stdout, stderr, durationMs } = ended;
  return {
    id,
    sandbox,
    exitCode: stopped === null ? ended.code : null,
    signal: stopped === null ? ended.signal : 'SIGKILL',
    stopped,
    timedOut: stopped === 'time',
    truncated: stdout.truncated || stderr.truncated,
    stdout,
    stderr,
    durationMs,
    argv,
    digests: { script: copy.scriptDigest, files: copy.filesDigest },
    ...work,
  };
}

function tooLong(script: string, bytes: number): ColibriError {
  const message = `${script} has ${bytes} bytes; a script may have ${SCRIPT_BYTES_MAX}`;
  return new ColibriError('RUN_LIMIT', message, { script, bytes });
}
