#!/usr/bin/env node
/** The bin entry: the only place that touches the process's words, environment and exit code. */
import { spawn } from 'node:child_process';

import { readVersion } from './lib/version.ts';
import { runCli } from './surfaces/cli/run.ts';

const code = await runCli({
  argv: process.argv.slice(2),
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
  version: readVersion(),
  boot: () => import('./startup.ts'),
  ask: process.stdin.isTTY && process.stderr.isTTY ? askAtTerminal : undefined,
  onStopSignal: (stop) => {
    // Once each: a second signal while closing ends the process the hard way.
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  },
  openPage: (url) => {
    const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
    // Without a browser there is nothing to show, and the address has been printed.
    spawn(opener, [url], { stdio: 'ignore', detached: true })
      .on('error', () => undefined)
      .unref();
  },
});
async function askAtTerminal(question: string): Promise<boolean> {
  const { confirm } = await import('./surfaces/cli/confirm.ts');
  return confirm(process.stdin, process.stderr, question);
}

// A client's open stdin would keep the process alive; everything has been flushed and closed by now.
process.exit(code);
