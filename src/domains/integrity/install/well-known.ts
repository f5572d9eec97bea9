/** `/.well-known/agent-skills/index.json`, version 0.2 of the discovery format. Pure. */
import { z } from 'zod';

import { messageOf } from '../../../lib/errors.ts';
import { SKILLS_MAX } from './limits.ts';

export const INDEX_SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

export interface IndexEntry {
  readonly name: string;
  readonly type: 'skill-md' | 'archive';
  readonly description: string;
  /** Absolute. */
  readonly url: string;
  /** Hex. */
  readonly sha256: string;
}

export type ParsedIndex =
  | {
      readonly ok: true;
      readonly skills: readonly IndexEntry[];
      /** Names of entries of a kind that is not known here. */
      readonly skipped: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

const entryShape = z.object({
  name: z.string().min(1).max(64),
  type: z.string(),
  description: z.string(),
  url: z.string().min(1),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hex digits'),
});

const indexShape = z.object({
  $schema: z.string(),
  skills: z.array(z.unknown()).max(SKILLS_MAX),
});

/** `base` is where the index was in the end; addresses in it are relative to that. */
export function parseIndex(text: string, base: string): ParsedIndex {
  const fail = (reason: string): ParsedIndex => ({ ok: false, reason });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return fail(`it is not JSON: ${messageOf(error)}`);
  }
  const index = indexShape.safeParse(json);
  if (!index.success)
    return fail('it has no $schema or no list of skills; only version 0.2 of the format is read');
  if (index.data.$schema !== INDEX_SCHEMA) return fail(`it is of the unknown format ${index.data.$schema}`);
  const skills: IndexEntry[] = [];
  const skipped: string[] = [];
  for (const [at, raw] of index.data.skills.entries()) {
    const entry = entryShape.safeParse(raw);
    if (!entry.success) return fail(`entry ${at + 1}: ${issueText(entry.error)}`);
    const { name, type, description, url, digest } = entry.data;
    if (type !== 'skill-md' && type !== 'archive') skipped.push(name);
    else if (!URL.canParse(url, base)) return fail(`entry ${at + 1}: url is no valid address`);
    else skills.push({ name, type, description, url: new URL(url, base).href, sha256: digest.slice(7) });
  }
  const twice = skills.find(({ name }, at) => skills.findIndex((other) => other.name === name) !== at);
  return twice === undefined ? { ok: true, skills, skipped } : fail(`it names ${twice.name} twice`);
}

function issueText({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.')}: ${issue?.message}`;
}
