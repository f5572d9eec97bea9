import { EVENT_TYPES, type EventRow, type Sensitivity } from '../../../domains/events/schema.ts';
import { visibleEvent } from '../../../domains/events/visible-event.ts';
import { ColibriError } from '../../../lib/errors.ts';
import { nearest } from '../../../lib/text.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode, type Flags } from '../command.ts';
import {
  type EventFormat,
  eventDocument,
  eventFrame,
  eventHeader,
  eventTabLine,
  eventTableLine,
  frameName,
} from '../event-lines.ts';
import { wholeNumber } from '../flag-values.ts';
import { jsonText, type Output } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { requireSession } from '../session-id.ts';
import { plural } from '../wording.ts';

type Events = BootedRuntime['events'];

interface Query {
  readonly format: EventFormat;
  readonly follow: boolean;
  readonly level: Sensitivity;
  readonly types: readonly string[] | undefined;
  readonly after: number | undefined;
  readonly limit: number | undefined;
}

const PAGE = 500;

export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out, host } = context;
  const query = queryOf(flags);
  const stopped = new Promise<void>((resolve) => {
    if (!query.follow) return;
    host.onStopSignal?.(resolve);
    out.onceClosed(resolve);
  });
  return withRuntime(context, async (runtime) => {
    const typed = flags.values.get('session');
    const session = typed === undefined ? undefined : (await requireSession(runtime, typed)).id;
    const printer = printerOf(query, out);
    const filter = { session, types: query.types };
    const last = await printRecorded(runtime.events, { filter, query, printer });
    if (query.follow) {
      const end = runtime.events.follow({ ...filter, after: last }, printer.print);
      await stopped;
      end();
    }
    printer.end();
    return EXIT.ok;
  });
}

function queryOf(flags: Flags): Query {
  const { values, switches } = flags;
  return {
    // The parser has let only the formats and levels of the table through.
    format: switches.has('json') ? 'json' : ((values.get('format') ?? 'table') as EventFormat),
    follow: switches.has('follow'),
    level: (values.get('level') ?? 'pseudonymous') as Sensitivity,
    types: values.get('type')?.split(',').map(typeNamed),
    after: wholeNumber(flags, 'after', { min: 0, max: Number.MAX_SAFE_INTEGER }),
    limit: wholeNumber(flags, 'limit', { min: 0, max: 1_000_000 }),
  };
}

/** Takes the name of a frame as well. */
function typeNamed(typed: string): string {
  const known = EVENT_TYPES.find((type) => type === typed || frameName(type) === typed);
  if (known !== undefined) return known;
  const [best] = nearest(typed, EVENT_TYPES);
  const hint = best === undefined ? `it is one of: ${EVENT_TYPES.join(', ')}` : `did you mean ${best}?`;
  throw new ColibriError('USAGE', `no event has the type ${JSON.stringify(typed)}; ${hint}`, { type: typed });
}

interface Printer {
  print(rows: readonly EventRow[]): void;
  end(): void;
}

function printerOf({ format, follow, level }: Query, out: Output): Printer {
  let hidden = 0;
  let started = false;
  const kept: unknown[] = [];
  const printVisible = (rows: readonly EventRow[]): void => {
    const line = (value: unknown) => jsonText(value, { pretty: false });
    if (format === 'frames') out.lines(rows.map((row) => line(eventFrame(row))));
    else if (format === 'json' && follow) out.lines(rows.map((row) => line(eventDocument(row))));
    else if (format === 'json') kept.push(...rows.map(eventDocument));
    else if (out.terminal) {
      if (!started && rows.length > 0) out.lines([out.paint('bold', eventHeader(out.width))]);
      started ||= rows.length > 0;
      out.lines(rows.map((row) => eventTableLine(row, out.width)));
    } else out.lines(rows.map(eventTabLine));
  };
  return {
    print(rows) {
      const visible = rows.flatMap((row) => visibleEvent(row, level) ?? []);
      hidden += rows.length - visible.length;
      printVisible(visible);
    },
    end() {
      if (format === 'json' && !follow) out.json({ events: kept });
      if (hidden > 0) out.note(`${plural(hidden, 'event')} above --level ${level} not shown`);
    },
  };
}

interface Recorded {
  readonly filter: { readonly session: string | undefined; readonly types: readonly string[] | undefined };
  readonly query: Query;
  readonly printer: Printer;
}

/** Prints what is there already and says where it ends. With a limit: the first after `--after`, else the newest. */
async function printRecorded(events: Events, { filter, query, printer }: Recorded): Promise<number> {
  const { after = 0, limit } = query;
  const newest: EventRow[] | null = limit !== undefined && query.after === undefined ? [] : null;
  let left = newest === null ? (limit ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  let last = after;
  while (left > 0) {
    const rows = await events.read({ ...filter, after: last, limit: Math.min(PAGE, left) });
    if (rows.length === 0) break;
    last = rows.at(-1)?.seq ?? last;
    left -= rows.length;
    if (newest === null) {
      printer.print(rows);
    } else {
      newest.push(...rows);
      newest.splice(0, newest.length - (limit ?? 0));
    }
  }
  if (newest !== null) printer.print(newest);
  return last;
}
