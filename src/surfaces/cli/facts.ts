/** Facts about one thing: aligned on a terminal, label and value parted by a tab elsewhere. */
import { printable } from '../../lib/text.ts';
import type { Output } from './output.ts';

export type Fact = readonly [label: string, value: string];

/** An empty value is a fact that is not stated, and gets no line. */
export function factLines(all: readonly Fact[], out: Pick<Output, 'terminal' | 'paint'>): string[] {
  const facts = all.filter(([, value]) => value !== '');
  const width = Math.max(...facts.map(([label]) => label.length));
  return facts.map(([label, value]) => {
    const text = printable(value);
    return out.terminal ? `${out.paint('dim', label.padEnd(width))}  ${text}` : `${label}\t${text}`;
  });
}
