import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { type Fact, factLines } from '../facts.ts';
import { withRuntime } from '../runtime.ts';
import { requireSession } from '../session-id.ts';
import { enumerate, plural } from '../wording.ts';

type Report = Awaited<ReturnType<BootedRuntime['replay']>>;
type Difference = NonNullable<Report['difference']>;

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out, host } = context;
  return withRuntime(context, async (runtime) => {
    const { id } = await requireSession(runtime, args[0] ?? '');
    const report = await runtime.replay(id, { live: flags.switches.has('live'), ask: host.ask });
    if (flags.switches.has('json')) out.json(report);
    else out.lines(factLines(factsOf(report), out));
    const taken = [...new Set(report.taken)].sort();
    if (taken.length > 0) out.note(`not run again, taken as recorded: ${enumerate(taken)}`);
    return report.equal ? EXIT.ok : EXIT.findings;
  });
}

function factsOf({ session, mode, events, difference }: Report): readonly Fact[] {
  return [
    ['session', session],
    ['against', mode === 'live' ? 'the skills of today' : 'its own records'],
    ['result', difference === null ? `equal, ${plural(events, 'event')}` : 'different'],
    ...(difference === null ? [] : differenceFacts(difference, events)),
  ];
}

function differenceFacts(difference: Difference, events: number): readonly Fact[] {
  const { event, type, where, recorded, replayed } = difference;
  const [before, now] = excerpts(recorded, replayed);
  return [
    // Zero is no event: the stored content itself is not what was stored.
    ['first at', event === 0 ? type : `event ${event} of ${events}, ${type}`],
    ['where', where],
    ['recorded', before],
    ['replayed', now],
  ];
}

/** Characters shown before the first that differs, and in all. */
const LEAD = 20;
const EXCERPT = 160;

/** Around the first character that differs: two long lines that begin alike would tell nothing otherwise. */
function excerpts(before: string, now: string): readonly [string, string] {
  let same = 0;
  while (same < before.length && before[same] === now[same]) same++;
  const start = same > 2 * LEAD ? same - LEAD : 0;
  const cut = (text: string) => {
    const part = text.slice(start, start + EXCERPT);
    const shown = `${start > 0 ? '…' : ''}${part}${text.length > start + EXCERPT ? '…' : ''}`;
    return shown === '' ? '(empty)' : shown;
  };
  return [cut(before), cut(now)];
}
