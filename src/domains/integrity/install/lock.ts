/** `colibri.lock.json`: what was installed, from where, and every byte of it. Pure. */
import path from 'node:path';

import { z } from 'zod';

import { messageOf } from '../../../lib/errors.ts';
import { type PinnedFiles, treeDigest } from './bundle.ts';
import { nameProblem } from './entry-name.ts';
import { makeSource, type Source, type SourceKind } from './source.ts';

export const LOCK_FILE = 'colibri.lock.json';
const LOCK_VERSION = 1;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits');
const pathName = z.string().refine((name) => nameProblem(name) === null, 'is no path inside the skill');
/** The name of a skill and of its folder, which stands in the root itself. */
export const skillFolder: z.ZodType<string> = z
  .string()
  .refine((name) => nameProblem(name) === null && !/^\.|\//.test(name), 'is no name of a skill');

const entryShape = z.strictObject({
  kind: z.enum(['git', 'path', 'archive', 'well-known']).describe('what kind of source it is'),
  source: z.string().min(1).describe('a URL, or a path; one inside the workspace begins with ./'),
  ref: z
    .string()
    .nullable()
    .describe('the branch or tag that updates follow; null follows the default branch'),
  commit: z
    .string()
    .regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'must be a whole commit id')
    .nullable()
    .describe('what git had; null for other kinds'),
  subpath: z.string().describe('the folder of the skill inside the source'),
  artifact: sha256.nullable().describe('sha256 of the archive it came in; null when it came in none'),
  accepted: z.array(z.string()).describe('rules of the security scan whose findings somebody let through'),
  digest: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hex digits')
    .describe('over all lines `mode sha256 path`, in order of path'),
  files: z
    .record(pathName, z.strictObject({ sha256, mode: z.enum(['644', '755']) }))
    .describe('every file by its path'),
});

const lockShape = z.strictObject({
  version: z.literal(LOCK_VERSION),
  skills: z.record(skillFolder, entryShape),
});

export interface LockEntry {
  readonly kind: SourceKind;
  readonly source: string;
  readonly ref: string | null;
  readonly commit: string | null;
  readonly subpath: string;
  readonly artifact: string | null;
  readonly accepted: readonly string[];
  readonly digest: string;
  readonly files: PinnedFiles;
}

export interface Lock {
  readonly version: 1;
  readonly skills: Readonly<Record<string, LockEntry>>;
}

export const EMPTY_LOCK: Lock = { version: LOCK_VERSION, skills: {} };

export type ParsedLock =
  | { readonly ok: true; readonly lock: Lock }
  | { readonly ok: false; readonly reason: string };

export function parseLock(text: string): ParsedLock {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { ok: false, reason: `it is not JSON: ${messageOf(error)}` };
  }
  const parsed = lockShape.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { ok: false, reason: `${issue?.path.join('.') || 'the whole'}: ${issue?.message}` };
  }
  // A digest that does not fit its own list was edited by hand, or merged by a tool that does not know it.
  const torn = Object.entries(parsed.data.skills).find(
    ([, { digest, files }]) => treeDigest(files) !== digest,
  );
  if (torn !== undefined) return { ok: false, reason: `skills.${torn[0]}.digest does not fit its files` };
  return { ok: true, lock: parsed.data };
}

/** The same lock always gives the same bytes. */
export function formatLock({ skills }: Lock): string {
  const sorted = mapSorted(skills, ({ files, accepted, digest, ...rest }) => ({
    kind: rest.kind,
    source: rest.source,
    ref: rest.ref,
    commit: rest.commit,
    subpath: rest.subpath,
    artifact: rest.artifact,
    accepted: [...accepted].sort(),
    digest,
    files: mapSorted(files, (file) => ({ sha256: file.sha256, mode: file.mode })),
  }));
  return `${JSON.stringify({ version: LOCK_VERSION, skills: sorted }, null, 2)}\n`;
}

function mapSorted<T, U>(map: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  const pairs = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(pairs.map(([key, value]) => [key, change(value)]));
}

export function withEntry(lock: Lock, name: string, entry: LockEntry | null): Lock {
  const { [name]: _, ...rest } = lock.skills;
  return { ...lock, skills: entry === null ? rest : { ...rest, [name]: entry } };
}

/** A place inside the folder of the lock is kept relative, so that the workspace can be moved and shared. */
export function lockLocation(location: string, base: string): string {
  if (!path.isAbsolute(location)) return location;
  const relative = path.relative(base, location);
  return relative === '..' || relative.startsWith(`..${path.sep}`) ? location : `./${relative}`;
}

export function entrySource({ kind, source, ref, subpath }: LockEntry, base: string): Source {
  const location = /^\.\//.test(source) ? path.join(base, source) : source;
  return makeSource({ kind, location, ref, subpath });
}

/** For editors; `schema/colibri.lock.schema.json` is this, formatted. */
export function lockJsonSchema(): Readonly<Record<string, unknown>> {
  return { title: 'colibri.lock', ...z.toJSONSchema(lockShape, { target: 'draft-7', io: 'input' }) };
}
