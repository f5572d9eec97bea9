/** A parsed command line on its way to its exit code. Knows no command by itself. */
import { ColibriError, type ErrorCode, messageOf } from '../../lib/errors.ts';
import { printable, printableBlock } from '../../lib/text.ts';
import { type CliHost, EXIT, type ExitCode } from './command.ts';
import { finish } from './finish.ts';
import { type Invocation, parseCommandLine, type Vocabulary } from './options.ts';
import { createOutput, type Output } from './output.ts';

export type Parsed =
  | { readonly invocation: Invocation }
  | { readonly invocation: null; readonly error: unknown };

export function tryParse(argv: readonly string[], vocabulary: Vocabulary): Parsed {
  try {
    return { invocation: parseCommandLine(argv, vocabulary) };
  } catch (error) {
    return { invocation: null, error };
  }
}

export async function runParsed(
  parsed: Parsed,
  { host, vocabulary }: { readonly host: CliHost; readonly vocabulary: Vocabulary },
): Promise<ExitCode> {
  const { argv, env } = host;
  const switches = parsed.invocation?.flags.switches;
  const out = createOutput({
    streams: host,
    env,
    // A line that could not be parsed has no switches, but its author may still want plain text.
    noColor: switches?.has('no-color') ?? argv.includes('--no-color'),
    quiet: switches?.has('quiet') ?? false,
  });
  let code: ExitCode;
  try {
    if (parsed.invocation === null) throw parsed.error;
    code = await dispatch(parsed.invocation, { host, out, vocabulary });
  } catch (error) {
    code = report(error, { out, debug: env['COLIBRI_DEBUG'] === '1' });
  }
  return finish(out, code);
}

interface Surroundings {
  readonly host: CliHost;
  readonly out: Output;
  readonly vocabulary: Vocabulary;
}

async function dispatch(
  { command, args, flags }: Invocation,
  { host, out, vocabulary }: Surroundings,
): Promise<ExitCode> {
  if (flags.switches.has('version')) {
    out.lines([host.version]);
    return EXIT.ok;
  }
  if (flags.switches.has('help')) {
    const { helpText } = await import('./help.ts');
    out.lines([helpText(vocabulary, command)]);
    return EXIT.ok;
  }
  if (command === null) throw new ColibriError('USAGE', 'no command given; `colibri help` lists them all');
  const { run } = await command.load();
  return run({ args, flags, out, host, ...vocabulary });
}

/** Errors that are the answer to what was asked, not a failure to answer. */
const FINDINGS: ReadonlySet<ErrorCode> = new Set(['SKILL_NOT_FOUND', 'LOCK_MISMATCH'] as const);

/** Says what went wrong on stderr, and with which code to exit. */
function report(error: unknown, { out, debug }: { out: Output; debug: boolean }): ExitCode {
  if (error instanceof ColibriError) {
    out.error(`${printable(error.message)} (${error.code})`);
    if (debug) out.note(printableBlock(error.stack ?? ''));
    if (error.code === 'USAGE') return EXIT.usage;
    return FINDINGS.has(error.code) ? EXIT.findings : EXIT.failure;
  }
  out.error(printable(messageOf(error)));
  out.note('this is a bug in colibri; please report it with what `COLIBRI_DEBUG=1` prints');
  if (debug) out.note(printableBlock(error instanceof Error ? (error.stack ?? '') : String(error)));
  return EXIT.failure;
}
