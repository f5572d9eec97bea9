/** Answers the commands that need little of the program, from a bundle of its own that holds no more. */
import { readVersion } from './lib/version.ts';
import type { CliHost, ExitCode } from './surfaces/cli/command.ts';
import { runCli } from './surfaces/cli/run.ts';

/** Null, with nothing printed: the whole program is needed after all. */
export function runQuick(
  host: Pick<CliHost, 'argv' | 'env' | 'stdout' | 'stderr' | 'cwd'>,
): Promise<ExitCode | null> {
  return new Promise((resolve, reject) => {
    const quick: CliHost = {
      ...host,
      version: readVersion(),
      openIndex: async (places) => (await import('./startup-index.ts')).openIndex(places),
      boot: () => {
        resolve(null);
        // The command waits for good; the process goes on with the whole program.
        return new Promise(() => undefined);
      },
    };
    runCli(quick).then(resolve, reject);
  });
}
