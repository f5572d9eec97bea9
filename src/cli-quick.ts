/** Answers the commands that need little of the program, or their beginning, from a bundle that holds no more than that. */
import { systemCodeOf } from './lib/errors.ts';
import { readVersion } from './lib/version.ts';
import type { CliHost, ExitCode } from './surfaces/cli/command.ts';
import { GLOBAL_OPTIONS } from './surfaces/cli/common-options.ts';
import { directStdout } from './surfaces/cli/direct-stdout.ts';
import { LIST, SERVE } from './surfaces/cli/quick-commands.ts';
import { runParsed, tryParse } from './surfaces/cli/run-parsed.ts';

/** The whole program is needed after all. Nothing was printed; a client may have been greeted. */
export interface Unfinished {
  readonly greeted: NonNullable<CliHost['greeted']> | null;
}

const VOCABULARY = { commands: [LIST, SERVE], globals: GLOBAL_OPTIONS };

export interface Finished {
  readonly code: ExitCode;
  /** It took more than the command usually takes. */
  readonly unusual: boolean;
}

export function runQuick(own: NodeJS.Process, build: string): Promise<Finished | Unfinished> {
  const argv = own.argv.slice(2);
  const parsed = tryParse(argv, VOCABULARY);
  // What is wrong with the words can only be said by those who know them all.
  if (parsed.invocation === null) return Promise.resolve({ greeted: null });
  return new Promise((resolve, reject) => {
    let greeted: Unfinished['greeted'] = null;
    let unusual = false;
    const host: CliHost = {
      argv,
      env: own.env,
      // A server's client is greeted through the stream, which has to be watched from the beginning.
      stdout: (parsed.invocation.command === SERVE ? null : directStdout(own)) ?? own.stdout,
      get stderr() {
        return own.stderr;
      },
      cwd: own.cwd(),
      get version() {
        return readVersion();
      },
      async openIndex(places) {
        const index = await unlessLeftOut(async () =>
          (await import('./startup-index.ts')).openIndex({ ...places, build }),
        );
        unusual = index?.changed === true;
        return index;
      },
      async greet(places) {
        greeted = await unlessLeftOut(async () =>
          (await import('./startup-opening.ts')).greetClient(places, own),
        );
      },
      boot: () => {
        resolve({ greeted });
        // The command waits for good; the process goes on with the whole program.
        return new Promise(() => undefined);
      },
    };
    runParsed(parsed, { host, vocabulary: VOCABULARY }).then((code) => resolve({ code, unusual }), reject);
  });
}

/** Null when it takes something that the bundle does not hold, such as what reads a configuration file. */
async function unlessLeftOut<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (systemCodeOf(error) === 'LEFT_OUT') return null;
    throw error;
  }
}
