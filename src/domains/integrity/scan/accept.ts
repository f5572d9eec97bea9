/** The accept-list: findings that somebody has looked at and answers for, bound to the very content. Pure. */
import { z } from 'zod';

import { ColibriError } from '../../../lib/errors.ts';
import { parseYaml } from '../../../lib/yaml.ts';
import type { ScanFinding } from './scan-skill.ts';

export const ACCEPT_FILE = 'colibri.scan.yaml';

export interface Acceptance {
  readonly rule: string;
  readonly skill: string;
  /** Digest of the skill's content, as `colibri scan` prints it: a change asks again. */
  readonly digest: string;
  readonly reason: string;
}

export interface JudgedFinding extends ScanFinding {
  /** Why it is accepted; null when it counts. */
  readonly accepted: string | null;
}

/** More than this is no list of exceptions any more. */
const ENTRIES_MAX = 500;
/** Enough of a digest that two contents never share it by chance. */
const DIGEST = /^[0-9a-f]{16,64}$/;
const DIGEST_WANTED = 'must be the digest that `colibri scan` prints';
const REASON_WANTED = 'must say in a sentence why the finding is fine';

const file = z.strictObject({
  accept: z
    .array(
      z.strictObject({
        rule: z.string().min(1).max(64),
        skill: z.string().min(1).max(64),
        digest: z.string(DIGEST_WANTED).regex(DIGEST, DIGEST_WANTED),
        reason: z.string(REASON_WANTED).trim().min(10, REASON_WANTED).max(500),
      }),
    )
    .max(ENTRIES_MAX)
    .default([]),
});

export function parseAcceptList(text: string, rules: ReadonlySet<string>): readonly Acceptance[] {
  const yaml = parseYaml(text.endsWith('\n') ? text : `${text}\n`);
  if (!yaml.ok) return refuse(yaml.problem.message);
  const parsed = file.safeParse(yaml.value ?? {});
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return refuse(`${issue?.path.join('.') || 'the file'} ${issue?.message ?? 'cannot be used'}`);
  }
  const unknown = parsed.data.accept.find(({ rule }) => !rules.has(rule));
  if (unknown !== undefined) return refuse(`no rule is called ${unknown.rule}; docs/scan.md lists them`);
  return parsed.data.accept;
}

/** Marks what is accepted; nothing is left out, so a reader of the report sees it all the same. */
export function applyAcceptList(
  findings: readonly ScanFinding[],
  list: readonly Acceptance[],
  subject: { readonly skill: string; readonly digest: string },
): readonly JudgedFinding[] {
  const own = list.filter(
    ({ skill, digest }) => skill === subject.skill && subject.digest.startsWith(digest),
  );
  return findings.map((finding) => ({
    ...finding,
    accepted: own.find(({ rule }) => rule === finding.rule)?.reason ?? null,
  }));
}

function refuse(what: string): never {
  throw new ColibriError('CONFIG_INVALID', `${ACCEPT_FILE}: ${what}`, { file: ACCEPT_FILE });
}
