import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Ask } from '../../../domains/sessions/asking.ts';
import { ColibriError, systemCodeOf } from '../../../lib/errors.ts';
import { requireInside } from '../../../lib/inside.ts';
import { printable, printableBlock } from '../../../lib/text.ts';
import { type Answer, requireAnswer } from '../answer.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';
import { withRuntime } from '../runtime.ts';
import { requireSession } from '../session-id.ts';
import { plural } from '../wording.ts';

const MS = 1_000;
const SECONDS_MAX = 60;

interface Ran {
  readonly exit_code: number | null;
  readonly stopped: string | null;
  readonly files: readonly { readonly path: string; readonly size: number; readonly digest: string }[];
}

/** Runs a script of a skill as an agent could: in the sandbox, by the policy, on the record of a session. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out, host } = context;
  const [name = '', script = '', ...words] = args;
  const named = flags.values.get('out');
  const folder = named === undefined ? undefined : path.resolve(host.cwd, named);
  const seconds = wholeNumber(flags, 'timeout', { min: 1, max: SECONDS_MAX });
  const run = async (runtime: BootedRuntime): Promise<ExitCode> => {
    const session = await openSession(runtime, flags.values.get('session'));
    try {
      await call(runtime, 'skill_invoke', { input: { name, session_id: session.id } });
      const input = {
        name,
        script,
        args: words,
        session_id: session.id,
        ...(seconds === undefined ? {} : { timeout_ms: seconds * MS }),
      };
      const answer = await call(runtime, 'skill_run', { input, ask: host.ask });
      // `skill_run` has put them there.
      const ran = answer.data as Ran;
      await writeFiles(runtime, ran, folder);
      if (flags.switches.has('json')) out.json({ session: session.id, ...ran, text: answer.text ?? '' });
      else out.lines([printableBlock(answer.text ?? '').trimEnd()].filter((text) => text !== ''));
      if (ran.files.length > 0 && folder === undefined)
        out.note(`it left ${plural(ran.files.length, 'file')}; --out <dir> keeps them`);
      return ran.exit_code === 0 ? EXIT.ok : EXIT.findings;
    } finally {
      if (session.own) await runtime.sessions.close(session.id);
    }
  };
  return withRuntime(context, run, { trace: true });
}

async function openSession(
  runtime: BootedRuntime,
  typed: string | undefined,
): Promise<{ readonly id: string; readonly own: boolean }> {
  if (typed !== undefined) return { id: (await requireSession(runtime, typed)).id, own: false };
  return { id: (await runtime.sessions.open({ agent_tier: 'T0', agent_id: 'cli' }, 'T0')).id, own: true };
}

async function call(
  { ctx, config, sessions }: BootedRuntime,
  tool: 'skill_invoke' | 'skill_run',
  { input, ask }: { readonly input: object; readonly ask?: Ask | undefined },
): Promise<Answer> {
  const found = ctx.tools.get(tool);
  if (found === undefined) {
    const message = `the surface ${config.surface} runs no scripts; set surface to full`;
    throw new ColibriError('TOOL_UNKNOWN', message);
  }
  return requireAnswer(await sessions.callAsking(found, input, { request: { door: 'cli' }, ask }));
}

/** Files that the run left. Their paths were checked when they were collected; existing ones are never overwritten, links of the workspace not followed. */
async function writeFiles(
  { events, config }: BootedRuntime,
  { files }: Ran,
  folder: string | undefined,
): Promise<void> {
  if (folder === undefined) return;
  for (const { path: relative, digest } of files) {
    const bytes = await events.artifact(digest);
    if (bytes === null) throw new ColibriError('ARTIFACT_MISSING', `artifact ${digest} is gone`, { digest });
    const target = path.join(folder, relative);
    requireInside(target, config.workspace);
    mkdirSync(path.dirname(target), { recursive: true });
    try {
      writeFileSync(target, bytes, { flag: 'wx' });
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
      const message = `${printable(target)} exists already; choose another folder for --out`;
      throw new ColibriError('USAGE', message, { path: target });
    }
  }
}
