import { describe, expect, test } from 'vitest';

import type { EventRow } from '../../../src/domains/events/schema.ts';
import { wasCutOff } from '../../../src/domains/sessions/delivery.ts';
import { groupCalls } from '../../../src/domains/sessions/replay.ts';

type Brief = readonly [type: string, id: string, parent: string | null, payload?: object];

function rows(...briefs: readonly Brief[]): readonly EventRow[] {
  return briefs.map(([type, id, parent_id, payload = {}], index) => ({
    seq: index + 1,
    id,
    stream: 'session:s',
    session_id: 's',
    type,
    at: '2026-01-01T00:00:00.000Z',
    actor: 'a',
    parent_id,
    payload: JSON.stringify(payload),
    sensitivity: 'private',
    prev_hash: '',
    hash: '',
  }));
}

const started = (id: string, name = 'x', tool = 'skill_load'): Brief => [
  'tool.started',
  id,
  null,
  { tool, input: { name } },
];
const loaded = (call: string | null, name = 'x'): Brief => ['skill.loaded', `${call}-l`, call, { name }];
const ended = (call: string, type = 'tool.finished'): Brief => [type, `${call}-e`, call];

describe('a body that was recorded as given', () => {
  const LATER = { since: '2026-01-02T00:00:00.000Z' };
  const cutOff = (...briefs: readonly Brief[]) => wasCutOff(rows(...briefs), 'x', LATER);

  test('never arrived when its call has no end', () => {
    expect(cutOff(started('1'), loaded('1'))).toBe(true);
    expect(cutOff(started('1'), loaded('1'), started('2', 'y'), loaded('2', 'y'), ended('2'))).toBe(true);
    expect(cutOff(started('1'), loaded('1'), started('2', 'x', 'skill_get'), ended('2'))).toBe(true);
    expect(cutOff(started('1'), loaded('1'), started('2'), ended('2', 'tool.failed'))).toBe(true);
  });

  test('arrived when its call ended, or when a later one gave it again', () => {
    expect(cutOff(started('1'), loaded('1'), ended('1'))).toBe(false);
    expect(cutOff(started('1'), loaded('1'), started('2'), ended('2'))).toBe(false);
  });

  test('counts by its last load: an earlier one that arrived was another body', () => {
    expect(cutOff(started('1'), loaded('1'), ended('1'), started('2'), loaded('2'))).toBe(true);
  });

  test('may be on its way when this process is older than the load', () => {
    const since = '2025-12-31T00:00:00.000Z';
    expect(wasCutOff(rows(started('1'), loaded('1')), 'x', { since })).toBe(false);
  });

  test('was never lost when it was preloaded or not loaded at all', () => {
    expect(cutOff(loaded(null))).toBe(false);
    expect(cutOff(started('1'), ended('1'))).toBe(false);
  });
});

describe('calls that overlapped', () => {
  test('come in the order in which they ended, each with its own events', () => {
    const log = rows(
      ['session.opened', 'o', null],
      started('load'),
      started('read', 'x', 'skill_read'),
      ended('read', 'tool.failed'),
      loaded('load'),
      ended('load'),
      ['tool.failed', 'alone', 'never-began'],
      ['session.closed', 'c', null],
    );
    expect(groupCalls(log).map(({ rows: own }) => own.map(({ id }) => id))).toEqual([
      ['o'],
      ['read', 'read-e'],
      ['load', 'load-l', 'load-e'],
      ['alone'],
      ['c'],
    ]);
  });
});
