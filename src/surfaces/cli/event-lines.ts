/** Events as lines: a table with fixed columns, so that rows can come one by one; frames; JSON. */
import type { EventRow } from '../../domains/events/schema.ts';
import { payloadOf } from '../../domains/events/visible-event.ts';
import { printable } from '../../lib/text.ts';
import { cutTo, fillTo } from './columns.ts';
import { jsonText } from './output.ts';
import { tabLines } from './table.ts';

export type EventFormat = 'table' | 'json' | 'frames';

const SEQ_WIDTH = 6;
const TIME_WIDTH = '2026-01-01 00:00:00'.length;
const TYPE_WIDTH = 'skill.catalog_updated'.length;
/** Ids of one hour begin alike, so the end is what tells them apart. */
const ID_TAIL = 6;
const STREAM_WIDTH = 'catalog'.length;
/** What a person looks for first; the rest follows in the order of the payload. */
const TELLING = ['tool', 'name', 'kind', 'code', 'load_reason', 'message'];
const DETAIL_MIN = 16;

export function eventHeader(width: number): string {
  return tableRow(['SEQ', 'TIME', 'TYPE', 'STREAM', 'DETAILS'], width);
}

/** One row of at most the width of the terminal. */
export function eventTableLine(row: EventRow, width: number): string {
  const time = row.at.slice(0, TIME_WIDTH).replace('T', ' ');
  const cells = [String(row.seq), time, row.type, shortStream(row.stream), detailsOf(row)];
  return tableRow(cells.map(printable), width);
}

/** For a program: seq, time, type, stream, actor, payload as JSON. */
export function eventTabLine(row: EventRow): string {
  const { seq, at, type, stream, actor } = row;
  const cells = [String(seq), at, type, stream, actor].map(printable);
  return tabLines([[...cells, jsonText(payloadOf(row) ?? row.payload, { pretty: false })]]).join('');
}

/** The row with its payload as an object. */
export function eventDocument(row: EventRow): Readonly<Record<string, unknown>> {
  return { ...row, payload: payloadOf(row) ?? row.payload };
}

/** The event as a frame: its name with underscores, who and when, and the payload. */
export function eventFrame(row: EventRow): Readonly<Record<string, unknown>> {
  const { seq, at, session_id, actor } = row;
  return { type: frameName(row.type), seq, at, session_id, actor, payload: payloadOf(row) ?? row.payload };
}

export function frameName(type: string): string {
  return type.replaceAll('.', '_');
}

function detailsOf(row: EventRow): string {
  const payload = payloadOf(row);
  if (payload === null) return row.payload;
  const rank = (name: string) => (TELLING.includes(name) ? TELLING.indexOf(name) : TELLING.length);
  return Object.entries(payload)
    .filter(([, value]) => value !== null)
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

function shortStream(stream: string): string {
  return stream.length <= STREAM_WIDTH ? stream : `…${stream.slice(-ID_TAIL)}`;
}

function tableRow(cells: readonly string[], width: number): string {
  const [seq = '', time = '', type = '', stream = '', details = ''] = cells;
  const front = [
    seq.padStart(SEQ_WIDTH),
    fillTo(time, TIME_WIDTH),
    fillTo(type, TYPE_WIDTH),
    fillTo(stream, STREAM_WIDTH),
  ].join('  ');
  const left = Math.max(DETAIL_MIN, width - front.length - 2);
  return cutTo(`${front}  ${cutTo(details, left)}`.trimEnd(), width);
}
