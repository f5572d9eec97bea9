/** Hooks: commands of the user's own that run when an event matches. Pure. */
import { z } from 'zod';

import { parseYaml } from '../../lib/yaml.ts';
import type { EventRow } from './schema.ts';

export interface Hook {
  readonly name: string;
  /** Types of events, `*` for any part: `skill.loaded`, `policy.*`. */
  readonly on: string;
  /** Members of the payload that must match, each a text with `*` for any part. */
  readonly when: Readonly<Record<string, string>>;
  /** The program and its arguments; no shell reads them. The event goes to its standard input. */
  readonly run: readonly string[];
  readonly timeout_seconds: number;
}

export type ParsedHooks =
  | { readonly ok: true; readonly hooks: readonly Hook[] }
  | { readonly ok: false; readonly problem: string };

const HOOKS_MAX = 100;
const SECONDS = 10;
const SECONDS_MAX = 300;

const hookSchema = z.strictObject({
  name: z.string().min(1).max(64),
  on: z.string().min(1).max(64),
  when: z.record(z.string(), z.string()).default({}),
  run: z.array(z.string().min(1)).min(1).max(64),
  timeout_seconds: z.int().min(1).max(SECONDS_MAX).default(SECONDS),
});
const fileSchema = z.strictObject({ matching: z.array(hookSchema).max(HOOKS_MAX) });

/** `matching:` and the list of hooks. One mistake and none of them runs: half a set of hooks is a surprise. */
export function parseHooks(text: string): ParsedHooks {
  const yaml = parseYaml(text.endsWith('\n') ? text : `${text}\n`);
  if (!yaml.ok) return { ok: false, problem: `line ${yaml.problem.line ?? 1}: ${yaml.problem.message}` };
  const parsed = fileSchema.safeParse(yaml.value);
  if (parsed.success) return { ok: true, hooks: parsed.data.matching };
  const [issue] = parsed.error.issues;
  return { ok: false, problem: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'cannot be read'}` };
}

/** Hooks do not hear of hooks, or two of them would keep each other busy for ever. */
export function matchesHook({ on, when }: Hook, { type, payload }: EventRow): boolean {
  if (type.startsWith('hook.') || !matchesText(on, type)) return false;
  const wanted = Object.entries(when);
  if (wanted.length === 0) return true;
  const members = JSON.parse(payload) as Readonly<Record<string, unknown>>;
  return wanted.every(([member, pattern]) => {
    const value = Object.hasOwn(members, member) ? members[member] : undefined;
    return value !== undefined && matchesText(pattern, textOf(value));
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `*` stands for any text. Piece by piece from the left, so that it takes no longer than the text is. */
function matchesText(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length;
}
