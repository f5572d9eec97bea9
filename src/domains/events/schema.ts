/** Every kind of event, the shape of its payload and who may see it. */
import { z } from 'zod';

import type { Json } from '../../lib/json.ts';
import { AGENT_SCHEMAS, type AgentPayloads } from './agent-payloads.ts';
import { CARE_SCHEMAS, type CarePayloads } from './care-payloads.ts';
import { TASK_PRIVATE_MEMBERS, TASK_SCHEMAS, type TaskPayloads } from './task-payloads.ts';

export type Sensitivity = 'public' | 'pseudonymous' | 'private';

/** One of two skills that claim a name. */
export interface CollisionCandidate {
  readonly path: string;
  readonly source: string;
  readonly digest: string;
}

/** A pattern of tools, and what becomes of its calls. */
interface ToolEffect {
  readonly pattern: string;
  readonly effect: 'allow' | 'ask' | 'deny';
}

type PolicyDecisionPayload =
  | {
      readonly kind: 'call';
      readonly tool: string;
      /** May hold anything that a command line holds, so it is private. */
      readonly argument: string | null;
      readonly skill: string | null;
      readonly root: string | null;
      readonly trusted: boolean;
      readonly agent_tier: string;
      readonly effect: 'allow' | 'ask' | 'deny';
      readonly profile: string;
      readonly rule: number | null;
      readonly reason: string;
    }
  | { readonly kind: 'profile'; readonly profile: string; readonly policy_digest: string | null }
  | {
      readonly kind: 'trust' | 'untrust';
      readonly subject: 'skill' | 'file';
      readonly name: string;
      readonly path: string;
      readonly digest: string;
      /** Files that differ from what was trusted before; for the first time all of them. */
      readonly changed: readonly string[];
    };

export interface EventPayloads extends AgentPayloads, CarePayloads, TaskPayloads {
  readonly 'skill.catalog_updated': {
    /** Visible skills after the change. */
    readonly count: number;
    readonly roots: readonly { readonly path: string; readonly source: string; readonly count: number }[];
    readonly collisions: number;
    readonly added: number;
    readonly changed: number;
    readonly removed: number;
  };
  readonly 'skill.warning':
    | {
        readonly kind: 'collision';
        readonly name: string;
        readonly detail: {
          readonly rule: string;
          readonly winner: CollisionCandidate;
          readonly shadowed: CollisionCandidate;
        };
      }
    | { readonly kind: 'scan-aborted'; readonly detail: { readonly root: string; readonly reason: string } }
    | { readonly kind: 'budget'; readonly name: string; readonly detail: { readonly reason: string } }
    | {
        readonly kind: 'drift';
        readonly name: string;
        readonly detail: {
          readonly mirror: string;
          readonly change: 'canonical-only' | 'mirror-only' | 'changed' | 'unreadable';
          readonly files: readonly string[];
          readonly canonical_digest: string | null;
          readonly mirror_digest: string | null;
        };
      };
  /** The registry was signed off. */
  readonly 'round.started': {
    readonly round: string;
    readonly name: string | null;
    readonly digest: string;
    readonly skills: number;
  };
  /** Copies of skills were written, removed or taken back. */
  readonly 'mirror.synced': {
    readonly mirror: string;
    readonly copied: readonly string[];
    readonly removed: readonly string[];
    readonly collected: readonly string[];
    readonly kept: readonly string[];
  };
  readonly 'skill.loaded': {
    readonly skill_id: string;
    readonly skill_version: string;
    readonly load_reason: 'always' | 'on_demand' | 'auto_suggested';
    readonly load_size_tokens: number;
    readonly source: string;
    readonly triggered_by_tool_use_id: string | null;
    readonly name: string;
    readonly path: string;
    readonly digest: string;
    readonly frontmatter: Json;
    readonly effective_allowed_tools: readonly ToolEffect[];
    readonly warnings: readonly string[];
  };
  /** A person gave a command. */
  readonly 'skill.invoked': {
    readonly name: string;
    readonly args: string;
    readonly mode: 'manual' | 'auto';
    readonly effective_allowed_tools: readonly ToolEffect[];
  };
  /** What a skill wanted to change while it is used, and whether the policy let it. */
  readonly 'skill.override': {
    readonly name: string;
    readonly key: string;
    readonly value: string;
    readonly accepted: boolean;
    readonly profile: string;
    readonly rule: number | null;
    readonly reason: string;
  };
  /** A command of the user's own ran because of an event. */
  readonly 'hook.ran': {
    readonly hook: string;
    /** Of the event that it heard of. */
    readonly seq: number;
    readonly event_type: string;
    readonly exit_code: number | null;
    /** Why it was ended or could not start. */
    readonly stopped: string | null;
    /** The beginning of what it printed. */
    readonly output: string;
  };
  readonly 'tool.started': { readonly call_id: string; readonly tool: string; readonly input: Json };
  readonly 'tool.finished': {
    readonly call_id: string;
    readonly tool: string;
    readonly duration_ms: number;
    /** sha256 of the answer. */
    readonly result_digest: string;
  };
  readonly 'tool.failed': {
    readonly call_id: string;
    readonly tool: string;
    readonly duration_ms: number;
    readonly code: string;
    readonly message: string;
  };
  readonly 'policy.decision': PolicyDecisionPayload;
  readonly 'session.opened': { readonly generation: number; readonly options: Json; readonly skills: number };
  readonly 'session.refreshed': {
    readonly generation: number;
    readonly skills: number;
    /** What is marked as trusted from now on. */
    readonly trust?: { readonly roots: readonly string[]; readonly skills: readonly string[] } | undefined;
  };
  readonly 'session.closed': { readonly loads: number; readonly tokens: number };
}

