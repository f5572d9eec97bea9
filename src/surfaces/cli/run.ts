/** One command line from its words to its exit code. */
import { ColibriError, type ErrorCode, messageOf } from '../../lib/errors.ts';
import { printable, printableBlock } from '../../lib/text.ts';
import { type CliHost, EXIT, type ExitCode } from './command.ts';
import { COMMANDS, GLOBAL_OPTIONS } from './commands.ts';
import { type Invocation, parseCommandLine } from './options.ts';
import { createOutput, type Output } from './output.ts';

const VOCABULARY = { commands: COMMANDS, globals: GLOBAL_OPTIONS };

export async function runCli(host: CliHost): Promise<ExitCode> {
  const { argv, env, stdout, stderr } = host;
  const parsed = tryParse(argv);
  const switches = parsed.invocation?.flags.switches;
  const out = createOutput({
    stdout,
    stderr,
    env,
    // A line that could not be parsed has no switches, but its author may still want plain text.
    noColor: switches?.has('no-color') ?? argv.includes('--no-color'),
    quiet: switches?.has('quiet') ?? false,
  });
  let code: ExitCode;
  try {
    if (parsed.invocation === null) throw parsed.error;
    code = await dispatch(parsed.invocation, { host, out });
  } catch (error) {
    code = report(error, { out, debug: env['COLIBRI_DEBUG'] === '1' });
  }
  const end = await out.flush();
  if (end.failure !== null) {
    out.error(`stdout could not be written: ${end.failure.message}`);
    return EXIT.failure;
  }
  return end.closed ? EXIT.ok : code;
}

type Parsed = { readonly invocation: Invocation } | { readonly invocation: null; readonly error: unknown };

function tryParse(argv: readonly string[]): Parsed {
  try {
    return { invocation: parseCommandLine(argv, VOCABULARY) };
  } catch (error) {
    return { invocation: null, error };
  }
}

interface Surroundings {
  readonly host: CliHost;
  readonly out: Output;
}

async function dispatch(invocation: Invocation, { host, out }: Surroundings): Promise<ExitCode> {
  const { command, args, flags } = invocation;
  if (flags.switches.has('version')) {
    out.lines([host.version]);
    return EXIT.ok;
  }
  if (flags.switches.has('help')) {
    const { helpText } = await import('./help.ts');
    out.lines([helpText(VOCABULARY, command)]);
    return EXIT.ok;
  }
  if (command === null) throw new ColibriError('USAGE', 'no command given; `colibri help` lists them all');
  const { run } = await command.load();
  return run({ args, flags, out, host, ...VOCABULARY });
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
