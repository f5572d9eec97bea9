import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { type Fact, factLines } from '../facts.ts';
import { withRuntime } from '../runtime.ts';
import { requireSession } from '../session-id.ts';
import { plural } from '../wording.ts';

type Session = Awaited<ReturnType<BootedRuntime['sessions']['get']>>;

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withRuntime(context, async (runtime) => {
    const session = await requireSession(runtime, args[0] ?? '');
    if (flags.switches.has('json')) out.json(documentOf(session));
    else out.lines(factLines(factsOf(session), out));
    return EXIT.ok;
  });
}

/** What was preloaded is part of the prompt and uses no budget. */
function usedBy({ loaded }: Session): { readonly loads: number; readonly tokens: number } {
  const explicit = loaded.filter(({ reason }) => reason !== 'always');
  return { loads: explicit.length, tokens: explicit.reduce((sum, { tokens }) => sum + tokens, 0) };
}

function documentOf(session: Session): unknown {
  const { id, openedAt, closedAt, generation, options, loaded } = session;
  return {
    id,
    opened_at: openedAt,
    closed_at: closedAt,
    generation,
    ...options,
    used: usedBy(session),
    loaded: loaded.map(({ name, reason, tokens, digest }) => ({ name, reason, tokens, digest })),
  };
}

function factsOf(session: Session): readonly Fact[] {
  const { id, openedAt, closedAt, generation, options, loaded } = session;
  const { budget, preload, agent_tier, agent_id } = options;
  const used = usedBy(session);
  return [
    ['session', id],
    ['opened', openedAt],
    ['closed', closedAt ?? 'still open'],
    ['tier', agent_tier],
    ['agent', agent_id ?? ''],
    ['catalog', `generation ${generation}, at most ${plural(budget.catalog_tokens, 'token')}`],
    ['preload', preload === null ? '' : `${preload.floor} to ${preload.ceiling} tokens`],
    [
      'used',
      `${used.loads} of ${plural(budget.max_loads, 'load')}, ${used.tokens} of ${plural(budget.max_tokens, 'token')}`,
    ],
    ...loaded.map(({ name, reason, tokens, digest }): Fact => {
      return ['loaded', `${name} (${reason}, ${plural(tokens, 'token')}, sha256:${digest})`];
    }),
  ];
}
