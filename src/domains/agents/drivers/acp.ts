/** Speaks the Agent Client Protocol, so that coding agents that know nothing of Colibri can work for it. */
import { ReadableStream, WritableStream } from 'node:stream/web';

import {
  type AnyMessage,
  type ClientContext,
  client,
  methods,
  type NewSessionRequest,
  PROTOCOL_VERSION,
  type PromptRequest,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';

import { messageOf } from '../../../lib/errors.ts';
import { readVersion } from '../../../lib/version.ts';
import type { Envelope } from '../envelope.ts';
import { RunFailure } from '../failure.ts';
import { answerOf, permissionOf } from './acp-permission.ts';
import { promptOf } from './acp-prompt.ts';
import type { AgentStreams, DriverListener, DriverPhase, DriverSession } from './driver.ts';
import { createLineSplitter } from './lines.ts';

/** Of what an agent says in one phase. */
const ANSWER_CHARS_MAX = 32 * 1_024;

export async function startAcp(
  streams: AgentStreams,
  envelope: Envelope,
  listener: DriverListener,
): Promise<DriverSession> {
  let answer = '';
  const app = client({ name: 'colibri' })
    .onNotification(methods.client.session.update, ({ params }) => {
      answer = (answer + hearUpdate(params.update, listener)).slice(-ANSWER_CHARS_MAX);
    })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      const allowed = await listener.permits(permissionOf(params.toolCall));
      const optionId = answerOf(params.options, allowed);
      // Without a way to say no to this one call the whole turn is stopped: that is the only other no.
      return { outcome: optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
    });
  const { agent } = app.connect(messageStream(streams, listener));
  const { name, sessionId } = await openSession(agent, envelope);
  return {
    hello: { name, tools: null, reportsUsage: null },
    async runPhase(phase, input) {
      answer = '';
      const text = promptOf(envelope, phase, input);
      try {
        const request: PromptRequest = { sessionId, prompt: [{ type: 'text', text }] };
        const { stopReason } = await agent.request(methods.agent.session.prompt, request);
        return phaseOf(stopReason, answer);
      } catch (error) {
        return { status: 'failed', output: { text: answer }, detail: messageOf(error), transient: false };
      }
    },
    cancel: () => {
      agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined);
    },
    end: () => {
      streams.stdin.end();
    },
  };
}

async function openSession(
  agent: ClientContext,
  { worktree_path, mcp }: Envelope,
): Promise<{ readonly name: string; readonly sessionId: string }> {
  const { protocolVersion, agentInfo } = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'colibri', version: readVersion() },
    // Files and commands are the agent's own business, inside its worktree and its process group.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
  if (protocolVersion !== PROTOCOL_VERSION) {
    const message = `it speaks version ${protocolVersion} of the Agent Client Protocol, not ${PROTOCOL_VERSION}`;
    throw new RunFailure('PROTOCOL_ERROR', message);
  }
  const env = Object.entries(mcp.env).map(([name, value]) => ({ name, value }));
  const request: NewSessionRequest = {
    cwd: worktree_path,
    mcpServers: [{ name: 'colibri', command: mcp.command, args: [...mcp.args], env }],
  };
  const { sessionId } = await agent.request(methods.agent.session.new, request);
  return { name: agentInfo?.name ?? '', sessionId };
}

/** Tells the listener; the text of the answer is given back. */
function hearUpdate(update: SessionUpdate, listener: DriverListener): string {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      return update.content.type === 'text' ? update.content.text : '';
    case 'tool_call':
      listener.tool(update.title, 'started');
      return '';
    case 'tool_call_update':
      if (update.status === 'completed' || update.status === 'failed') {
        listener.tool(update.title ?? update.toolCallId, 'finished');
      }
      return '';
    case 'usage_update':
      listener.used(update.used);
      return '';
    default:
      return '';
  }
}

function phaseOf(stopReason: StopReason, text: string): DriverPhase {
  const output = { text, stop_reason: stopReason };
  if (stopReason === 'end_turn') return { status: 'ok', output, detail: '', transient: false };
  return { status: 'failed', output, detail: `it stopped: ${stopReason}`, transient: false };
}

/** The SDK's messages over our lines, so that the same limits hold for every driver. */
function messageStream(
  { stdin, stdout }: AgentStreams,
  listener: DriverListener,
): {
  readonly readable: ReadableStream<AnyMessage>;
  readonly writable: WritableStream<AnyMessage>;
} {
  const lines = createLineSplitter();
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      stdout.on('data', (chunk: Buffer) => {
        listener.active();
        try {
          for (const line of lines.push(chunk)) controller.enqueue(messageOfLine(line));
        } catch (error) {
          if (!(error instanceof RunFailure)) throw error;
          stdout.destroy();
          listener.broke(error);
        }
      });
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write(message) {
      if (stdin.writable) stdin.write(`${JSON.stringify(message)}\n`);
    },
  });
  return { readable, writable };
}

function messageOfLine(line: string): AnyMessage {
  try {
    // The SDK checks what it is; here it only has to be JSON.
    return JSON.parse(line) as AnyMessage;
  } catch (error) {
    throw new RunFailure('PROTOCOL_ERROR', `${JSON.stringify(line.slice(0, 200))} is not JSON`, {
      cause: error,
    });
  }
}
