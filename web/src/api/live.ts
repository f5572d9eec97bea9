/** Events as they happen, over one connection for the whole page. It comes back by itself and misses nothing. */
import { headers } from './client.ts';
import type { Event } from './contract.ts';

export type LiveState = 'connecting' | 'live' | 'lost';

interface Listener {
  readonly events?: (events: readonly Event[]) => void;
  readonly state?: (state: LiveState) => void;
}

const RETRY_MS = 1_000;

const listeners = new Set<Listener>();
let state: LiveState = 'connecting';
let last: string | null = null;
let running = false;

/** The answer ends it. The connection stays: other views will want it, too. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  listener.state?.(state);
  if (!running) {
    running = true;
    void connectForever();
  }
  return () => listeners.delete(listener);
}

async function connectForever(): Promise<void> {
  for (;;) {
    try {
      await readStream();
    } catch {
      // The server went away or the network did; either way the next attempt tells.
    }
    tell('lost');
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function readStream(): Promise<void> {
  const position = last === null ? {} : { 'last-event-id': last };
  const response = await fetch('/v1/events/stream?level=private', { headers: { ...headers(), ...position } });
  if (!response.ok || response.body === null) return;
  tell('live');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const messages = (text + value).split('\n\n');
    text = messages.pop() ?? '';
    receive(messages);
  }
}

function receive(messages: readonly string[]): void {
  const events: Event[] = [];
  for (const message of messages) {
    const fields = new Map(message.split('\n').map((line) => splitField(line)));
    last = fields.get('id') ?? last;
    const data = fields.get('data');
    if (data !== undefined && fields.get('event') !== 'position') events.push(JSON.parse(data) as Event);
  }
  if (events.length > 0) for (const listener of listeners) listener.events?.(events);
}

function splitField(line: string): [string, string] {
  const at = line.indexOf(': ');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 2)];
}

function tell(next: LiveState): void {
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener.state?.(next);
}
