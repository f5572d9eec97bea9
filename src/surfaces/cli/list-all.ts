/** `colibri list --all`: every skill folder that a scan saw, and what became of it. */
import { firstError, judgeShadowed, mirrorOnly } from '../../domains/skills/report.ts';
import type { Diagnostic } from '../../lib/diagnostics.ts';
import { ColibriError } from '../../lib/errors.ts';
import { printable } from '../../lib/text.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from './command.ts';
import type { Output } from './output.ts';
import { withRuntime } from './runtime.ts';
import { tabLines, tableLines } from './table.ts';
import { plural, rejectedNote } from './wording.ts';

type Skills = BootedRuntime['skills'];
type Records = ReturnType<Skills['records']>;

interface Everything {
  readonly skills: readonly (ReturnType<Skills['list']>[number] & ListedState)[];
  readonly shadowed: ReturnType<typeof judgeShadowed<Records['shadowed'][number]>>;
  readonly aliases: Records['aliases'];
  readonly rejected: readonly RejectedLine[];
}

interface ListedState {
  readonly mirror_only: boolean;
  /** Why it is switched off; absent when it is on. */
  readonly disabled?: string;
}

interface RejectedLine {
  readonly directory: string;
  readonly root: string;
  readonly source: string;
  readonly lenient_ok: boolean;
  /** How many diagnostics there are in all. */
  readonly diagnostics: number;
  readonly first: Diagnostic | null;
}

export function runAll(context: CommandContext): Promise<ExitCode> {
  refuseNarrowing(context);
  return withRuntime(context, ({ skills, switches }) => {
    const { flags, out } = context;
    const everything = gather({ skills, switches });
    if (flags.switches.has('json')) {
      out.json(everything);
      return EXIT.ok;
    }
    out.lines(lines(everything, out));
    if (out.terminal || everything.rejected.length > 0) out.note(summary(everything));
    return EXIT.ok;
  });
}

/** Rejected folders have no fields to filter by, and one root alone has no precedence. */
function refuseNarrowing({ flags }: CommandContext): void {
  const narrowing = ['search', 'capability', 'skills-root'].find((name) => flags.values.has(name));
  if (narrowing === undefined) return;
  throw new ColibriError('USAGE', `--all and --${narrowing} contradict each other; keep one of them`);
}

function gather({ skills, switches }: Pick<BootedRuntime, 'skills' | 'switches'>): Everything {
  const records = skills.records();
  const reasons = new Map(switches.off().map(({ name, why }) => [name, why]));
  const onlyInMirror = new Set(mirrorOnly(records).map(({ name }) => name));
  return {
    skills: skills.list().map((skill) => {
      const disabled = reasons.get(skill.name);
      const state = { mirror_only: onlyInMirror.has(skill.name) };
      return { ...skill, ...state, ...(disabled === undefined ? {} : { disabled }) };
    }),
    shadowed: judgeShadowed(records),
    aliases: records.aliases,
    rejected: records.rejected.map((rejection) => {
      const { directory, root, source, lenient_ok, diagnostics } = rejection;
      const first = firstError(rejection);
      return { directory, root, source, lenient_ok, diagnostics: diagnostics.length, first };
    }),
  };
}

function lines(everything: Everything, out: Output): string[] {
  const rows = rowsOf(everything).map((row) => row.map(printable));
  if (!out.terminal) return tabLines(rows);
  if (rows.length === 0) return [];
  const cells = rows.map((row) => row.slice(0, -1));
  const [header = '', ...table] = tableLines({
    header: ['STATE', 'NAME', 'SOURCE', 'PATH'],
    rows: cells,
    width: out.width,
  });
  // The reason is what one came for, so it gets a line of its own instead of what is left of the row.
  const withRemarks = table.flatMap((line, index) => {
    const remark = rows[index]?.at(-1) ?? '';
    return remark === '' ? [line] : [line, `  ${out.paint('dim', remark)}`];
  });
  return [out.paint('bold', header), ...withRemarks];
}

/** State, name, source, path, remark; a copy stands below the skill that has its name. */
function rowsOf({ skills, shadowed, aliases, rejected }: Everything): string[][] {
  const copies = new Map<string, Everything['shadowed'][number][]>();
  for (const copy of shadowed) {
    const others = copies.get(copy.name);
    if (others === undefined) copies.set(copy.name, [copy]);
    else others.push(copy);
  }
  return [
    ...skills.flatMap((skill) => [
      [stateOf(skill), skill.name, skill.source, skill.path, skill.disabled ?? ''],
      ...(copies.get(skill.name) ?? []).map((copy) => {
        const content = copy.same_content ? 'same content' : 'other content';
        const remark = `${copy.winner_path} won: ${copy.rule}; ${content}`;
        return ['shadowed', copy.name, copy.source, copy.path, remark];
      }),
    ]),
    ...aliases.map(({ directory, target }) => ['alias', '-', '-', directory, `leads to ${target}`]),
    ...rejected.map(({ directory, source, first }) => {
      const remark = first === null ? '' : `${first.code}: ${first.message}`;
      return ['rejected', '-', source, directory, remark];
    }),
  ];
}

function stateOf({ mirror_only, disabled }: ListedState): string {
  if (disabled !== undefined) return 'disabled';
  return mirror_only ? 'mirror-only' : 'indexed';
}

function summary({ skills, shadowed, aliases, rejected }: Everything): string {
  const onlyInMirror = skills.filter(({ mirror_only }) => mirror_only).length;
  const lenientOk = rejected.filter(({ lenient_ok }) => lenient_ok).length;
  return [
    plural(skills.length, 'skill') + (onlyInMirror > 0 ? ` (${onlyInMirror} only in the mirror)` : ''),
    `${shadowed.length} shadowed`,
    `${aliases.length} ${aliases.length === 1 ? 'alias' : 'aliases'}`,
    rejected.length === 0 ? '0 rejected' : rejectedNote({ rejected: rejected.length, lenient_ok: lenientOk }),
  ].join(', ');
}
