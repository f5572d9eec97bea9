/** Turns of phrase that several commands share. */

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function enumerate(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** A skill that vanished without a word costs its author an afternoon. */
export function rejectedNote(counts: { readonly rejected: number; readonly lenient_ok: number }): string {
  return `${counts.rejected} rejected (\`colibri doctor\` tells why; \`lenient\` would load ${counts.lenient_ok})`;
}
