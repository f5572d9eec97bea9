import { printable } from '../../../lib/text.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { placesOf, stderrLogger } from '../runtime.ts';
import { enumerate, plural, rejectedNote } from '../wording.ts';

/** Everything on one server until a signal asks to stop. */
export async function run(context: CommandContext): Promise<ExitCode> {
  const { flags, host, out } = context;
  const stopped = new Promise<void>((resolve) => {
    host.onStopSignal?.(resolve);
    out.onceClosed(resolve);
  });
  const { startup } = await host.boot();
  const runtime = await startup({
    ...placesOf(context),
    transport: 'up',
    http: { host: flags.values.get('host'), port: flags.values.get('port') },
    logger: stderrLogger(host),
  });
  try {
    const places = placesOfServer(runtime);
    if (flags.switches.has('json')) out.json({ ...places, skills: runtime.skills.counts().skills });
    else out.lines(announcement(runtime, places, context));
    if (flags.switches.has('open')) host.openPage?.(places.page);
    host.onServing?.();
    await Promise.race([stopped, runtime.closed]);
  } finally {
    await runtime.close();
  }
  return EXIT.ok;
}

interface ServerPlaces {
  readonly page: string;
  readonly api: string;
  readonly mcp: string;
}

function placesOfServer({ url }: BootedRuntime): ServerPlaces {
  const mcp = url ?? '';
  const { origin } = new URL(mcp);
  return { page: `${origin}/`, api: `${origin}/v1/openapi.json`, mcp };
}

function announcement(
  { skills, config, stale }: BootedRuntime,
  { page, api, mcp }: ServerPlaces,
  { out }: CommandContext,
): string[] {
  const counts = skills.counts();
  const from = skills.usedRoots().length === 0 ? '' : ` from ${enumerate(skills.usedRoots())}`;
  const why = counts.rejected > 0 ? `, ${rejectedNote(counts)}` : '';
  const { token } = config.http;
  // The token itself is not printed; whoever may connect has it already.
  const header = token === null ? '' : ' --header "Authorization: Bearer <token>"';
  const client = { type: 'http', url: mcp, ...(token === null ? {} : { headers: BEARER }) };
  const label = (text: string) => out.paint('dim', text.padEnd(LABEL_WIDTH));
  return [
    printable(`${plural(counts.skills, 'skill')}${from}${why}`),
    ...(stale === null ? [] : [printable(`${stale}; this is the last good index`)]),
    '',
    `  ${label('page')}${page}`,
    `  ${label('API')}${api}`,
    `  ${label('MCP')}${mcp}`,
    '',
    `  ${label('Claude Code')}claude mcp add --transport http colibri ${mcp}${header}`,
    `  ${label('any client')}${JSON.stringify({ mcpServers: { colibri: client } })}`,
    '',
    'stop with Ctrl+C',
  ];
}

const LABEL_WIDTH = 'Claude Code  '.length;
const BEARER = { Authorization: 'Bearer <token>' };
