import { createTwoFilesPatch } from 'diff';

import { printable, printableBlock } from '../../../lib/text.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { factLines } from '../facts.ts';
import { withRuntime } from '../runtime.ts';

type Proposal = Awaited<ReturnType<BootedRuntime['proposals']['show']>>;

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withRuntime(context, async ({ proposals }) => {
    const proposal = await proposals.show(args[0] ?? '');
    if (flags.switches.has('json')) {
      out.json(proposal);
      return EXIT.ok;
    }
    out.lines([...factLines(factsOf(proposal), out), ...findingLines(proposal), '', ...diffLines(proposal)]);
    if (proposal.stale) out.note('the skill has changed since; it cannot be accepted as it is');
    else if (proposal.state === 'waiting')
      out.note(
        `\`colibri review accept ${proposal.id}\` writes it, \`colibri review reject ${proposal.id}\` does not`,
      );
    return EXIT.ok;
  });
}

function factsOf(proposal: Proposal): readonly (readonly [string, string])[] {
  const { id, name, change, state, reason, verdict, proposed_by, proposed_at, decided_by, note } = proposal;
  return [
    ['id', id],
    ['skill', name],
    ['change', change],
    ['state', decided_by === null ? state : `${state} by ${decided_by}`],
    ['reason', reason],
    ['proposed', `${proposed_at} by ${proposed_by}`],
    ['scan', verdict],
    ...(note === null ? [] : [['note', note] as const]),
  ];
}

function findingLines({ findings }: Proposal): readonly string[] {
  return findings.map(({ severity, file, line, rule, title }) =>
    printable(`  ${severity.padEnd(8)}  ${file}${line === null ? '' : `:${line}`}  ${rule}: ${title}`),
  );
}

function diffLines({ changes }: Proposal): readonly string[] {
  return changes.flatMap(({ path, before, text }) => {
    const patch = createTwoFilesPatch(
      before === null ? '/dev/null' : path,
      text === null ? '/dev/null' : path,
      before ?? '',
      text ?? '',
    );
    // The first line is a ruler of the library's own.
    return printableBlock(patch.replace(/^(?:Index:.*\n)?=+\n/, ''))
      .trimEnd()
      .split('\n');
  });
}
