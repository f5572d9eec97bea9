/** What a command file says, and what a person types to give a command. Pure. */
import { parseYaml } from '../../lib/yaml.ts';
import { splitFrontmatter } from '../skills/format/frontmatter.ts';

export interface CustomCommand {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly string[];
  readonly argument_hint: string | null;
  readonly body: string;
}

/** Frontmatter is optional, and what cannot be read in it is as if it were not there: the text is what counts. */
export function parseCustomCommand(name: string, text: string): CustomCommand {
  const content = text.replace(/^\uFEFF/, '');
  const fences = splitFrontmatter(content);
  const fields = fences.kind === 'found' ? fieldsOf(fences.yaml) : {};
  const body = fences.kind === 'found' ? fences.body : content;
  return {
    name,
    description: textOf(fields['description']) ?? firstLine(body) ?? name,
    arguments: namesOf(fields['arguments']),
    argument_hint: textOf(fields['argument-hint']),
    body,
  };
}

export interface CommandText {
  readonly name: string;
  readonly args: string;
}

const COMMAND = /^\/skill:(\S+)(?:\s+([\s\S]*))?$/;

/** `/skill:name and the rest`; null for anything else. */
export function parseCommandText(text: string): CommandText | null {
  const [, name, args = ''] = COMMAND.exec(text.trim()) ?? [];
  return name === undefined ? null : { name, args };
}

function fieldsOf(yaml: string): Readonly<Record<string, unknown>> {
  const parsed = parseYaml(`${yaml}\n`);
  const isMap = parsed.ok && typeof parsed.value === 'object' && parsed.value !== null;
  return isMap && !Array.isArray(parsed.value) ? (parsed.value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** A list, or words parted by blanks. */
function namesOf(value: unknown): readonly string[] {
  const names = typeof value === 'string' ? value.split(/\s+/) : Array.isArray(value) ? value : [];
  return names.filter((name) => typeof name === 'string' && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name));
}

const DESCRIPTION_CHARS_MAX = 200;

function firstLine(body: string): string | null {
  const line = body.split('\n').find((candidate) => candidate.trim() !== '');
  return line === undefined
    ? null
    : line
        .replace(/^#+\s*/, '')
        .trim()
        .slice(0, DESCRIPTION_CHARS_MAX);
}
