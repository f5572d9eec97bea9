/** What the policy leaves in the event log: every decision on a call, the use of a wide profile, and trust. */
import type { EventPayloads } from '../events/schema.ts';

export type PolicyDecisionPayload = EventPayloads['policy.decision'];

/** Fits an `EventDraft` of the type `policy.decision`. */
export interface PolicyEventDraft {
  readonly type: 'policy.decision';
  readonly stream: string;
  readonly actor: string;
  readonly parentId?: string | undefined;
  readonly sensitivity: 'pseudonymous';
  readonly payload: PolicyDecisionPayload;
}
