import path from 'node:path';

import { ColibriError } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { wordsOf } from '../install-flags.ts';
import { withRuntime } from '../runtime.ts';
import { plural } from '../wording.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, host, out } = context;
  const folder = flags.values.get('out');
  if (folder === undefined)
    throw new ColibriError('USAGE', '`publish` needs the folder of the site: --out <dir>');
  return withRuntime(context, async ({ publish, skills }) => {
    const report = await publish.write({
      out: path.resolve(host.cwd, folder),
      baseUrl: flags.values.get('base-url'),
      skills: wordsOf(flags, 'skill'),
    });
    if (flags.switches.has('json')) out.json(report);
    else out.lines(report.skills.map(printable));
    const left = skills.count() - report.skills.length;
    const why =
      left === 0 || flags.values.has('skill')
        ? ''
        : `; ${left} left out: not of the workspace, or not fit (\`colibri validate --publish\` tells why)`;
    out.note(`published ${plural(report.skills.length, 'skill')} to ${printable(report.folder)}${why}`);
    return EXIT.ok;
  });
}
