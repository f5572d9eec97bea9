/** New events as server-sent events. Durable: whoever lost the connection goes on where it broke off. */

import type { EventRow, Sensitivity } from '../../domains/events/schema.ts';
import type { EventsService } from '../../domains/events/service.ts';
import { eventViews } from './event-view.ts';

export interface StreamRequest {
  readonly filter: Parameters<EventsService['follow']>[0];
  readonly level: Sensitivity;
  /** Ends the stream. */
  readonly signal: AbortSignal;
}

/** Proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 15_000;
/** A client that reads slower than this is behind is cut off; it comes back and reads on from the log. */
const QUEUE_CHUNKS_MAX = 64;
/** What a client should wait before it connects again. */
const RETRY_MS = 1_000;

export function eventStream(
  events: Pick<EventsService, 'follow'>,
  { filter, level, signal }: StreamRequest,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop: () => void = () => undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (text: string): void => {
          if ((controller.desiredSize ?? 0) <= 0) end();
          else controller.enqueue(encoder.encode(text));
        };
        const unfollow = events.follow(filter, (rows) => send(messagesOf(rows, level)));
        const heartbeat = setInterval(() => send(': still here\n\n'), HEARTBEAT_MS);
        let ended = false;
        stop = () => {
          if (ended) return;
          ended = true;
          unfollow();
          clearInterval(heartbeat);
          signal.removeEventListener('abort', end);
        };
        const end = (): void => {
          stop();
          controller.close();
        };
        signal.addEventListener('abort', end, { once: true });
        send(`retry: ${RETRY_MS}\n\n`);
      },
      cancel: () => stop(),
    },
    { highWaterMark: QUEUE_CHUNKS_MAX },
  );
}

/** Hidden events still move the position, or a client would read them again and again. */
function messagesOf(rows: readonly EventRow[], level: Sensitivity): string {
  const visible = eventViews(rows, level).map(
    (event) => `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  const last = rows.at(-1)?.seq;
  return `${visible.join('')}${last === undefined ? '' : `id: ${last}\nevent: position\ndata: ${last}\n\n`}`;
}
