/** The bin entry: the only place that touches the process's words, environment and exit code. */
import { readVersion } from './lib/version.ts';
import { runCli } from './surfaces/cli/run.ts';

// No `await` at the top: the bundle of this file is a script, which starts faster than a module.
void runCli({
  argv: process.argv.slice(2),
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
  version: readVersion(),
  boot: () => import('./startup.ts'),
  openIndex: async (places) => (await import('./startup-index.ts')).openIndex(places),
  ask: process.stdin.isTTY && process.stderr.isTTY ? askAtTerminal : undefined,
  onStopSignal: (stop) => {
    // Once each: a second signal while closing ends the process the hard way.
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
    // The terminal was closed: agents that run for it must not go on without anybody.
    process.once('SIGHUP', stop);
  },
  openPage: (url) => void showPage(url),
})
  // A client's open stdin would keep the process alive; everything has been flushed and closed by now.
  .then((code) => process.exit(code));

async function askAtTerminal(question: string): Promise<boolean> {
  const { confirm } = await import('./surfaces/cli/confirm.ts');
  return confirm(process.stdin, process.stderr, question);
}

async function showPage(url: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  // Without a browser there is nothing to show, and the address has been printed.
  spawn(opener, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
