import { judgeShadowed } from '../../../domains/skills/report.ts';
import { printableBlock } from '../../../lib/text.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { type Fact, factLines } from '../facts.ts';
import { withRuntime } from '../runtime.ts';

type Skills = BootedRuntime['skills'];
type Skill = ReturnType<Skills['require']>;

export function run(context: CommandContext): Promise<ExitCode> {
  return withRuntime(context, ({ skills }) => {
    const { args, flags, out } = context;
    const skill = skills.require(args[0] ?? '');
    const others = flags.switches.has('all') ? othersOf(skill, skills) : null;
    if (flags.switches.has('json')) {
      out.json(others === null ? skill : { skill, ...others });
      return EXIT.ok;
    }
    const facts = [...factsOf(skill), ...(others === null ? [] : otherFacts(others))];
    out.lines([...factLines(facts, out), '', printableBlock(skill.body).trimEnd()]);
    return EXIT.ok;
  });
}

/** The other folders that stand for this name. */
function othersOf(skill: Skill, skills: Skills) {
  const winner = { ...skill, directory: skill.source_dir };
  const shadowed = skills.shadowed(skill.name);
  return {
    shadowed: judgeShadowed({ roots: skills.roots, indexed: [winner], shadowed }),
    aliases: skills.aliases().filter(({ target }) => target === skill.source_dir),
  };
}

function otherFacts({ shadowed, aliases }: ReturnType<typeof othersOf>): readonly Fact[] {
  return [
    ...shadowed.map(({ path, source, digest, rule, same_content }): Fact => {
      const content = same_content ? 'same content' : 'other content';
      return ['shadowed', `${path} (${source}, ${content}, sha256:${digest}; ${rule})`];
    }),
    ...aliases.map(({ directory }): Fact => ['alias', directory]),
  ];
}

/** Label and value; an empty value is a fact that the skill does not state. */
function factsOf(skill: Skill): readonly Fact[] {
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
    ...skill.diagnostics.map(({ code, message }): Fact => ['warning', `${code}: ${message}`]),
  ];
}
