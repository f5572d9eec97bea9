/** Speaks the plain protocol: the envelope first, then phases, one JSON object per line. */

import { createDeferred, type Deferred } from '../../../lib/deferred.ts';
import type { Json } from '../../../lib/json.ts';
import type { Envelope } from '../envelope.ts';
import { RunFailure } from '../failure.ts';
import type { AgentStreams, DriverListener, DriverPhase, DriverSession, Hello } from './driver.ts';
import { createLineSplitter } from './lines.ts';
import {
  type AgentMessage,
  type HelloMessage,
  type PhaseMessage,
  parseMessage,
  type Telling,
} from './messages.ts';

interface Waiting {
  readonly phase: string;
  readonly result: Deferred<DriverPhase>;
}

export async function startStdio(
  { stdin, stdout }: AgentStreams,
  envelope: Envelope,
  listener: DriverListener,
): Promise<DriverSession> {
  const greeted = createDeferred<Hello>();
  let waiting: Waiting | null = null;
  let hasGreeted = false;
  const send = (message: Readonly<Record<string, Json>>): void => {
    if (stdin.writable) stdin.write(`${JSON.stringify(message)}\n`);
  };
  const hear = (message: AgentMessage): void => {
    if (message.type === 'hello') {
      if (hasGreeted) throw new RunFailure('PROTOCOL_ERROR', 'it said hello twice');
      hasGreeted = true;
      greeted.resolve(checkHello(message, envelope));
      return;
    }
    if (!hasGreeted) throw new RunFailure('PROTOCOL_ERROR', `it said ${message.type} before hello`);
    if (message.type !== 'phase_result') {
      tell(message, listener);
      return;
    }
    const expected = waiting;
    if (expected === null || message.phase !== expected.phase) {
      const wanted = expected === null ? 'none is running' : `${expected.phase} is running`;
      throw new RunFailure('PROTOCOL_ERROR', `it answered the phase ${message.phase}, but ${wanted}`);
    }
    waiting = null;
    expected.result.resolve(phaseOf(message));
  };

  const lines = createLineSplitter();
  stdout.on('data', (chunk: Buffer) => {
    listener.active();
    try {
      for (const line of lines.push(chunk)) hear(parseMessage(line));
    } catch (error) {
      if (!(error instanceof RunFailure)) throw error;
      // Nothing that follows can be trusted to mean what it says, and a flood must not be read on.
      stdout.destroy();
      listener.broke(error);
    }
  });
  send({ type: 'envelope', ...envelope });
  return {
    hello: await greeted.promise,
    runPhase(phase, input) {
      const result = createDeferred<DriverPhase>();
      waiting = { phase, result };
      send({ type: 'phase', phase, input });
      return result.promise;
    },
    cancel: (reason) => send({ type: 'cancel', reason }),
    end() {
      send({ type: 'end' });
      stdin.end();
    },
  };
}

function checkHello({ agent_id, name, tools, reports_usage }: HelloMessage, envelope: Envelope): Hello {
  if (agent_id !== envelope.agent_id) {
    throw new RunFailure('PROTOCOL_ERROR', `it says that it is agent ${agent_id}, not ${envelope.agent_id}`);
  }
  return { name, tools, reportsUsage: reports_usage };
}

function phaseOf({ status, output, detail, transient }: PhaseMessage): DriverPhase {
  return { status, output: output ?? null, detail, transient };
}

function tell(message: Telling, listener: DriverListener): void {
  switch (message.type) {
    case 'usage':
      listener.used(message.tokens);
      return;
    case 'tool':
      listener.tool(message.name, message.status);
      return;
    case 'message':
      listener.said(message.text);
      return;
    case 'error':
      throw new RunFailure('PHASE_FAILED', message.message);
    case 'alive':
      return;
  }
}
