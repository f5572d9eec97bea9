// Colibri in a plain tool loop with Anthropic's Messages API shapes. The model here is scripted, so that the example
// runs anywhere; in your agent, replace `model` by `client.messages.create({ model, max_tokens, system, tools, messages })`.
import assert from 'node:assert/strict';

import { openColibri } from 'colibri';

import { demoWorkspace } from '../demo-workspace.ts';

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'tool_result'; tool_use_id: string; content: string; is_error: boolean };
type Message = { role: 'user' | 'assistant'; content: Block[] };

const workspace = demoWorkspace();
const colibri = await openColibri(workspace);
const session = await colibri.sessions.open();

// The ten lines: the catalog goes into the system prompt, the tools to the model, its calls to Colibri.
const system = `You are a helpful agent.\n\n${await session.catalog()}`;
const tools = session.tools.map(({ name, description, inputSchema }) => ({
  name,
  description,
  input_schema: inputSchema,
}));
const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Write the release notes.' }] }];
for (;;) {
  const answer = model({ system, tools, messages });
  messages.push({ role: 'assistant', content: answer });
  const calls = answer.filter((block) => block.type === 'tool_use');
  if (calls.length === 0) break;
  const results = await Promise.all(
    calls.map(async ({ id, name, input }): Promise<Block> => {
      const { text, isError } = await session.handleToolCall({ id, name, input });
      return { type: 'tool_result', tool_use_id: id, content: text, is_error: isError };
    }),
  );
  messages.push({ role: 'user', content: results });
}

await session.close();
const replay = await colibri.sessions.replay(session.id, { live: false });
await colibri.close();

const [search, load] = messages
  .flatMap(({ content }) => content)
  .filter((block) => block.type === 'tool_result');
assert.match(system, /- release-notes: /);
assert.match(search?.content ?? '', /release-notes \[workspace\]/);
assert.match(load?.content ?? '', /^# Skill: release-notes/);
assert.equal(replay.equal, true);
console.log('ok: searched, loaded release-notes, replayed equal');

/** A model that first searches, then loads what it found, then answers. */
function model({
  messages: so_far,
}: {
  system: string;
  tools: readonly object[];
  messages: readonly Message[];
}): Block[] {
  const turns = so_far.filter(({ role }) => role === 'assistant').length;
  if (turns === 0)
    return [{ type: 'tool_use', id: 'toolu_1', name: 'skill_search', input: { query: 'release' } }];
  if (turns === 1)
    return [{ type: 'tool_use', id: 'toolu_2', name: 'skill_load', input: { name: 'release-notes' } }];
  return [{ type: 'text', text: 'Here are the notes.' }];
}
