import type { VerifiedSkill, VerifyReport } from '../../../domains/integrity/install/verify-service.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import type { Output } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { rowLines } from '../table.ts';
import { plural } from '../wording.ts';

const DIGITS_SHOWN = 16;

/** Exit code 1 when a byte differs from what the lock pins. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  return withRuntime(context, async ({ install }) => {
    const report = await install.verify({ global: flags.switches.has('global') });
    if (flags.switches.has('json')) out.json(report);
    else
      out.lines(
        rowLines(
          {
            header: ['STATE', 'NAME', 'FILE', 'EXPECTED', 'FOUND'],
            rows: report.skills.flatMap((skill) => rowsOf(skill, out)),
          },
          out,
        ),
      );
    out.note(summary(report));
    return report.ok ? EXIT.ok : EXIT.findings;
  });
}

function rowsOf({ name, state, differences, digest }: VerifiedSkill, out: Output): string[][] {
  const shown = (value: string | null): string => shortened(value, out);
  if (state === 'ok') return [[state, printable(name), '-', shown(digest), shown(digest)]];
  return differences.map(({ path, change, expected, found }) =>
    [state === 'source' ? `source ${change}` : change, name, path, shown(expected), shown(found)].map(
      printable,
    ),
  );
}

/** A person compares the beginnings; a program gets all of it. */
function shortened(value: string | null, { terminal }: Output): string {
  if (value === null) return '-';
  const hex = value.replace(/^sha256:/, '');
  return terminal && hex.length > DIGITS_SHOWN ? `${hex.slice(0, DIGITS_SHOWN)}…` : value;
}

function summary({ skills }: VerifyReport): string {
  const bad = skills.filter(({ state }) => state !== 'ok');
  if (skills.length === 0) return 'nothing is installed; `colibri add` installs skills';
  if (bad.length === 0) return `${plural(skills.length, 'skill')} as the lock says`;
  return `${bad.length} of ${plural(skills.length, 'skill')} not as the lock says; \`colibri update\` keeps edits, \`colibri remove --force\` and \`colibri add\` restore`;
}
