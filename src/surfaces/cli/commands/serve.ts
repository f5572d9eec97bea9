import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { placesOf, stderrLogger } from '../runtime.ts';

/** Serves until the client closes its end, stops reading, or a signal asks to stop. stdout belongs to the protocol. */
export async function run(context: CommandContext): Promise<ExitCode> {
  const { flags, host, out } = context;
  const stopped = new Promise<void>((resolve) => {
    host.onStopSignal?.(resolve);
    out.onceClosed(resolve);
  });
  const { startup } = await host.boot();
  const runtime = await startup({
    ...placesOf(context),
    logger: stderrLogger(host),
    transport: 'stdio',
    surface: flags.values.get('surface'),
  });
  try {
    await Promise.race([stopped, runtime.closed]);
  } finally {
    await runtime.close();
  }
  return EXIT.ok;
}
