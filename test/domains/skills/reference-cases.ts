/**
 * The cases of the Agent Skills reference validator's own test suite, as data for `inspectSkill` and the CLI.
 * Where Colibri decides otherwise on purpose, `deviation` says why.
 */
import type { Profile } from '../../../src/domains/skills/schema.ts';

export interface ReferenceCase {
  /** The suite and test that the case stands for. */
  readonly id: string;
  /** Path inside an empty directory → content. */
  readonly files: Readonly<Record<string, string>>;
  /** Directories to make, where there is no file to make them for. */
  readonly directories?: readonly string[];
  /** What is inspected: none means that there is nothing to validate. */
  readonly targets: readonly string[];
  readonly profile: Profile;
  readonly valid: boolean;
  /** A part of the first error's message. */
  readonly notion?: string;
  readonly deviation?: string;
}

function skill(name: string, extra = '', description = 'A test skill'): string {
  return `---\nname: ${name}\ndescription: ${description}\n${extra}---\n# My Skill\n`;
}

function valid(id: string, files: Record<string, string>, profile: Profile = 'strict'): ReferenceCase {
  const targets = [...new Set(Object.keys(files).map((file) => file.slice(0, file.lastIndexOf('/'))))];
  return { id, files, targets, profile, valid: true };
}

function invalid(id: string, content: string, notion: string, directory = 'my-skill'): ReferenceCase {
  const files = { [`${directory}/SKILL.md`]: content };
  return { id, files, targets: [directory], profile: 'strict', valid: false, notion };
}

function absent(id: string, notion: string): ReferenceCase {
  return {
    id,
    files: {},
    directories: ['empty'],
    targets: ['empty'],
    profile: 'strict',
    valid: false,
    notion,
  };
}

const LOWERCASE_FILE = {
  files: { 'my-skill/skill.md': skill('my-skill') },
  targets: ['my-skill'],
  profile: 'strict',
  valid: false,
  notion: 'did you mean SKILL.md',
  deviation: 'the client guide and MCP want exactly SKILL.md; the fix is said instead',
} as const;

export const REFERENCE_CASES: readonly ReferenceCase[] = [
  valid('parser/valid_frontmatter', { 'my-skill/SKILL.md': skill('my-skill') }),
  invalid('parser/missing_frontmatter', '# No frontmatter here\n', 'must start with YAML frontmatter'),
  invalid(
    'parser/unclosed_frontmatter',
    '---\nname: my-skill\ndescription: A test skill\n',
    'not properly closed',
  ),
  invalid('parser/invalid_yaml', '---\nname: [invalid\ndescription: x\n---\n', 'invalid YAML'),
  invalid('parser/non_dict_frontmatter', '---\n- just\n- a\n- list\n---\n', 'must be a YAML mapping'),
  valid('parser/read_valid_skill', { 'my-skill/SKILL.md': skill('my-skill', 'license: MIT\n') }),
  valid('parser/read_with_metadata', {
    'my-skill/SKILL.md': skill('my-skill', 'metadata:\n  author: Test Author\n  version: 1.0\n'),
  }),
  absent('parser/missing_skill_md', 'SKILL.md not found'),
  invalid('parser/missing_name', '---\ndescription: A test skill\n---\n', 'missing required field name'),
  invalid('parser/missing_description', '---\nname: my-skill\n---\n', 'missing required field description'),
  valid('parser/find_skill_md_prefers_uppercase', {
    'my-skill/SKILL.md': skill('my-skill'),
    'my-skill/skill.md': 'not a skill',
  }),
  { id: 'parser/find_skill_md_accepts_lowercase', ...LOWERCASE_FILE },
  absent('parser/find_skill_md_returns_none_when_missing', 'missing required file: SKILL.md'),
  { id: 'parser/read_properties_with_lowercase_skill_md', ...LOWERCASE_FILE },
  valid('parser/read_with_allowed_tools', {
    'my-skill/SKILL.md': skill('my-skill', 'allowed-tools: Bash(jq:*) Bash(git:*)\n'),
  }),

  { id: 'prompt/empty_list', files: {}, targets: [], profile: 'strict', valid: true },
  valid('prompt/single_skill', { 'my-skill/SKILL.md': skill('my-skill') }),
  valid('prompt/multiple_skills', {
    'skill-a/SKILL.md': skill('skill-a'),
    'skill-b/SKILL.md': skill('skill-b'),
  }),
  valid('prompt/special_characters_escaped', {
    'special/SKILL.md': skill('special', '', 'Use <foo> & <bar> tags'),
  }),

  valid('validator/valid_skill', { 'my-skill/SKILL.md': skill('my-skill') }),
  {
    id: 'validator/nonexistent_path',
    files: {},
    targets: ['nowhere'],
    profile: 'strict',
    valid: false,
    notion: 'does not exist',
  },
  {
    id: 'validator/not_a_directory',
    files: { 'file.txt': 'text' },
    targets: ['file.txt'],
    profile: 'strict',
    valid: false,
    notion: 'is not a directory',
  },
  absent('validator/missing_skill_md', 'missing required file: SKILL.md'),
  invalid('validator/invalid_name_uppercase', skill('MySkill'), 'must be lowercase', 'MySkill'),
  invalid('validator/name_too_long', skill('a'.repeat(70)), 'exceeds the 64 character limit', 'a'.repeat(70)),
  invalid(
    'validator/name_leading_hyphen',
    skill('-my-skill'),
    'cannot start or end with a hyphen',
    '-my-skill',
  ),
  invalid('validator/name_consecutive_hyphens', skill('my--skill'), 'consecutive hyphens', 'my--skill'),
  invalid('validator/name_invalid_characters', skill('my_skill'), 'invalid characters', 'my_skill'),
  invalid('validator/name_directory_mismatch', skill('correct-name'), 'must match skill name', 'wrong-name'),
  {
    ...invalid('validator/unexpected_fields', skill('my-skill', 'unknown_field: x\n'), 'unexpected field'),
    profile: 'publish',
    deviation: 'an error only under publish, because hosts tolerate fields of their own; elsewhere a warning',
  },
  valid('validator/valid_with_all_fields', {
    'my-skill/SKILL.md': skill('my-skill', 'license: MIT\nmetadata:\n  author: Test\n'),
  }),
  valid('validator/allowed_tools_accepted', {
    'my-skill/SKILL.md': skill('my-skill', 'allowed-tools: Bash(jq:*) Bash(git:*)\n'),
  }),
  valid('validator/i18n_chinese_name', { '技能/SKILL.md': skill('技能') }, 'lenient'),
  valid('validator/i18n_russian_name_with_hyphens', { 'мой-навык/SKILL.md': skill('мой-навык') }, 'lenient'),
  valid('validator/i18n_russian_lowercase_valid', { 'навык/SKILL.md': skill('навык') }, 'lenient'),
  {
    ...invalid('validator/i18n_russian_uppercase_rejected', skill('НАВЫК'), 'must be lowercase', 'НАВЫК'),
    profile: 'lenient',
  },
  invalid(
    'validator/description_too_long',
    skill('my-skill', '', 'x'.repeat(1100)),
    'exceeds the 1024 character limit',
  ),
  valid('validator/valid_compatibility', {
    'my-skill/SKILL.md': skill('my-skill', 'compatibility: Requires Python 3.11+\n'),
  }),
  invalid(
    'validator/compatibility_too_long',
    skill('my-skill', `compatibility: ${'x'.repeat(550)}\n`),
    'exceeds the 500 character limit',
  ),
  valid('validator/nfkc_normalization', { 'caf\u00e9/SKILL.md': skill('cafe\u0301') }, 'lenient'),
];
