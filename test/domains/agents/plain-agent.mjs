/** An agent of the plain protocol that behaves, or misbehaves, as its arguments say. */
import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode = 'good', ...rest] = process.argv.slice(2);
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=agent', '-c', 'user.email=agent@example.invalid', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });

if (mode === 'ignores-sigterm') process.on('SIGTERM', () => undefined);
if (mode === 'silent') setInterval(() => undefined, 1_000);
if (mode === 'flood') {
  const block = 'x'.repeat(65_536);
  const pour = () => {
    while (process.stdout.write(block));
    process.stdout.once('drain', pour);
  };
  pour();
}
if (mode === 'chatter') process.stdout.write('Loading model...\n');

const hello = (agentId) =>
  say({
    type: 'hello',
    protocol: 1,
    agent_id: mode === 'impostor' ? 'somebody-else' : agentId,
    name: 'plain-agent',
    tools: mode === 'poor' ? ['Read'] : ['Read', 'Edit', 'skill_load'],
    reports_usage: mode !== 'no-usage',
  });

/** One that stays in the group, one in a session of its own, one behind a double fork without our environment. */
function fork() {
  const sleep = 'setInterval(() => undefined, 1000)';
  spawn(process.execPath, ['-e', sleep], { stdio: 'ignore' });
  spawn(process.execPath, ['-e', sleep], { stdio: 'ignore', detached: true }).unref();
  const deeper = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(sleep)}], { stdio: 'ignore', detached: true }).unref()`;
  spawn(process.execPath, ['-e', deeper], { stdio: 'ignore', detached: true }).unref();
}

/** A daemon that keeps nothing of ours: neither environment nor group. */
function hide() {
  const sleep = `setInterval(() => undefined, 1000); '${process.env.COLIBRI_AGENT_ID} hidden'`;
  spawn(process.execPath, ['-e', sleep], { stdio: 'ignore', detached: true, env: {} }).unref();
}

const actions = {
  good: () => {
    writeFileSync('made-by-agent.txt', 'done\n');
    git('add', '.');
    git('commit', '-qm', 'Add a file');
  },
  dirty: () => writeFileSync('half-done.txt', 'not committed\n'),
  crash: () => {
    process.stderr.write('something \u001b[31mbroke\n');
    process.exit(7);
  },
  'kill-self': () => process.kill(process.pid, 'SIGKILL'),
  greedy: () => say({ type: 'usage', tokens: 1_000_000 }),
  forks: fork,
  hides: hide,
  error: () => say({ type: 'error', message: 'I give up' }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'envelope' && rest.includes('--dump')) {
    writeFileSync('seen.json', JSON.stringify({ envelope: message, environment: process.env }));
  }
  if (message.type === 'envelope' && mode !== 'silent' && mode !== 'flood') hello(message.agent_id);
  if (message.type !== 'phase') return;
  if (mode === 'hangs' || mode === 'ignores-sigterm') return;
  if (mode !== 'no-usage') say({ type: 'usage', tokens: 100 });
  actions[mode]?.();
  if (mode === 'wrong-phase') say({ type: 'phase_result', phase: 'NONSENSE', status: 'ok' });
  else if (mode === 'fails')
    say({ type: 'phase_result', phase: message.phase, status: 'failed', detail: 'no idea', transient: true });
  else if (mode !== 'greedy' && mode !== 'error')
    say({ type: 'phase_result', phase: message.phase, status: 'ok', output: { echo: message.input } });
});
process.stdin.on('end', () => {
  if (mode !== 'ignores-sigterm' && mode !== 'silent') process.exit(0);
});
