import type { SearchHit } from '../../../domains/sessions/search.ts';
import { callWithoutSession } from '../../../domains/sessions/stateless-service.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';
import { hitLines } from '../hit-lines.ts';
import { withRuntime } from '../runtime.ts';

const RESULTS = 10;
const RESULTS_MAX = 50;

/** What an agent's `skill_search` finds; skills that are hidden from agents are not among it. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  const query = args.join(' ');
  const limit = wholeNumber(flags, 'limit', { min: 1, max: RESULTS_MAX }) ?? RESULTS;
  return withRuntime(context, async ({ skills, config: { view }, policy, switches }) => {
    const call = { tool: 'skill_search', input: { query, limit } } as const;
    const { data } = await callWithoutSession(
      { skills, policy, view, switches: switches.current },
      call,
      'T0',
    );
    if (flags.switches.has('json')) {
      out.json(data);
      return EXIT.ok;
    }
    // `search` of the engine has put them there.
    const hits = data['results'] as readonly SearchHit[];
    out.lines(hitLines(hits, out));
    if (hits.length === 0) out.note(printable(`no skills matched '${query.trim()}'`));
    return EXIT.ok;
  });
}
