/** `colibri.policy.yaml`: its shape, and the frozen policy that it becomes. Pure. */
import { z } from 'zod';

import { nearest } from '../../lib/text.ts';
import { parseYaml } from '../../lib/yaml.ts';
import { parseToolPattern } from './patterns.ts';
import { lineOfIssue } from './policy-lines.ts';
import { EMBEDDED_PROFILES } from './profiles.ts';
import type { Policy, Profile, Rule } from './rule.ts';

export interface PolicyProblem {
  readonly file: string;
  /** 1-based, where known. */
  readonly line: number | null;
  /** Names the place and says the fix. */
  readonly message: string;
}

export interface ParsedPolicy {
  readonly policy: Policy;
  /** When set, the policy denies everything. */
  readonly problem: PolicyProblem | null;
}

/** More rules than anybody can follow; every call walks through them. */
const RULES_MAX = 500;
const PROFILES_MAX = 50;

const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const glob = z.string().min(1).max(200);

const ruleShape = z.strictObject({
  effect: z.enum(['allow', 'ask', 'deny']).describe('what happens to a call that matches'),
  tool: z
    .string()
    .min(1)
    .describe('which calls: Read, mcp__server__*, Bash(git:*), Bash(npm run test), Read(src/**), *'),
  skill: glob.optional().describe('only calls made for skills whose name matches this glob'),
  agent_tier: z
    .array(z.enum(['T0', 'T1', 'T2', 'T3', 'T4']))
    .min(1)
    .optional()
    .describe('only calls of agents of these tiers'),
  root: glob.optional().describe('only calls made for skills from roots that match this glob'),
  widen: z
    .boolean()
    .optional()
    .describe('lift the limits of allowed-tools for the one skill that `skill` names'),
  reason: z.string().min(1).max(500).optional().describe('shown to whoever is asked or refused'),
});

const rule = ruleShape.superRefine(({ effect, tool, skill, widen }, context) => {
  const pattern = parseToolPattern(tool);
  const add = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  if (!pattern.ok) add('tool', `\`${tool}\` ${pattern.problem}`);
  if (widen !== true) return;
  if (effect === 'deny') add('widen', 'a deny rule widens nothing; remove `widen`');
  // With a glob, any skill that is given a fitting name would be widened, also one that comes tomorrow.
  if (skill === undefined || /[*?]/.test(skill))
    add('skill', 'a rule with `widen: true` names one skill; write its name without `*`');
});

const profile = z.strictObject({
  rules: z.array(rule).max(RULES_MAX).describe('in order: the first that matches a call decides it'),
});

const installRule = z.strictObject({
  effect: z.enum(['allow', 'ask', 'deny']).describe('what happens to a source that matches'),
  source: glob.describe('which sources: https://github.com/our-team/**, file:///srv/skills/**'),
  reason: z.string().min(1).max(500).optional().describe('shown to whoever is asked or refused'),
});

const wholeFile = z
  .strictObject({
    $schema: z.string().optional(),
    use: z
      .string()
      .optional()
      .describe('the profile in force: default, read-only, full-auto or one of yours'),
    profiles: z
      .record(z.string().regex(NAME, 'use lower-case letters, digits and hyphens'), profile)
      .optional()
      .describe('your own profiles, by name'),
    install: z
      .array(installRule)
      .max(RULES_MAX)
      .optional()
      .describe('where skills may come from, in order: the first that matches a source decides it'),
    unsandboxed: z.boolean().optional().describe('run scripts also where there is no sandbox'),
    network: z.enum(['none', 'host']).optional().describe('what scripts in the sandbox may reach'),
  })
  .describe('What agents and skills may do in one workspace')
  .superRefine(checkProfiles);

type PolicyFile = z.output<typeof wholeFile>;

function checkProfiles({ use, profiles = {} }: PolicyFile, context: z.core.$RefinementCtx): void {
  const add = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
  const embedded = Object.keys(EMBEDDED_PROFILES);
  const own = Object.keys(profiles);
  for (const name of own.filter((candidate) => embedded.includes(candidate)))
    add(['profiles', name], `${name} is built in and means the same everywhere; choose another name`);
  if (own.length > PROFILES_MAX) add(['profiles'], `more than ${PROFILES_MAX} profiles; remove some`);
  const known = [...own, ...embedded];
  if (use === undefined || known.includes(use)) return;
  const [near] = nearest(use, known);
  const hint = near === undefined ? `use one of ${known.join(', ')}` : `did you mean ${near}?`;
  add(['use'], `no profile ${JSON.stringify(use)}; ${hint}`);
}

