import { printable, printableBlock } from '../../../lib/text.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from '../command.ts';
import type { Output } from '../output.ts';
import { withRuntime } from '../runtime.ts';

type Skill = ReturnType<BootedRuntime['skills']['require']>;

export function run(context: CommandContext): Promise<ExitCode> {
  return withRuntime(context, ({ skills }) => {
    const { args, flags, out } = context;
    const skill = skills.require(args[0] ?? '');
    if (flags.switches.has('json')) out.json(skill);
    else out.lines([...factLines(skill, out), '', printableBlock(skill.body).trimEnd()]);
    return EXIT.ok;
  });
}

function factLines(skill: Skill, out: Output): string[] {
  const facts = factsOf(skill).filter(([, value]) => value !== '');
  const width = Math.max(...facts.map(([label]) => label.length));
  return facts.map(([label, value]) => {
    const text = printable(value);
    return out.terminal ? `${out.paint('dim', label.padEnd(width))}  ${text}` : `${label}\t${text}`;
  });
}

/** Label and value; an empty value is a fact that the skill does not state. */
function factsOf(skill: Skill): readonly (readonly [string, string])[] {
  return [
    ['name', skill.name],
    ['description', skill.description],
    ['version', skill.version ?? ''],
    ['path', skill.path],
    ['source', skill.source],
    ['tier', `${skill.tier} (${skill.invokable_by.join(', ')})`],
    ['capabilities', skill.capabilities.join(', ')],
    ['category', skill.category ?? ''],
    ['greek letter', skill.greek_letter ?? ''],
    ['entrypoint', skill.entrypoint ?? ''],
    ['allowed tools', skill.allowed_tools.join(' ')],
    ['required tools', skill.required_tools.join(' ')],
    ['triggers', skill.triggers.join(', ')],
    ['license', skill.license ?? ''],
    ['compatibility', skill.compatibility ?? ''],
    ['body tokens', `${skill.body_tokens} (estimated)`],
    ['digest', `sha256:${skill.digest}`],
    ['loaded at', skill.loaded_at],
    ...skill.diagnostics.map(({ code, message }): [string, string] => ['warning', `${code}: ${message}`]),
  ];
}
