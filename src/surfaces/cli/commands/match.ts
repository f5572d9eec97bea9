import type { SearchHit } from '../../../domains/sessions/search.ts';
import { callWithoutSession } from '../../../domains/sessions/stateless-service.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';
import { hitLines } from '../hit-lines.ts';
import { withRuntime } from '../runtime.ts';

const RESULTS_MAX = 20;

/** What an agent's `skill_match` answers. Nothing that fits is exit code 1, so that a script can ask. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  const task = args.join(' ');
  const limit = wholeNumber(flags, 'limit', { min: 1, max: RESULTS_MAX });
  return withRuntime(context, async ({ skills, config: { view }, policy, switches }) => {
    const call = { tool: 'skill_match', input: { task, limit } } as const;
    const { data } = await callWithoutSession(
      { skills, policy, view, switches: switches.current },
      call,
      'T0',
    );
    // `match` of the engine has put them there.
    const hits = data['results'] as readonly SearchHit[];
    if (flags.switches.has('json')) out.json(data);
    else out.lines(hitLines(hits, out, { scores: true }));
    if (hits.length > 0) return EXIT.ok;
    out.note('no skill clearly fits this task; colibri search shows what comes near');
    return EXIT.findings;
  });
}
