/** Answers the commands that need little of the program, or their beginning, from a bundle that holds no more than that. */
import { systemCodeOf } from './lib/errors.ts';
import { readVersion } from './lib/version.ts';
import type { CliHost, ExitCode } from './surfaces/cli/command.ts';
import { runCli } from './surfaces/cli/run.ts';

/** The whole program is needed after all. Nothing was printed; a client may have been greeted. */
export interface Unfinished {
  readonly greeted: NonNullable<CliHost['greeted']> | null;
}

export function runQuick(own: NodeJS.Process): Promise<ExitCode | Unfinished> {
  return new Promise((resolve, reject) => {
    let greeted: Unfinished['greeted'] = null;
    const quick: CliHost = {
      argv: own.argv.slice(2),
      env: own.env,
      stdout: own.stdout,
      stderr: own.stderr,
      cwd: own.cwd(),
      version: readVersion(),
      openIndex: (places) =>
        unlessLeftOut(async () => (await import('./startup-index.ts')).openIndex(places)),
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
    runCli(quick).then(resolve, reject);
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
