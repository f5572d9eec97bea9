/** The command line with everything it can do. The process is handed in: a launcher may have used it before. */
import { readVersion } from './lib/version.ts';
import type { CliHost, ExitCode } from './surfaces/cli/command.ts';
import { runCli } from './surfaces/cli/run.ts';

export function runWhole(
  own: NodeJS.Process,
  launcher: Pick<CliHost, 'greeted' | 'onServing'> = {},
): Promise<ExitCode> {
  const { stdin, stdout, stderr } = own;
  return runCli({
    argv: own.argv.slice(2),
    env: own.env,
    stdout,
    stderr,
    cwd: own.cwd(),
    version: readVersion(),
    boot: () => import('./startup.ts'),
    openIndex: async (places) => (await import('./startup-index.ts')).openIndex(places),
    ...launcher,
    ask: stdin.isTTY && stderr.isTTY ? (question) => askAtTerminal(own, question) : undefined,
    onStopSignal: (stop) => {
      // Once each: a second signal while closing ends the process the hard way.
      own.once('SIGINT', stop);
      own.once('SIGTERM', stop);
      // The terminal was closed: agents that run for it must not go on without anybody.
      own.once('SIGHUP', stop);
    },
    openPage: (url) => void showPage(own, url),
  });
}

async function askAtTerminal({ stdin, stderr }: NodeJS.Process, question: string): Promise<boolean> {
  const { confirm } = await import('./surfaces/cli/confirm.ts');
  return confirm(stdin, stderr, question);
}

async function showPage({ platform }: NodeJS.Process, url: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  const opener = platform === 'darwin' ? 'open' : 'xdg-open';
  // Without a browser there is nothing to show, and the address has been printed.
  spawn(opener, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
