import type { AddedSkill, AddReport } from '../../../domains/integrity/install/add-service.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { scopeOf, wordsOf } from '../install-flags.ts';
import { withRuntime } from '../runtime.ts';
import { rowLines } from '../table.ts';
import { enumerate, plural } from '../wording.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withRuntime(context, async ({ install }) => {
    const report = await install.add({
      ...scopeOf(context),
      source: args[0],
      skills: wordsOf(flags, 'skill'),
      ref: flags.values.get('ref'),
      path: flags.values.get('path'),
      frozen: flags.switches.has('frozen'),
      dryRun: flags.switches.has('dry-run'),
      accept: wordsOf(flags, 'accept'),
    });
    if (flags.switches.has('json')) out.json(report);
    else
      out.lines(
        rowLines({ header: ['STATE', 'NAME', 'FILES', 'FROM'], rows: report.skills.map(rowOf) }, out),
      );
    for (const line of report.skills.flatMap(scanLines)) out.note(printable(line));
    out.note(summary(report));
    return EXIT.ok;
  });
}

function rowOf({ state, name, files, source, commit, subpath }: AddedSkill): string[] {
  const at = commit === null ? '' : ` @ ${commit.slice(0, 12)}`;
  return [state, name, String(files), `${source}${subpath === '' ? '' : ` ${subpath}`}${at}`].map(printable);
}

function scanLines({ name, findings, unread }: AddedSkill): string[] {
  return [
    ...findings.map(({ severity, rule, file, title }) => `${severity}: ${name}/${file}: ${title} (${rule})`),
    ...unread.map((file) => `unread: ${name}/${file}: the security scan cannot look into it`),
  ];
}

function summary({ dry_run, skills }: AddReport): string {
  const fresh = skills.filter(({ state }) => state === 'installed').map(({ name }) => printable(name));
  if (dry_run) return `would install ${plural(fresh.length, 'skill')}; nothing was changed`;
  const edited = skills.filter(({ state }) => state === 'edited').map(({ name }) => printable(name));
  if (edited.length > 0)
    return `${enumerate(edited)} was edited here and is left alone; \`colibri verify\` tells where`;
  if (fresh.length === 0) return 'everything is there already, as the lock says';
  const look = fresh.length === 1 ? 'look at it' : 'look at them';
  return `installed ${plural(fresh.length, 'skill')}; ${look}, then run \`colibri trust ${fresh.join(' ')}\``;
}
