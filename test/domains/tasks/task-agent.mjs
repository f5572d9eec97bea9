// An agent of the plain protocol that does real work and writes it back: `task-agent.mjs <what it does otherwise>`.
// It reaches Colibri's tools through the MCP server that it was told of, or with `library` through the library.
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const words = process.argv.slice(2);
const does = (word) => words.includes(word);
const given = (name) => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
const phaseMs = Number(given('ms') ?? 0);
const journal = given('journal');
const library = new URL('../../../dist/library.js', import.meta.url);
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=agent', '-c', 'user.email=agent@example.invalid', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();

let envelope = null;
let phases = 0;

/** Calls a tool as an MCP client does. */
async function overMcp(calls) {
  const { command, args, env } = envelope.mcp;
  const server = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
  const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const ask = async (id, method, params) => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for (;;) {
      const { value, done } = await answers.next();
      if (done) throw new Error('the server has gone');
      const answer = JSON.parse(value);
      if (answer.id === id) return answer.result ?? answer.error;
    }
  };
  const client = { name: 'task-agent', version: '1.0.0' };
  await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client });
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  let id = 1;
  for (const [name, input] of calls) {
    id++;
    const { structuredContent } = await ask(id, 'tools/call', { name, arguments: input });
    if (structuredContent?.ok !== true) throw new Error(JSON.stringify(structuredContent));
  }
  server.stdin.end();
}

async function overLibrary(calls) {
  const { args } = envelope.mcp;
  const after = (flag) => args[args.indexOf(flag) + 1];
  const { openColibri } = await import(library.href);
  const workspace = after('--workspace');
  const colibri = await openColibri({ workspace, dbPath: after('--db'), home: process.env.HOME });
  const tasks = await colibri.tasks();
  const verbs = { task_update: tasks.update, thought_record: tasks.think };
  for (const [name, input] of calls) await verbs[name]({ ...input, agent_id: envelope.agent_id }, 'agent');
  await colibri.close();
}

function apply() {
  appendFileSync('work.txt', `${envelope.agent_id}\n`);
  git('add', '.');
  git('commit', '-qm', `Work of ${envelope.agent_id}`);
  if (journal !== undefined) appendFileSync(journal, `${git('rev-parse', 'HEAD')}\n`);
}

async function writeBack() {
  const task_id = envelope.task.id;
  const reflection = {
    task_id,
    type: 'reflection',
    content: 'It was done as asked.',
    branch: envelope.branch_name,
    commit_sha: does('wrong-commit') ? '0'.repeat(40) : git('rev-parse', 'HEAD'),
    tests_run: [],
    blockers: [],
  };
  const update = { task_id, status: 'done', progress: 100, summary: 'work.txt has a new line' };
  const calls = [
    ['task_update', update],
    ['thought_record', reflection],
  ];
  if (does('silent')) return;
  await (does('library') ? overLibrary : overMcp)(does('half') ? calls.slice(0, 1) : calls);
}

async function work({ phase, input }) {
  phases++;
  if (phaseMs > 0) await sleep(phaseMs);
  if (does('crash-once') && input.attempt === 1 && phase === 'PLAN') process.exit(7);
  if (does('fails') && phase === 'ANALYZE') return { status: 'failed', detail: 'no idea', transient: false };
  if (does('apply-fails') && phase === 'APPLY')
    return { status: 'failed', detail: 'no way', transient: false };
  if (phase === 'APPLY') apply();
  if (phase !== 'VERIFY') return { status: 'ok', output: { phases } };
  const checks = does('careless') ? [] : input.checks;
  await writeBack();
  const verdict = does('honest') ? 'fail' : 'pass';
  return {
    status: 'ok',
    output: { verification: checks.map((line) => ({ line, verdict, evidence: 'seen' })) },
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === 'envelope') {
    envelope = message;
    const tools = ['Read', 'Edit', 'task_update', 'thought_record'];
    say({
      type: 'hello',
      protocol: 1,
      agent_id: message.agent_id,
      name: 'task-agent',
      tools,
      reports_usage: true,
    });
  }
  if (message.type !== 'phase') continue;
  say({ type: 'usage', tokens: (phases + 1) * 10 });
  say({ type: 'message', text: `${message.phase} begins` });
  work(message).then(
    (result) => say({ type: 'phase_result', phase: message.phase, ...result }),
    (error) => say({ type: 'error', message: String(error) }),
  );
}
process.exit(0);
