/** A small agent of the Agent Client Protocol, on the official SDK, that behaves or misbehaves as its argument says. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';

import { agent, methods, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';

const [mode = 'good'] = process.argv.slice(2);
let cwd = '';
let servers = [];

const text = (chunk) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: chunk } });
const OPTIONS = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'once', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

const WISHES = {
  good: (file) => ({ toolCallId: 'call-1', kind: 'edit', title: 'Write notes', locations: [{ path: file }] }),
  outside: () => ({
    toolCallId: 'call-1',
    kind: 'edit',
    title: 'Write',
    locations: [{ path: '/etc/passwd' }],
  }),
  shell: () => ({ toolCallId: 'call-1', kind: 'execute', title: 'Shell', rawInput: { command: 'rm -rf .' } }),
};

async function prompt({ params, client }) {
  const { sessionId } = params;
  const update = (change) => client.notify(methods.client.session.update, { sessionId, update: change });
  if (mode === 'refuses') return { stopReason: 'refusal' };
  if (mode !== 'no-usage') await update({ sessionUpdate: 'usage_update', used: 1_234, size: 100_000 });
  await update({
    sessionUpdate: 'tool_call',
    toolCallId: 'call-1',
    title: 'Write notes',
    status: 'in_progress',
  });
  const file = path.join(cwd, 'notes.txt');
  const wish = (WISHES[mode] ?? WISHES.good)(file);
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: wish,
    options: OPTIONS,
  });
  if (outcome.outcome === 'selected' && outcome.optionId === 'once') {
    writeFileSync(file, JSON.stringify({ servers, prompt: params.prompt[0].text }));
    const git = (...args) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid', ...args], { cwd });
    git('add', '.');
    git('commit', '-qm', 'Notes');
  }
  await update({ sessionUpdate: 'tool_call_update', toolCallId: 'call-1', status: 'completed' });
  await update(text('The permission was: '));
  await update(text(JSON.stringify(outcome)));
  return { stopReason: 'end_turn' };
}

agent({ name: 'acp-agent' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: mode === 'newer' ? PROTOCOL_VERSION + 1 : PROTOCOL_VERSION,
    agentCapabilities: {},
    agentInfo: { name: 'acp-agent', version: '1.0.0' },
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    cwd = params.cwd;
    servers = params.mcpServers;
    return { sessionId: 'session-1' };
  })
  .onRequest(methods.agent.session.prompt, prompt)
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
