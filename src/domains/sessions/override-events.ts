/** The record of what became of the overrides that a skill proposed. Pure. */
import type { EventDraft } from '../events/schema.ts';
import type { OverrideDecision } from '../policy/overrides.ts';

type Draft = Pick<Extract<EventDraft, { type: 'skill.override' }>, 'type' | 'payload' | 'sensitivity'>;

export function overrideEvents(name: string, overrides: readonly OverrideDecision[]): readonly Draft[] {
  return overrides.map((override) => ({
    type: 'skill.override',
    sensitivity: 'pseudonymous',
    payload: { name, ...override },
  }));
}
