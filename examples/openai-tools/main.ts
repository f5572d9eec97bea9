// Colibri in a plain tool loop with OpenAI's chat completion shapes. The model here is scripted; in your agent,
// replace `model` by `client.chat.completions.create({ model, tools, messages })`.
import assert from 'node:assert/strict';

import { openColibri } from 'colibri';

import { demoWorkspace } from '../demo-workspace.ts';

interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}
type Message =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string | null; tool_calls?: ToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string };

const colibri = await openColibri(demoWorkspace());
const session = await colibri.sessions.open({ budget: { max_loads: 1 } });

const tools = session.tools.map(({ name, description, inputSchema }) => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
}));
const messages: Message[] = [
  { role: 'system', content: await session.catalog() },
  { role: 'user', content: 'Review this pull request and write the release notes.' },
];
for (;;) {
  const answer = model({ tools, messages });
  messages.push(answer);
  if (answer.tool_calls === undefined) break;
  for (const { id, function: call } of answer.tool_calls) {
    const { text } = await session.handleToolCall({ id, name: call.name, input: JSON.parse(call.arguments) });
    messages.push({ role: 'tool', tool_call_id: id, content: text });
  }
}

await session.close();
await colibri.close();

const results = messages.filter((message) => message.role === 'tool').map(({ content }) => content);
assert.match(results[0] ?? '', /^# Skill: code-review/);
assert.match(results[1] ?? '', /^BUDGET_EXHAUSTED: activation budget exhausted/);
console.log('ok: loaded code-review, the second load was refused by the budget');

/** A model that loads two skills although its session may load one. */
function model({
  messages: so_far,
}: {
  tools: readonly object[];
  messages: readonly Message[];
}): Message & { role: 'assistant' } {
  const turns = so_far.filter(({ role }) => role === 'assistant').length;
  const call = (id: string, name: string): ToolCall => ({
    id,
    type: 'function',
    function: { name: 'skill_load', arguments: JSON.stringify({ name }) },
  });
  if (turns === 0) return { role: 'assistant', content: null, tool_calls: [call('call_1', 'code-review')] };
  if (turns === 1) return { role: 'assistant', content: null, tool_calls: [call('call_2', 'release-notes')] };
  return { role: 'assistant', content: 'Done with what I have.' };
}
