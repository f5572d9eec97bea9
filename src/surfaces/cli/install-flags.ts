/** Options that the commands of the installer share. */
import type { Scope } from '../../domains/integrity/install/session.ts';
import type { CommandContext, Flags } from './command.ts';

export function scopeOf({ flags, host }: CommandContext): Scope {
  return { global: flags.switches.has('global'), yes: flags.switches.has('yes'), ask: host.ask };
}

/** A list between commas; undefined when the option was not given. */
export function wordsOf({ values }: Flags, name: string): readonly string[] | undefined {
  return values
    .get(name)
    ?.split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
