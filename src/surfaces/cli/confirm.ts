/** Puts a question to the person at the terminal. Only a clear yes is a yes. */
import { createInterface } from 'node:readline/promises';

import { printable } from '../../lib/text.ts';

export async function confirm(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  question: string,
): Promise<boolean> {
  const lines = createInterface({ input, output, terminal: false });
  try {
    output.write(`${printable(question)} [y/N] `);
    for await (const line of lines) return /^\s*y(?:es)?\s*$/i.test(line);
    // The input ended without an answer.
    return false;
  } finally {
    lines.close();
  }
}
