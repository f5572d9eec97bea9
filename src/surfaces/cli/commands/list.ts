import path from 'node:path';

import { printable } from '../../../lib/text.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from '../command.ts';
import type { Output } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { tabLines, tableLines } from '../table.ts';

type Skill = ReturnType<BootedRuntime['skills']['list']>[number];

export function run(context: CommandContext): Promise<ExitCode> {
  return withRuntime(context, (runtime) => {
    const { flags, out } = context;
    const filters = { search: flags.values.get('search'), capability: flags.values.get('capability') };
    const filtered = filters.search !== undefined || filters.capability !== undefined;
    const skills = runtime.skills.list(filters);
    const { rejected } = runtime.skills.counts();
    if (flags.switches.has('json')) {
      out.json({ skills, rejected });
      return EXIT.ok;
    }
    out.lines(skillLines(skills, out));
    const total = filtered ? runtime.skills.names().length : skills.length;
    const root = printable(rootAsTyped(runtime.skills.roots[0]?.path ?? '.agents/skills', context.host.cwd));
    const note = summary({ root, shown: skills.length, total, rejected }, out);
    if (note !== null) out.note(note);
    return EXIT.ok;
  });
}

function skillLines(skills: readonly Skill[], out: Output): string[] {
  const rows = skills.map((skill) =>
    [skill.name, skill.version ?? '-', skill.source, skill.description].map(printable),
  );
  if (!out.terminal) return tabLines(rows);
  if (rows.length === 0) return [];
  const [header = '', ...lines] = tableLines({
    header: ['NAME', 'VERSION', 'SOURCE', 'DESCRIPTION'],
    rows,
    width: out.width,
  });
  return [out.paint('bold', header), ...lines];
}

interface Tally {
  readonly root: string;
  readonly shown: number;
  readonly total: number;
  readonly rejected: number;
}

function summary({ root, shown, total, rejected }: Tally, out: Output): string | null {
  if (total === 0 && rejected === 0) {
    return `no skills in ${root} yet: put one at ${path.join(root, '<name>', 'SKILL.md')}, then run \`colibri list\``;
  }
  const why = `${rejected} rejected (\`colibri validate ${root}\` tells why)`;
  // A skill that vanished without a word costs its author an afternoon, so this is said beside a pipe, too.
  if (!out.terminal) return rejected > 0 ? why : null;
  const count = shown === total ? plural(total, 'skill') : `${shown} of ${plural(total, 'skill')}`;
  const facts = [`${count} from ${root}`, ...(rejected > 0 ? [why] : [])].join(', ');
  return `${facts}; connect a client with \`colibri serve\` (MCP on stdio)`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Relative where that is shorter to type. */
function rootAsTyped(root: string, cwd: string): string {
  const relative = path.relative(cwd, root);
  return relative !== '' && !relative.startsWith('..') ? relative : root;
}
