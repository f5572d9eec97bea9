import type { Diagnostic } from '../../lib/diagnostics.ts';

/** Every finding about a skill file. docs/diagnostics.md lists the same codes; a test holds the two together. */
export const DIAGNOSTIC_CODES = {
  'path-missing': 'the path does not exist',
  'path-not-directory': 'the path is neither a skill directory nor its SKILL.md',
  'skill-md-missing': 'the directory holds no SKILL.md',
  'file-unreadable': 'the file exists but cannot be opened or read',
  'file-not-regular': 'SKILL.md is a directory, pipe, socket or device instead of a regular file',
  'file-too-large': 'the file is larger than 1 MiB',
  'file-empty': 'the file holds no bytes',
  'link-outside': 'SKILL.md is a link that leads outside the allowed roots',
  'link-broken': 'SKILL.md is a link that leads nowhere',
  'link-loop': 'SKILL.md is a link that leads back to itself',
  'encoding-invalid': 'the file is not UTF-8 text',
  'frontmatter-missing': 'the file does not start with YAML frontmatter',
  'frontmatter-unclosed': 'the frontmatter has no closing line within 16 KiB',
  'frontmatter-shape': 'the frontmatter is not a YAML mapping',
  'yaml-invalid': 'the frontmatter is not valid YAML',
  'yaml-unsupported': 'the frontmatter uses a YAML feature that skills may not use',
  'yaml-repaired': 'an unquoted colon in the description was repaired while reading',
  'field-missing': 'a required field is missing',
  'field-type': 'a field holds the wrong type of value',
  'field-blank': 'a field is empty',
  'field-length': 'a field is longer than allowed',
  'field-value': 'a field holds a value outside the allowed ones',
  'text-invalid': 'a text holds NUL or half a surrogate pair',
  'hidden-text': 'the name or description holds characters that a reader cannot see',
  'angle-brackets': 'the description holds < or >, which upload validators refuse',
  'name-case': 'the name is not lowercase',
  'name-hyphen-edge': 'the name starts or ends with a hyphen',
  'name-hyphen-double': 'the name holds consecutive hyphens',
  'name-characters': 'the name holds characters other than letters, digits and hyphens',
  'name-unicode': 'the name uses letters beyond a-z and 0-9',
  'name-directory': "the name differs from the directory's name",
  'name-encoding': "the directory's name is not valid UTF-8",
  'metadata-coerced': 'a metadata value was not a string and was read as one',
  'tools-list': 'tools are written as a YAML list instead of one string',
  'nonstandard-field': 'a top-level field is not part of the Agent Skills standard',
  'tier-widened': 'invokable_by allows agents that the tier does not',
  'body-long': 'the body is longer than 5000 tokens',
  'too-many-files': 'the skill directory holds more than 512 files',
  'tree-too-large': 'the files of the skill directory hold more than 16 MiB',
} as const;

export type DiagnosticCode = keyof typeof DIAGNOSTIC_CODES;

export type SkillDiagnostic = Diagnostic<DiagnosticCode>;
