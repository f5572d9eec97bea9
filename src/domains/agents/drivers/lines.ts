/** Cuts a stream into lines, within limits. Pure. */
import { RunFailure } from '../failure.ts';

/** One message. */
export const LINE_BYTES_MAX: number = 1_024 * 1_024;
/** Everything that one run may say. */
export const OUTPUT_BYTES_MAX: number = 64 * 1_024 * 1_024;

const LINE_FEED = 10;

export interface LineSplitter {
  /** The lines that are complete now, without empty ones. Throws OUTPUT_FLOOD. */
  push(chunk: Buffer): readonly string[];
}

export function createLineSplitter(): LineSplitter {
  let open: Buffer[] = [];
  let openBytes = 0;
  let total = 0;
  return {
    push(chunk) {
      total += chunk.length;
      if (total > OUTPUT_BYTES_MAX) throw flood(`it wrote more than ${OUTPUT_BYTES_MAX} bytes to stdout`);
      const lines: string[] = [];
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        const line = Buffer.concat([...open, chunk.subarray(start, end)]);
        if (line.length > LINE_BYTES_MAX) throw flood(`a line has more than ${LINE_BYTES_MAX} bytes`);
        const text = line.toString('utf8').trim();
        if (text !== '') lines.push(text);
        open = [];
        openBytes = 0;
        start = end + 1;
      }
      const rest = chunk.subarray(start);
      openBytes += rest.length;
      if (openBytes > LINE_BYTES_MAX) throw flood(`a line has more than ${LINE_BYTES_MAX} bytes`);
      if (rest.length > 0) open.push(rest);
      return lines;
    },
  };
}

function flood(detail: string): RunFailure {
  return new RunFailure('OUTPUT_FLOOD', detail);
}
