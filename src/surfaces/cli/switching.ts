/** What `enable`, `disable` and the commands about profiles share. */
import { printable } from '../../lib/text.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from './command.ts';
import { withIndex } from './runtime.ts';
import { rowLines } from './table.ts';
import { plural } from './wording.ts';

type Switching = BootedRuntime['switches'];

/** Switches skills on or off and shows what is off then. */
export function runSwitch(
  context: CommandContext,
  change: (switches: Switching, patterns: readonly string[]) => ReturnType<Switching['off']>,
): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withIndex(context, ({ switches }) => {
    const disabled = change(switches, args);
    if (flags.switches.has('json')) out.json({ disabled });
    else {
      const rows = disabled.map(({ name, why }) => [name, why].map(printable));
      out.lines(rowLines({ header: ['OFF', 'WHY'], rows }, out));
    }
    out.note(`${plural(disabled.length, 'skill')} off; sessions that are open keep what they see`);
    return EXIT.ok;
  });
}

/** A change to the profiles, and what there is afterwards. */
export function runProfileChange(
  context: CommandContext,
  change: (switches: Switching) => string,
): Promise<ExitCode> {
  const { flags, out } = context;
  return withIndex(context, ({ switches }) => {
    const done = change(switches);
    const { profile, profiles } = switches.file();
    if (flags.switches.has('json')) out.json({ in_use: profile, profiles });
    out.note(done);
    return EXIT.ok;
  });
}

/** `a,b` and `a, b` are two patterns. */
export function patternsIn(text: string | undefined): readonly string[] {
  return (text ?? '').split(/[,\s]+/).filter((pattern) => pattern !== '');
}
