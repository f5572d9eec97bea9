/** A small agent of the Agent Client Protocol that does a whole task: it knows Colibri only by the MCP server it was handed. */
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';

import { agent, methods, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

let session;

const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=acp', '-c', 'user.email=acp@example.invalid', ...args], {
    cwd: session.cwd,
    encoding: 'utf8',
  }).trim();

/** Everything that it is told stands in the prompt. */
async function writeBack(prompt) {
  const [{ command, args, env }] = session.mcpServers;
  const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const colibri = new Client({ name: 'acp-task-agent', version: '1.0.0' });
  await colibri.connect(
    new StdioClientTransport({ command, args, env: { ...process.env, ...given }, stderr: 'ignore' }),
  );
  const call = async (name, input) => {
    const { structuredContent } = await colibri.callTool({ name, arguments: input });
    if (!structuredContent.ok) throw new Error(JSON.stringify(structuredContent.error));
  };
  const [, task_id] = /^Task (\w+):/m.exec(prompt);
  const { checks } = JSON.parse(/^Input of this phase: (.*)$/m.exec(prompt)[1]);
  const answers = checks.map((line) => ({ line, verdict: 'pass', evidence: 'read it' }));
  // Where to put them is told as well.
  const [, field, tool] = /in the field `(\w+)` of (\w+)/.exec(prompt);
  const done = { status: 'done', progress: 100, summary: 'work.txt has a new line' };
  await call(tool, { task_id, ...done, [field]: answers });
  await call('thought_record', {
    task_id,
    type: 'reflection',
    content: 'It was done as asked.',
    branch: git('branch', '--show-current'),
    commit_sha: git('rev-parse', 'HEAD'),
    tests_run: ['read work.txt'],
    blockers: [],
  });
  await colibri.close();
}

async function prompt({ params, client }) {
  const { sessionId } = params;
  const [{ text }] = params.prompt;
  const update = { sessionUpdate: 'usage_update', used: 100, size: 100_000 };
  await client.notify(methods.client.session.update, { sessionId, update });
  if (text.includes('This is the phase APPLY')) {
    appendFileSync(`${session.cwd}/work.txt`, 'a line\n');
    git('add', '.');
    git('commit', '-qm', 'Add a line');
  }
  if (text.includes('This is the phase VERIFY')) await writeBack(text);
  return { stopReason: 'end_turn' };
}

agent({ name: 'acp-task-agent' })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    session = params;
    return { sessionId: 'session-1' };
  })
  .onRequest(methods.agent.session.prompt, prompt)
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
