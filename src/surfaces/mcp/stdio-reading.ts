/** Answers calls that only read on the pipe itself, beside the SDK. */
import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

import type { ReadingCall, ReadingCalls } from './reading-calls.ts';

export interface ReadingDoor {
  /** Whether the line was a call that is answered here. */
  take(line: Buffer): boolean;
}

interface ReadingDoorParts {
  readonly reading: ReadingCalls;
  /** Whose opening exchange has to settle on the older protocol first. */
  readonly transport: StdioServerTransport;
  /** Ids of requests without an answer yet; one that is taken out gets none. */
  readonly open: Set<string | number>;
}

export function createReadingDoor({ reading, transport, open }: ReadingDoorParts): ReadingDoor {
  let opened = false;
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    if ('result' in message && 'protocolVersion' in message.result) opened = true;
    return send(message);
  };
  const write = batchedWriter(process.stdout);
  const answer = async (call: ReadingCall): Promise<void> => {
    const text = await reading.answer(call);
    // Otherwise it was cancelled, or the client has gone.
    if (open.delete(call.id)) write(`${text}\n`);
  };
  return {
    take(line) {
      const call = opened ? reading.find(line.toString('utf8')) : null;
      if (call === null) return false;
      open.add(call.id);
      void answer(call);
      return true;
    },
  };
}

/** What is written in one turn leaves in one piece: calls that share a commit are answered together. */
function batchedWriter(stream: NodeJS.WritableStream): (text: string) => void {
  let waiting = '';
  return (text) => {
    if (waiting === '') {
      process.nextTick(() => {
        stream.write(waiting);
        waiting = '';
      });
    }
    waiting += text;
  };
}
