/** Numbers, times and foreign text as a person reads them. */
import { printable } from '../../../src/lib/text.ts';

const WHOLE = new Intl.NumberFormat('en');
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

export function count(value: number): string {
  return WHOLE.format(value);
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** 1 234 → 1.2k */
export function short(value: number): string {
  if (value < 1_000) return String(value);
  if (value < 10_000) return `${(value / 1_000).toFixed(1)}k`;
  return value < 1_000_000 ? `${Math.round(value / 1_000)}k` : `${(value / 1_000_000).toFixed(1)}M`;
}

export function bytes(value: number): string {
  if (value < 1_024) return `${value} B`;
  return value < 1_048_576 ? `${(value / 1_024).toFixed(1)} KB` : `${(value / 1_048_576).toFixed(1)} MB`;
}

export function clock(iso: string): string {
  return CLOCK.format(new Date(iso));
}

export function moment(iso: string): string {
  const date = new Date(iso);
  return `${DAY.format(date)}, ${CLOCK.format(date)}`;
}

export function shortDigest(digest: string): string {
  return digest.slice(0, 12);
}

/** Text of a skill: what would steer the reader's eye without being seen is written out. */
export function foreign(text: string): string {
  return printable(text);
}
