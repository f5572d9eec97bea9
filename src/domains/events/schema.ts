/** Every kind of event, the shape of its payload and who may see it. */
import { z } from 'zod';

export type Sensitivity = 'public' | 'pseudonymous' | 'private';

/** One of two skills that claim a name. */
export interface CollisionCandidate {
  readonly path: string;
  readonly source: string;
  readonly digest: string;
}

export interface EventPayloads {
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
    | { readonly kind: 'scan-aborted'; readonly detail: { readonly root: string; readonly reason: string } };
}

export type EventType = keyof EventPayloads;

export type EventDraft = {
  readonly [Type in EventType]: {
    readonly type: Type;
    readonly stream: string;
    readonly sessionId?: string;
    readonly actor: string;
    readonly parentId?: string;
    readonly sensitivity: Sensitivity;
    readonly payload: EventPayloads[Type];
  };
}[EventType];

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
const candidate = z.strictObject({ path: z.string(), source: z.string(), digest: z.string() });

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
  ]),
};

export const EVENT_TYPES: readonly string[] = Object.keys(SCHEMAS);

/** The payload, checked. One that does not fit is a bug of the writer, so it throws. */
export function checkPayload(draft: Pick<EventDraft, 'type' | 'payload'>): unknown {
  return SCHEMAS[draft.type].parse(draft.payload);
}
