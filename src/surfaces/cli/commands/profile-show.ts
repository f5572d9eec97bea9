import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { withIndex } from '../runtime.ts';
import { rowLines } from '../table.ts';
import { plural } from '../wording.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  const [name = ''] = args;
  return withIndex(context, ({ skills, switches }) => {
    const reasons = new Map(switches.off(name).map((each) => [each.name, each.why]));
    const all = skills
      .names()
      .map((skill) => ({ name: skill, on: !reasons.has(skill), why: reasons.get(skill) ?? null }));
    const profile = switches.file().profiles[name];
    if (flags.switches.has('json')) out.json({ name, ...profile, skills: all });
    else {
      const rows = all.map((skill) => [skill.on ? 'on' : 'off', skill.name, skill.why ?? ''].map(printable));
      out.lines(rowLines({ header: ['STATE', 'NAME', 'WHY'], rows }, out));
    }
    const on = all.filter((skill) => skill.on).length;
    out.note(`${on} of ${plural(all.length, 'skill')} on in the profile ${name}`);
    return EXIT.ok;
  });
}
