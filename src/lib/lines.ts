/** Takes a stream of bytes apart into lines. Pure but for what it holds of a line that has not ended. */
export interface LineSplitter {
  add(chunk: Buffer): void;
  /** What is left without an end. */
  end(): void;
}

export interface LineTakers {
  /** A whole line with its end, none longer than `lineBytesMax`. */
  line(bytes: Buffer): void;
  /** Pieces of longer lines as they come, and what is left at the end: nothing is held back without limit. */
  piece(bytes: Buffer): void;
  readonly lineBytesMax: number;
}

const NEWLINE = 0x0a;
const NOTHING: Buffer = Buffer.alloc(0);

export function createLineSplitter({ line, piece, lineBytesMax }: LineTakers): LineSplitter {
  let held = NOTHING;
  /** Inside a line that is too long. */
  let passing = false;

  const endLine = (bytes: Buffer): void => {
    const whole = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    if (passing || whole.length > lineBytesMax) piece(whole);
    else line(whole);
    held = NOTHING;
    passing = false;
  };

  return {
    add(chunk) {
      let start = 0;
      for (;;) {
        const end = chunk.indexOf(NEWLINE, start);
        if (end < 0) break;
        endLine(chunk.subarray(start, end + 1));
        start = end + 1;
      }
      if (start === chunk.length) return;
      const rest = chunk.subarray(start);
      held = held.length === 0 ? rest : Buffer.concat([held, rest]);
      if (!passing && held.length <= lineBytesMax) return;
      passing = true;
      piece(held);
      held = NOTHING;
    },
    end() {
      if (held.length > 0) piece(held);
      held = NOTHING;
    },
  };
}
