// An agent without a model: it corrects the misspelled words that a skill lists, in a worktree that Colibri made for it.
// It speaks the plain protocol on stdin and stdout, and uses Colibri's own tools over MCP, as any agent would.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const TOOLS = ['skill_search', 'skill_load', 'skill_read', 'task_update', 'thought_record'];

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=typo-fixer', '-c', 'user.email=fixer@example.invalid', ...args], {
    encoding: 'utf8',
  }).trim();

let envelope;
let colibri;
let skill;
let words = [];
let tokens = 0;

/** One tool of Colibri's; what it answers a model is what this agent "reads", and what it costs. */
async function call(name, input) {
  say({ type: 'tool', name, status: 'started' });
  const { content, structuredContent } = await colibri.callTool({ name, arguments: input });
  say({ type: 'tool', name, status: 'finished' });
  tokens += Math.ceil(content[0].text.length / 4);
  say({ type: 'usage', tokens });
  if (!structuredContent.ok) throw new Error(`${name}: ${structuredContent.error.message}`);
  return { text: content[0].text, ...structuredContent.data };
}

async function begin(received) {
  envelope = received;
  const { command, args, env } = envelope.mcp;
  colibri = new Client({ name: 'typo-fixer', version: '1.0.0' });
  await colibri.connect(
    new StdioClientTransport({ command, args, env: { ...process.env, ...env }, stderr: 'ignore' }),
  );
  // Not what it wishes for, but what the server lets it have.
  const { tools } = await colibri.listTools();
  const offered = new Set(tools.map(({ name }) => name));
  say({
    type: 'hello',
    protocol: 1,
    agent_id: envelope.agent_id,
    name: 'typo-fixer',
    tools: ['Read', 'Edit', ...TOOLS.filter((name) => offered.has(name))],
    reports_usage: true,
  });
}

const markdown = () =>
  git('ls-files', '*.md')
    .split('\n')
    .filter((file) => !file.startsWith('.'));
const misspelled = (text) => words.filter(([wrong]) => new RegExp(`\\b${wrong}\\b`, 'i').test(text));

const phases = {
  async GATHER() {
    const { results } = await call('skill_search', { query: envelope.task.title });
    skill = envelope.skill_refs[0]?.name ?? results[0].name;
    await call('skill_load', { name: skill });
    const { text } = await call('skill_read', { name: skill, path: 'references/words.txt' });
    words = text
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' '));
    return { skill, words: words.length };
  },
  async ANALYZE() {
    const files = markdown().filter((file) => misspelled(readFileSync(file, 'utf8')).length > 0);
    return { files };
  },
  async PLAN({ earlier }) {
    const { files } = earlier.find(({ phase }) => phase === 'ANALYZE').output;
    return { steps: files.map((file) => `correct ${file}`) };
  },
  async APPLY() {
    for (const file of markdown()) {
      let text = readFileSync(file, 'utf8');
      for (const [wrong, right] of misspelled(text))
        text = text.replaceAll(new RegExp(`\\b${wrong}\\b`, 'g'), right);
      writeFileSync(file, text);
    }
    git('commit', '-qam', 'Correct misspelled words');
    return { commit: git('rev-parse', 'HEAD') };
  },
  async VERIFY({ checks = [] }) {
    const left = markdown().flatMap((file) => misspelled(readFileSync(file, 'utf8')));
    const verdict = left.length === 0 ? 'pass' : 'fail';
    const evidence = `${left.length} of ${words.length} words are left in ${markdown().length} files`;
    const task_id = envelope.task.id;
    const summary = `corrected the spelling: ${evidence}`;
    await call('task_update', { task_id, status: 'done', progress: 100, summary });
    await call('thought_record', {
      task_id,
      type: 'reflection',
      content: `The list of ${skill} was enough; nothing had to be guessed.`,
      branch: envelope.branch_name,
      commit_sha: git('rev-parse', 'HEAD'),
      tests_run: [evidence],
      blockers: [],
    });
    return { verification: checks.map((line) => ({ line, verdict, evidence })) };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === 'envelope') await begin(message);
  if (message.type === 'end') break;
  if (message.type !== 'phase') continue;
  const { phase, input } = message;
  try {
    say({ type: 'phase_result', phase, status: 'ok', output: await phases[phase](input) });
  } catch (error) {
    say({ type: 'phase_result', phase, status: 'failed', detail: String(error) });
  }
}
await colibri?.close();
