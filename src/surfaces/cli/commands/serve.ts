import { ColibriError } from '../../../lib/errors.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode, type Flags } from '../command.ts';
import { placesOf, stderrLogger } from '../runtime.ts';
import { plural, rejectedNote } from '../wording.ts';

/** Serves until the client closes its end, stops reading, or a signal asks to stop. stdout belongs to the protocol. */
export async function run(context: CommandContext): Promise<ExitCode> {
  const { flags, host, out } = context;
  const door = doorOf(flags);
  const stopped = new Promise<void>((resolve) => {
    host.onStopSignal?.(resolve);
    out.onceClosed(resolve);
  });
  const places = { ...placesOf(context), surface: flags.values.get('surface') };
  if (door.transport === 'stdio') await host.greet?.(places);
  const { startup } = await host.boot();
  const runtime = await startup({
    ...places,
    ...door,
    logger: stderrLogger(host),
    greeted: host.greeted,
    agent: host.env['COLIBRI_AGENT_ID'],
  });
  try {
    announce(runtime, context);
    host.onServing?.();
    await Promise.race([stopped, runtime.closed]);
  } finally {
    await runtime.close();
  }
  return EXIT.ok;
}

interface DoorOptions {
  readonly transport: 'stdio' | 'http';
  readonly http?: { readonly host: string | undefined; readonly port: string | undefined };
}

function doorOf({ switches, values }: Flags): DoorOptions {
  if (switches.has('http')) {
    return { transport: 'http', http: { host: values.get('host'), port: values.get('port') } };
  }
  const idle = ['host', 'port'].find((name) => values.has(name));
  if (idle === undefined) return { transport: 'stdio' };
  throw new ColibriError('USAGE', `--${idle} has no meaning without --http; add it, or leave --${idle} out`);
}

function announce({ skills, url, config }: BootedRuntime, { host, out }: CommandContext): void {
  const log = stderrLogger(host);
  const counts = skills.counts();
  const why = counts.rejected > 0 ? `, ${rejectedNote(counts)}` : '';
  log(`[colibri] serving ${plural(counts.skills, 'skill')}${why}`);
  if (url === null) return;
  log(`[colibri] listening on ${url}`);
  // The token itself stays out of the log; whoever may connect has it already.
  const header = config.http.token === null ? '' : ' --header "Authorization: Bearer <token>"';
  out.note(`connect a client: claude mcp add --transport http colibri ${url}${header}`);
  out.note('stop with Ctrl+C');
}
