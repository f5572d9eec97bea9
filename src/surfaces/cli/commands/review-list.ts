import { ColibriError } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { withRuntime } from '../runtime.ts';
import { rowLines } from '../table.ts';
import { plural } from '../wording.ts';

type Proposal = Awaited<ReturnType<BootedRuntime['proposals']['list']>>[number];

export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  const state = stateOf(flags.values.get('state') ?? 'waiting');
  return withRuntime(context, async ({ proposals }) => {
    const found = await proposals.list(state);
    const rows = found.map(rowOf);
    if (flags.switches.has('json')) out.json({ proposals: found });
    else out.lines(rowLines({ header: ['ID', 'STATE', 'SKILL', 'CHANGE', 'SCAN', 'REASON'], rows }, out));
    const which = state === undefined ? '' : ` ${state}`;
    out.note(
      `${plural(found.length, 'proposal')}${which}; \`colibri review show <id>\` tells what it would change`,
    );
    return EXIT.ok;
  });
}

function rowOf({ id, state, name, change, verdict, reason }: Proposal): string[] {
  return [id, state, name, change, verdict, reason].map(printable);
}

function stateOf(text: string): Proposal['state'] | undefined {
  switch (text) {
    case 'all':
      return undefined;
    case 'waiting':
    case 'accepted':
    case 'rejected':
      return text;
    default:
      throw new ColibriError('USAGE', `--state is waiting, accepted, rejected or all, not ${text}`);
  }
}