export type EventType = keyof EventPayloads;

export type EventDraft = {
  readonly [Type in EventType]: {
    readonly type: Type;
    /** Where it must be known beforehand; by default a new one is made. */
    readonly id?: string | undefined;
    readonly stream: string;
    readonly actor: string;
    readonly parentId?: string | undefined;
    readonly sensitivity: Sensitivity;
    readonly payload: EventPayloads[Type];
  };
}[EventType];

/** Content and the sha256 that names it. */
export interface StoredArtifact {
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/** One row of the log, as it is hashed and stored. */
export interface EventRow {
  readonly seq: number;
  readonly id: string;
  readonly stream: string;
  readonly session_id: string | null;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  readonly parent_id: string | null;
  /** JSON. */
  readonly payload: string;
  readonly sensitivity: Sensitivity;
  readonly prev_hash: string;
  readonly hash: string;
}

/** Where events go; whoever writes facts is handed one, so that both land in one transaction. */
export interface EventLog {
  /** Must run inside a transaction: the sequence and the chain are read and then continued. */
  append(drafts: readonly EventDraft[]): readonly EventRow[];
  /** The same in a transaction of its own. */
  appendAlone(drafts: readonly EventDraft[]): readonly EventRow[];
}

const count = z.int().nonnegative();
const names = z.array(z.string());
// Values that were JSON before they came here.
const json = z.json() as z.ZodType<Json>;
const candidate = z.strictObject({ path: z.string(), source: z.string(), digest: z.string() });

const toolEffects = z.array(
  z.strictObject({ pattern: z.string(), effect: z.enum(['allow', 'ask', 'deny']) }),
);

const policyDecisionSchema: z.ZodType<PolicyDecisionPayload> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('call'),
    tool: z.string(),
    argument: z.string().nullable(),
    skill: z.string().nullable(),
    root: z.string().nullable(),
    trusted: z.boolean(),
    agent_tier: z.string(),
    effect: z.enum(['allow', 'ask', 'deny']),
    profile: z.string(),
    rule: z.int().positive().nullable(),
    reason: z.string(),
  }),
  z.strictObject({ kind: z.literal('profile'), profile: z.string(), policy_digest: z.string().nullable() }),
  z.strictObject({
    kind: z.enum(['trust', 'untrust']),
    subject: z.enum(['skill', 'file']),
    name: z.string(),
    path: z.string(),
    digest: z.string(),
    changed: z.array(z.string()),
  }),
]);

