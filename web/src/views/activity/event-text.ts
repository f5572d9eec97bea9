/** One line that says what an event is about. Pure. */
import type { Event } from '../../api/contract.ts';
import { foreign, plural } from '../../ui/format.ts';

const TELLING = [
  'tool',
  'name',
  'kind',
  'profile',
  'effect',
  'code',
  'reason',
  'message',
  'state',
  'task_id',
  'agent_id',
];

export function summaryOf({ type, payload }: Pick<Event, 'type' | 'payload'>): string {
  const facts = (typeof payload === 'object' && payload !== null ? payload : {}) as Record<string, unknown>;
  const number = (key: string) => Number(facts[key] ?? 0);
  switch (type) {
    case 'skill.catalog_updated':
      return `${plural(number('count'), 'skill')}: ${number('added')} new, ${number('changed')} changed, ${number('removed')} gone`;
    case 'skill.loaded':
      return foreign(
        `${facts['name']}, ${plural(number('load_size_tokens'), 'token')}, ${String(facts['load_reason']).replaceAll('_', ' ')}`,
      );
    case 'session.closed':
      return `${plural(number('loads'), 'load')}, ${plural(number('tokens'), 'token')}`;
    case 'session.opened':
      return `sees ${plural(number('skills'), 'skill')}`;
    default:
      return foreign(
        TELLING.filter((key) => typeof facts[key] === 'string' && facts[key] !== '')
          .map((key) => String(facts[key]))
          .join(' · '),
      );
  }
}

/** `session` of `session.opened`: what kind of thing happened. */
export function kindOf(type: string): string {
  return type.split('.')[0] ?? type;
}
