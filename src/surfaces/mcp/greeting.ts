/** Answers a client that already waits on stdin, and leaves every byte for whoever serves it. */
import type { Readable } from 'node:stream';

import { type Introduction, openingAnswer } from './opening.ts';
import type { RequestId } from './raw-request.ts';

export interface Pipes {
  readonly stdin: Readable;
  readonly stdout: { write(text: string): boolean };
}

/** The request that was answered; null when there was none yet, or one for the SDK. */
export async function greetWaiting(
  { stdin, stdout }: Pipes,
  introduction: Introduction,
): Promise<RequestId | null> {
  const line = await waitingLine(stdin);
  const answer = line === null ? null : openingAnswer(line, introduction);
  if (answer === null) return null;
  stdout.write(`${answer.text}\n`);
  return answer.id;
}

// One turn of the event loop starts the reading, the next one reads; the others are to spare.
const READ_TURNS = 4;
const NEWLINE = 0x0a;

/** The first line, if it is in the pipe already. */
async function waitingLine(stdin: Readable): Promise<string | null> {
  const listen = () => undefined;
  stdin.on('readable', listen);
  for (let turn = 0; turn < READ_TURNS && stdin.readableLength === 0; turn++) await nextTurn();
  stdin.off('readable', listen);
  // Reading at the end of the input would take the end away from those who wait for it.
  if (stdin.readableLength === 0) return null;
  // Without an encoding a stream gives bytes.
  const bytes = stdin.read() as Buffer;
  stdin.unshift(bytes);
  const end = bytes.indexOf(NEWLINE);
  return end < 0 ? null : bytes.toString('utf8', 0, end);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