const SCHEMAS: { readonly [Type in EventType]: z.ZodType<EventPayloads[Type]> } = {
  'skill.catalog_updated': z.strictObject({
    count,
    roots: z.array(z.strictObject({ path: z.string(), source: z.string(), count })),
    collisions: count,
    added: count,
    changed: count,
    removed: count,
  }),
  'skill.warning': z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('collision'),
      name: z.string(),
      detail: z.strictObject({ rule: z.string(), winner: candidate, shadowed: candidate }),
    }),
    z.strictObject({
      kind: z.literal('scan-aborted'),
      detail: z.strictObject({ root: z.string(), reason: z.string() }),
    }),
    z.strictObject({
      kind: z.literal('budget'),
      name: z.string(),
      detail: z.strictObject({ reason: z.string() }),
    }),
    z.strictObject({
      kind: z.literal('drift'),
      name: z.string(),
      detail: z.strictObject({
        mirror: z.string(),
        change: z.enum(['canonical-only', 'mirror-only', 'changed', 'unreadable']),
        files: z.array(z.string()),
        canonical_digest: z.string().nullable(),
        mirror_digest: z.string().nullable(),
      }),
    }),
  ]),
  'round.started': z.strictObject({
    round: z.string(),
    name: z.string().nullable(),
    digest: z.string(),
    skills: count,
  }),
  'mirror.synced': z.strictObject({
    mirror: z.string(),
    copied: names,
    removed: names,
    collected: names,
    kept: names,
  }),
  'skill.loaded': z.strictObject({
    skill_id: z.string(),
    skill_version: z.string(),
    load_reason: z.enum(['always', 'on_demand', 'auto_suggested']),
    load_size_tokens: count,
    source: z.string(),
    triggered_by_tool_use_id: z.string().nullable(),
    name: z.string(),
    path: z.string(),
    digest: z.string(),
    frontmatter: json,
    effective_allowed_tools: toolEffects,
    warnings: z.array(z.string()),
  }),
  'skill.invoked': z.strictObject({
    name: z.string(),
    args: z.string(),
    mode: z.enum(['manual', 'auto']),
    effective_allowed_tools: toolEffects,
  }),
  'skill.override': z.strictObject({
    name: z.string(),
    key: z.string(),
    value: z.string(),
    accepted: z.boolean(),
    profile: z.string(),
    rule: z.int().positive().nullable(),
    reason: z.string(),
  }),
  'hook.ran': z.strictObject({
    hook: z.string(),
    seq: count,
    event_type: z.string(),
    exit_code: z.int().nullable(),
    stopped: z.string().nullable(),
    output: z.string(),
  }),
  'tool.started': z.strictObject({ call_id: z.string(), input: json, tool: z.string() }),
  'tool.finished': z.strictObject({
    call_id: z.string(),
    duration_ms: z.number(),
    result_digest: z.string(),
    tool: z.string(),
  }),
  'tool.failed': z.strictObject({
    call_id: z.string(),
    tool: z.string(),
    duration_ms: z.number(),
    code: z.string(),
    message: z.string(),
  }),
  'policy.decision': policyDecisionSchema,
  'session.opened': z.strictObject({ generation: count, options: json, skills: count }),
  'session.refreshed': z.strictObject({
    generation: count,
    skills: count,
    trust: z.strictObject({ roots: z.array(z.string()), skills: z.array(z.string()) }).optional(),
  }),
  'session.closed': z.strictObject({ loads: count, tokens: count }),
  ...CARE_SCHEMAS,
  ...TASK_SCHEMAS,
  ...AGENT_SCHEMAS,
};

export const EVENT_TYPES: readonly string[] = Object.keys(SCHEMAS);

/** Members of a payload that are private although the event as a whole is not. */
const PRIVATE_MEMBERS: { readonly [Type in EventType]?: readonly string[] } = {
  'skill.loaded': ['path', 'frontmatter', 'warnings'],
  'skill.invoked': ['args'],
  'skill.override': ['value', 'reason'],
  'hook.ran': ['output'],
  'policy.decision': ['argument', 'root', 'reason', 'path', 'changed'],
  'skill.created': ['path'],
  ...TASK_PRIVATE_MEMBERS,
  'agent.transitioned': ['reason'],
  'agent.ended': ['detail'],
  'agent.warning': ['detail'],
};

const LEVELS: readonly Sensitivity[] = ['public', 'pseudonymous', 'private'];

/** The row as somebody who may see up to `level` sees it; null when it is hidden altogether. */
export function redact(row: EventRow, level: Sensitivity): EventRow | null {
  if (LEVELS.indexOf(row.sensitivity) > LEVELS.indexOf(level)) return null;
  const hidden = PRIVATE_MEMBERS[row.type as EventType];
  if (level === 'private' || hidden === undefined) return row;
  const payload = JSON.parse(row.payload) as Record<string, unknown>;
  for (const member of hidden) delete payload[member];
  return { ...row, payload: JSON.stringify(payload) };
}

/** The payload, checked. One that does not fit is a bug of the writer, so it throws. */
export function checkPayload(draft: Pick<EventDraft, 'type' | 'payload'>): unknown {
  return SCHEMAS[draft.type].parse(draft.payload);
}
