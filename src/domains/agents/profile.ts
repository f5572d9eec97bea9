/** Reads the text of a profile. Pure. */
import path from 'node:path';

import type { z } from 'zod';

import { parseYaml } from '../../lib/yaml.ts';
import { type ProfileDefinition, profileSchema } from './schema.ts';

export type ParsedProfile =
  | { readonly ok: true; readonly profile: ProfileDefinition }
  | { readonly ok: false; readonly problem: string };

/** `file` is absolute; the profile has the name of its file. */
export function parseProfile(text: string, file: string): ParsedProfile {
  const yaml = parseYaml(text.endsWith('\n') ? text : `${text}\n`);
  if (!yaml.ok) {
    const { message, line } = yaml.problem;
    return { ok: false, problem: `is not valid YAML${line === null ? '' : ` (line ${line})`}: ${message}` };
  }
  const parsed = profileSchema.safeParse(yaml.value);
  if (!parsed.success) return { ok: false, problem: parsed.error.issues.map(describeIssue).join('; ') };
  const { agent_type, runtime } = parsed.data;
  const name = path.basename(file, '.yaml');
  if (agent_type !== name) {
    return { ok: false, problem: `agent_type is ${agent_type}; rename the file to ${agent_type}.yaml` };
  }
  const command = runtime.command.map((word) => placeOf(word, path.dirname(file)));
  return { ok: true, profile: { ...parsed.data, runtime: { ...runtime, command } } };
}

/** An agent runs in its worktree, where a path relative to the profile would mean something else. */
function placeOf(word: string, folder: string): string {
  return /^\.\.?\//.test(word) ? path.resolve(folder, word) : word;
}

function describeIssue({ path: where, message, code, ...rest }: z.core.$ZodIssue): string {
  const place = where.length === 0 ? '' : `${where.join('.')}: `;
  if (code === 'unrecognized_keys' && 'keys' in rest) return `${place}unknown key ${String(rest.keys)}`;
  return message.endsWith('received undefined') ? `${place}is missing` : `${place}${message}`;
}
