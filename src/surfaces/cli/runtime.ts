import { statSync } from 'node:fs';
import path from 'node:path';

import { ColibriError } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { printable, printableBlock } from '../../lib/text.ts';
import type { BootedRuntime, CliHost, CommandContext, OpenedIndex, Places } from './command.ts';
import { createProgress, type Progress } from './progress.ts';

/** Starts colibri without a door, uses it, and ends it whatever happens. */
export async function withRuntime<T>(
  context: CommandContext,
  use: (runtime: BootedRuntime) => T | Promise<T>,
  { trace = false }: { readonly trace?: boolean } = {},
): Promise<T> {
  const { startup } = await context.host.boot();
  const places = placesOf(context);
  const runtime = await withProgress(context, ({ report }) =>
    startup({
      ...places,
      logger: debugLogger(context.host),
      transport: 'none',
      // A failed start is thrown as well; run.ts turns it into a message and an exit code.
      exit: () => undefined,
      trace,
      progress: report,
    }),
  );
  try {
    // An old answer that looks like a new one would be worse than none.
    if (runtime.stale !== null)
      context.out.error(printable(`${runtime.stale}; what follows is the last good index`));
    return await use(runtime);
  } finally {
    await runtime.close();
  }
}

/** For commands that only look at the index, which need not wait for everything to start. */
export async function withIndex<T>(
  context: CommandContext,
  use: (index: Pick<OpenedIndex, 'skills' | 'switches' | 'keep'>) => T | Promise<T>,
): Promise<T> {
  const index = await openIndex(context);
  if (index === null) return withRuntime(context, use);
  try {
    return await use(index);
  } finally {
    await index.close();
  }
}

async function openIndex(context: CommandContext): Promise<OpenedIndex | null> {
  const { host } = context;
  const shown: { progress?: Progress } = {};
  try {
    const index = await host.openIndex?.({
      ...placesOf(context),
      logger: debugLogger(host),
      progress(done, total) {
        // Made for a scan only: to look at the stream is to open it.
        shown.progress ??= progressOf(context);
        shown.progress.report?.(done, total);
      },
    });
    return index ?? null;
  } finally {
    shown.progress?.clear();
  }
}

/** Shows a bar while the work lasts, where somebody can see it; nothing of it is left afterwards. */
export async function withProgress<T>(
  context: CommandContext,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = progressOf(context);
  try {
    return await work(progress);
  } finally {
    progress.clear();
  }
}

function progressOf({ flags, host }: CommandContext): Progress {
  // Log lines and a bar on one terminal would write into each other.
  const hidden = flags.switches.has('quiet') || isDebugging(host);
  return createProgress(host.stderr, { hidden });
}

/** Where to work, as the options say. */
export function placesOf({ flags, host }: CommandContext): Places {
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
    home: host.home,
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
  return isDebugging(host) ? stderrLogger(host) : () => undefined;
}

function isDebugging({ env }: CliHost): boolean {
  return env['COLIBRI_DEBUG'] === '1';
}