/** The policy of a workspace without a policy file. */
export function embeddedPolicy(use = 'default'): Policy {
  return freeze({ profiles: EMBEDDED_PROFILES, use, install: [], unsandboxed: false, network: 'none' });
}

/** Reads the text of a policy file. One that cannot be understood denies everything: guessing could allow something. */
export function parsePolicy(text: string, file: string): ParsedPolicy {
  const yaml = parseYaml(text.endsWith('\n') ? text : `${text}\n`);
  if (!yaml.ok) {
    const { message, line } = yaml.problem;
    return refusedPolicy({ file, line, message: `is not valid YAML: ${message}` });
  }
  if (yaml.value === null) {
    const message = 'is empty; delete it to have the default profile, or name one: `use: default`';
    return refusedPolicy({ file, line: 1, message });
  }
  const parsed = wholeFile.safeParse(yaml.value);
  if (parsed.success) return { policy: policyOf(parsed.data), problem: null };
  const [issue] = parsed.error.issues;
  const line = issue === undefined ? null : lineOfIssue(text, issue.path, unknownKeyOf(issue));
  const more = parsed.error.issues.length - 1;
  const message = (issue === undefined ? '' : describeIssue(issue)) + (more > 0 ? ` (and ${more} more)` : '');
  return refusedPolicy({ file, line, message });
}

export function refusedPolicy(problem: PolicyProblem): ParsedPolicy {
  const rules: Rule[] = [
    {
      effect: 'deny',
      tool: { text: '*', tool: '*', argument: { kind: 'any' } },
      reason: problemText(problem),
    },
  ];
  const policy: Policy = { ...embeddedPolicy(), profiles: { refused: { rules } }, use: 'refused' };
  return { policy: freeze(policy), problem };
}

/** One sentence: the file, the line, what is wrong and how to mend it. */
export function problemText({ file, line, message }: PolicyProblem): string {
  return `${file}${line === null ? '' : `:${line}`} ${message}; until it is mended everything is denied`;
}

/** For editors; `schema/colibri.policy.schema.json` is this, formatted. */
export function policyJsonSchema(): Readonly<Record<string, unknown>> {
  // Draft 7 is the newest that the common editors understand completely.
  return { title: 'colibri.policy', ...z.toJSONSchema(wholeFile, { target: 'draft-7', io: 'input' }) };
}

function policyOf(file: PolicyFile): Policy {
  const profiles: Record<string, Profile> = { ...EMBEDDED_PROFILES };
  for (const [name, { rules }] of Object.entries(file.profiles ?? {}))
    profiles[name] = { rules: rules.map(ruleOf) };
  return freeze({
    profiles,
    use: file.use ?? 'default',
    install: (file.install ?? []).map(withoutAbsent),
    unsandboxed: file.unsandboxed ?? false,
    network: file.network ?? 'none',
  });
}

function ruleOf({ tool, ...rest }: z.output<typeof rule>): Rule {
  const parsed = parseToolPattern(tool);
  if (!parsed.ok) throw new Error(`a pattern that was checked cannot be read: ${tool}`);
  return { ...withoutAbsent(rest), tool: parsed.pattern };
}

/** Absent members stay absent, so that a rule prints as it was written. */
function withoutAbsent<T extends object>(rule: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // Only members that are undefined are left out, and the result says so.
  return Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const where = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  const unknown = unknownKeyOf(issue);
  // Of a key that may not be, zod itself says only that it may not.
  if (issue.code === 'invalid_key') return `${where}${issue.issues[0]?.message ?? issue.message}`;
  if (unknown === null) return `${where}${issue.message}`;
  const known = keysAt(issue.path);
  const [near] = nearest(unknown, known);
  const hint = near === undefined ? `known here: ${known.join(', ')}` : `did you mean ${near}?`;
  return `${where}unknown key ${unknown} (${hint})`;
}

function unknownKeyOf(issue: z.core.$ZodIssue): string | null {
  return issue.code === 'unrecognized_keys' ? (issue.keys[0] ?? null) : null;
}

function keysAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(wholeFile.shape);
  if (path[0] === 'install') return Object.keys(installRule.shape);
  return Object.keys((path.length === 2 ? profile : ruleShape).shape);
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const member of Object.values(value)) freeze(member);
    Object.freeze(value);
  }
  return value;
}
