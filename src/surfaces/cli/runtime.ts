import { statSync } from 'node:fs';
import path from 'node:path';

import { ColibriError } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { printableBlock } from '../../lib/text.ts';
import type { BootedRuntime, BootOptions, CliHost, CommandContext } from './command.ts';

/** Starts colibri without a door, uses it, and ends it whatever happens. */
export async function withRuntime<T>(
  context: CommandContext,
  use: (runtime: BootedRuntime) => T | Promise<T>,
): Promise<T> {
  const { startup } = await context.host.boot();
  const runtime = await startup({
    ...placesOf(context),
    logger: debugLogger(context.host),
    transport: 'none',
    // A failed start is thrown as well; run.ts turns it into a message and an exit code.
    exit: () => undefined,
  });
  try {
    return await use(runtime);
  } finally {
    await runtime.close();
  }
}

/** Where to work, as the options say. */
export function placesOf({
  flags,
  host,
}: CommandContext): Pick<BootOptions, 'cwd' | 'env' | 'workspace' | 'dbPath' | 'skillsRoot'> {
  const workspace = flags.values.get('workspace');
  // Start-up makes the folders it needs, so a typo would become a new, empty workspace.
  if (workspace !== undefined && !isDirectory(path.resolve(host.cwd, workspace))) {
    throw new ColibriError('USAGE', `--workspace is not a folder: ${workspace}; check the path`, {
      workspace,
    });
  }
  return {
    cwd: host.cwd,
    env: host.env,
    workspace,
    dbPath: flags.values.get('db'),
    skillsRoot: flags.values.get('skills-root'),
  };
}

function isDirectory(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Log lines on stderr. They may quote a skill, so they are made printable like everything else. */
export function stderrLogger({ stderr }: CliHost): Logger {
  return (...args) => {
    stderr.write(`${printableBlock(args.map(String).join(' '))}\n`);
  };
}

/** A person who asked for a list did not ask for the log of the scan. */
export function debugLogger(host: CliHost): Logger {
  return host.env['COLIBRI_DEBUG'] === '1' ? stderrLogger(host) : () => undefined;
}
