// Colibri with the Vercel AI SDK. The model is the SDK's own mock; put any provider's model in its place.
import assert from 'node:assert/strict';

import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { openColibri } from 'colibri';

import { demoWorkspace } from '../demo-workspace.ts';

const colibri = await openColibri(demoWorkspace());
const session = await colibri.sessions.open();

const tools = Object.fromEntries(
  session.tools.map(({ name, description, inputSchema }) => [
    name,
    tool({
      description,
      inputSchema: jsonSchema(inputSchema),
      execute: async (input, { toolCallId }) =>
        (await session.handleToolCall({ id: toolCallId, name, input })).text,
    }),
  ]),
);
const { text, steps } = await generateText({
  model: scriptedModel(),
  system: await session.catalog(),
  prompt: 'Review this pull request.',
  tools,
  stopWhen: stepCountIs(5),
});

await session.close();
const loaded = await colibri.events.read({ session: session.id, types: ['skill.loaded'] });
await colibri.close();

const [result] = steps[0]?.toolResults ?? [];
assert.match(String(result?.output), /^# Skill: code-review/);
assert.equal(JSON.parse(loaded[0]?.payload ?? '{}').triggered_by_tool_use_id, 'call-1');
assert.equal(text, 'Reviewed.');
console.log('ok: the AI SDK loaded code-review; its call id is in the trace');

function scriptedModel(): MockLanguageModelV3 {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const answers = [
    {
      content: [
        { type: 'tool-call', toolCallId: 'call-1', toolName: 'skill_load', input: '{"name":"code-review"}' },
      ],
      finishReason: { unified: 'tool-calls', raw: 'tool_use' },
    },
    { content: [{ type: 'text', text: 'Reviewed.' }], finishReason: { unified: 'stop', raw: 'end_turn' } },
  ];
  let turn = 0;
  // The mock's result type wants every optional counter; two are enough for it to run.
  return new MockLanguageModelV3({
    doGenerate: async () => ({ ...answers[turn++], usage, warnings: [] }) as never,
  });
}
