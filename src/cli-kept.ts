/** Answers `colibri list` for a program that reads it, from a bundle that can do nothing else. */
import { findKeptList } from './startup-kept.ts';
import { EXIT, type ExitCode, type Flags } from './surfaces/cli/command.ts';
import { GLOBAL_OPTIONS } from './surfaces/cli/common-options.ts';
import { directStdout } from './surfaces/cli/direct-stdout.ts';
import { finish } from './surfaces/cli/finish.ts';
import { createOutput } from './surfaces/cli/output.ts';
import { plainFlags } from './surfaces/cli/plain-words.ts';

/** With others the answer is another one. */
const OPTIONS = GLOBAL_OPTIONS.filter(({ flag }) =>
  ['--workspace', '--db', '--json', '--no-color', '--quiet'].includes(flag),
);

/** Null when it takes more than that; nothing was printed then. */
export async function answerKept(own: NodeJS.Process, build: string): Promise<ExitCode | null> {
  const flags = plainFlags(own.argv.slice(3), OPTIONS);
  const stdout = flags === null ? null : directStdout(own);
  if (flags === null || stdout === null) return null;
  const kept = await find(own, { flags, build });
  if (kept === null) return null;
  const out = createOutput({
    streams: {
      stdout,
      get stderr() {
        return own.stderr;
      },
    },
    env: own.env,
    noColor: flags.switches.has('no-color'),
    quiet: flags.switches.has('quiet'),
  });
  out.bytes(kept.text);
  if (kept.note !== null) out.note(kept.note);
  return finish(out, EXIT.ok);
}

async function find(
  own: NodeJS.Process,
  { flags, build }: { readonly flags: Flags; readonly build: string },
): ReturnType<typeof findKeptList> {
  const { values, switches } = flags;
  const places = {
    cwd: own.cwd(),
    env: own.env,
    workspace: values.get('workspace'),
    dbPath: values.get('db'),
  };
  try {
    return await findKeptList(places, { form: switches.has('json') ? 'json' : 'lines', build });
  } catch {
    // Something is wrong, or takes code that this bundle does not hold: whoever makes the list says or does it.
    return null;
  }
}
