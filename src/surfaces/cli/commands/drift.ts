import { isExecutable } from '../../../domains/integrity/drift-manifest.ts';
import type {
  DescribedFile,
  DescribedFinding,
  DriftReport,
  MirrorReport,
} from '../../../domains/integrity/drift-service.ts';
import { printable, printableBlock } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import type { Output } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { tabLines } from '../table.ts';
import { enumerate, plural } from '../wording.ts';

/** Findings are what the command is for, so they decide its exit code. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  return withRuntime(context, async ({ drift }) => {
    const diff = flags.switches.has('diff');
    const report = await drift.check({ diff });
    // Whoever asks for the lines is a reader, also at the far end of a pipe.
    const reader = out.terminal || diff;
    if (flags.switches.has('json')) out.json(report);
    else
      out.lines(report.mirrors.flatMap((mirror) => (reader ? mirrorLines(mirror, out) : mirrorRows(mirror))));
    for (const note of notes(report)) out.note(note);
    return report.drift > 0 ? EXIT.findings : EXIT.ok;
  });
}

function mirrorRows({ root, findings }: MirrorReport): string[] {
  return tabLines(findings.flatMap((finding) => rowsOf(root, finding)));
}

function mirrorLines({ root, findings }: MirrorReport, out: Output): string[] {
  return findings.flatMap((finding) => [
    headLine(root, finding, out),
    ...finding.files.flatMap((file) => fileLines(file, out)),
  ]);
}

/** In a pipe: kind, skill, mirror, file, what differs; one row for each file, or for the skill. */
function rowsOf(root: string, { kind, skill, reason, files }: DescribedFinding): string[][] {
  const row = [kind, skill, root];
  if (files.length === 0) return [[...row, '-', reason ?? '-'].map(printable)];
  return files.map((file) => [...row, file.path, wordsOf(file)].map(printable));
}

function headLine(root: string, { kind, skill, reason }: DescribedFinding, out: Output): string {
  const said: Readonly<Record<DescribedFinding['kind'], string>> = {
    'canonical-only': `not in ${root}`,
    'mirror-only': `only in ${root}`,
    changed: `differs in ${root}`,
    unreadable: reason ?? '',
  };
  return `${out.paint('bold', printable(skill))}  ${out.paint('yellow', kind)}  ${printable(said[kind])}`;
}

function fileLines(file: DescribedFile, out: Output): string[] {
  const line = `  ${printable(file.path)}: ${printable(wordsOf(file))}`;
  if (file.diff === null) return [line];
  if (!file.diff.shown) return [line, out.paint('dim', `    not shown: ${file.diff.why}`)];
  return [line, ...diffLines(file.diff.text, out)];
}

function diffLines(text: string, out: Output): string[] {
  const lines = printableBlock(text).replace(/\n$/, '').split('\n');
  return lines.map((line, index) => {
    // The first two lines name the files.
    if (index < 2) return `    ${out.paint('bold', line)}`;
    if (line.startsWith('+')) return `    ${out.paint('green', line)}`;
    if (line.startsWith('-')) return `    ${out.paint('red', line)}`;
    return `    ${line.startsWith('@@') ? out.paint('dim', line) : line}`;
  });
}

/** What differs in a file, and on which side it was changed. */
function wordsOf(file: DescribedFile): string {
  return `${changeOf(file)}${byWhom(file)}`;
}

function changeOf(file: DescribedFile): string {
  const { change, canonical, mirror, fields, body } = file;
  switch (change) {
    case 'canonical-only':
      return 'missing in the mirror';
    case 'mirror-only':
      return 'only in the mirror';
    case 'mode':
      return modesOf(file);
    case 'kind':
      return `a ${canonical?.kind ?? '?'} in the canonical root, a ${mirror?.kind ?? '?'} in the mirror`;
    case 'content': {
      const inside = [...fields.map(({ field }) => field), ...(body ? ['the text'] : [])];
      const content =
        inside.length === 0
          ? 'other content'
          : `${enumerate(inside)} differ${inside.length === 1 ? 's' : ''}`;
      return runs(canonical) === runs(mirror) ? content : `${content}; ${modesOf(file)}`;
    }
  }
}

function runs(side: DescribedFile['canonical']): boolean {
  return isExecutable(Number.parseInt(side?.mode ?? '0', 8));
}

function modesOf({ canonical, mirror }: DescribedFile): string {
  return `mode ${canonical?.mode ?? '?'} canonical, ${mirror?.mode ?? '?'} in the mirror`;
}

function byWhom({ changed_by: side }: DescribedFile): string {
  if (side === null) return '';
  return side === 'both'
    ? ' (changed on both sides)'
    : ` (changed in the ${side === 'mirror' ? 'mirror' : 'canonical root'})`;
}

function notes({ mirrors, drift }: DriftReport): string[] {
  if (mirrors.length === 0) return ['no mirror is configured; nothing can drift'];
  const lines = mirrors.map(({ root, exists, linked, in_step, links, findings }) => {
    if (!exists) return `${root} does not exist; \`colibri sync\` makes it`;
    if (linked) return `${root} is a link to the canonical root`;
    const linkedToo = links > 0 ? `, ${links} linked` : '';
    return `${root}: ${in_step} in step${linkedToo}, ${plural(findings.length, 'difference')}`;
  });
  return drift === 0 ? lines : [...lines, '`colibri sync --dry-run` shows what sync would do'];
}
