import { ColibriError } from '../../../lib/errors.ts';
import type { CommandContext, ExitCode } from '../command.ts';
import { runProfileChange } from '../switching.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags } = context;
  const none = flags.switches.has('none');
  const [name] = args;
  if (none === (name !== undefined)) throw new ColibriError('USAGE', 'name a profile, or write --none');
  return runProfileChange(context, (switches) => {
    switches.useProfile(name ?? null);
    return name === undefined ? 'no profile is in use' : `profile ${name} is in use here`;
  });
}
