/** `colibri list --outdated`: which installed skills their sources have in another state. */
import type { OutdatedSkill } from '../../domains/integrity/install/update-service.ts';
import { ColibriError } from '../../lib/errors.ts';
import { printable } from '../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from './command.ts';
import { scopeOf } from './install-flags.ts';
import { withRuntime } from './runtime.ts';
import { rowLines } from './table.ts';
import { plural } from './wording.ts';

export function runOutdated(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  const idle = ['search', 'capability', 'skills-root'].find((name) => flags.values.has(name));
  if (idle !== undefined) throw new ColibriError('USAGE', `--outdated and --${idle} do not go together`);
  return withRuntime(context, async ({ install }) => {
    const skills = await install.outdated(scopeOf(context));
    const stale = skills.filter(({ state }) => state !== 'current');
    if (flags.switches.has('json')) out.json({ skills });
    else
      out.lines(
        rowLines(
          { header: ['STATE', 'NAME', 'INSTALLED', 'AVAILABLE', 'FROM'], rows: stale.map(rowOf) },
          out,
        ),
      );
    for (const { name, reason } of stale) if (reason !== null) out.note(printable(`${name}: ${reason}`));
    out.note(summary(skills, stale.length));
    return stale.length === 0 ? EXIT.ok : EXIT.findings;
  });
}

/** By commit where there is one, else by digest. */
function rowOf({ state, name, commit, digest, source, ref }: OutdatedSkill): string[] {
  const short = (id: string | null): string => id?.replace(/^sha256:/, '').slice(0, 12) ?? '-';
  const [from, to] = commit.from === null ? [digest.from, digest.to] : [commit.from, commit.to];
  return [state, name, short(from), short(to), ref === null ? source : `${source} ${ref}`].map(printable);
}

function summary(skills: readonly OutdatedSkill[], stale: number): string {
  if (skills.length === 0) return 'nothing is installed; `colibri add` installs skills';
  if (stale === 0) return `${plural(skills.length, 'installed skill')} up to date`;
  return `${stale} of ${plural(skills.length, 'installed skill')} not up to date; \`colibri update --dry-run\` shows what would change`;
}
