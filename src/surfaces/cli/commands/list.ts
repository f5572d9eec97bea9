import path from 'node:path';

import { hasHiddenCharacters, printable, printableBlock } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode, type OpenedIndex } from '../command.ts';
import { jsonText, type Output } from '../output.ts';
import { withIndex } from '../runtime.ts';
import { rowLines } from '../table.ts';
import { enumerate, plural, rejectedNote } from '../wording.ts';

type Skills = OpenedIndex['skills'];
type Skill = ReturnType<Skills['list']>[number];

export async function run(context: CommandContext): Promise<ExitCode> {
  if (context.flags.switches.has('all')) {
    const { runAll } = await import('../list-all.ts');
    return runAll(context);
  }
  if (context.flags.switches.has('outdated')) {
    const { runOutdated } = await import('../list-outdated.ts');
    return runOutdated(context);
  }
  return withIndex(context, ({ skills, switches, keep }) => {
    const { flags, out } = context;
    const filters = { search: flags.values.get('search'), capability: flags.values.get('capability') };
    const off = new Set(switches.off().map(({ name }) => name));
    const listed = () => skills.list(filters).filter(({ name }) => !off.has(name));
    const isAll = !filters.search && !filters.capability;
    if (flags.switches.has('json')) {
      const answer = { skills: listed(), rejected: skills.counts().rejected };
      const text = jsonText(answer, { pretty: out.terminal });
      out.lines([text]);
      if (!out.terminal && isAll) keep?.({ form: 'json', text: `${text}\n`, note: null });
      return EXIT.ok;
    }
    const ready = out.terminal || off.size > 0 ? undefined : skills.lines?.(filters);
    const { text, shown } = ready === undefined ? listingOf(listed(), out) : listingOfLines(ready);
    if (shown > 0) out.lines([text]);
    const note = summary(skills, { shown, off: off.size }, context);
    if (note !== null) out.note(note);
    // Of an empty list, what is said depends on where it was asked for.
    if (!out.terminal && isAll && shown > 0) keep?.({ form: 'lines', text: `${text}\n`, note });
    return EXIT.ok;
  });
}

interface Listing {
  readonly text: string;
  /** How many skills it shows. */
  readonly shown: number;
}

/** Hidden characters are rare, and to look for them line by line costs more than the list: once in all of it, then. */
function listingOfLines(lines: readonly string[]): Listing {
  const text = lines.join('\n');
  return {
    text: hasHiddenCharacters(text) ? lines.map(printableBlock).join('\n') : text,
    shown: lines.length,
  };
}

function listingOf(skills: readonly Skill[], out: Output): Listing {
  return { text: skillLines(skills, out).join('\n'), shown: skills.length };
}

function skillLines(skills: readonly Skill[], out: Output): string[] {
  const rows = skills.map((skill) =>
    [skill.name, skill.version ?? '-', skill.source, skill.description].map(printable),
  );
  return rowLines({ header: ['NAME', 'VERSION', 'SOURCE', 'DESCRIPTION'], rows }, out);
}

function summary(
  skills: Skills,
  { shown, off }: { readonly shown: number; readonly off: number },
  { host, out }: CommandContext,
): string | null {
  const counts = skills.counts();
  const { skills: total, rejected } = counts;
  if (total === 0 && rejected === 0) {
    const root = printable(rootAsTyped(skills.roots[0]?.path ?? '.agents/skills', host.cwd));
    return `no skills in ${root} yet: put one at ${path.join(root, '<name>', 'SKILL.md')}, then run \`colibri list\``;
  }
  const why = [
    ...(off > 0 ? [`${off} disabled (\`colibri list --all\` shows them)`] : []),
    ...(rejected > 0 ? [rejectedNote(counts)] : []),
  ];
  // Said beside a pipe, too, unlike the rest.
  if (!out.terminal) return why.length === 0 ? null : why.join(', ');
  const count = shown === total ? plural(total, 'skill') : `${shown} of ${plural(total, 'skill')}`;
  const used = skills.usedRoots();
  const from = used.length === 0 ? '' : ` from ${printable(enumerate(used))}`;
  return `${[`${count}${from}`, ...why].join(', ')}; connect a client with \`colibri serve\` (MCP on stdio)`;
}

/** Relative where that is shorter to type. */
function rootAsTyped(root: string, cwd: string): string {
  const relative = path.relative(cwd, root);
  return relative !== '' && !relative.startsWith('..') ? relative : root;
}
