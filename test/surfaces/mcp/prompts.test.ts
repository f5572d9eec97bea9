/** Skills as prompts, which hosts show as slash commands. */
import { describe, expect, test } from 'vitest';

import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { connectHttp, GENERATIONS, skillsRoot, startHttp } from './harness.ts';

function workspaceWithCommands(): string {
  const workspace = temporaryDirectory();
  const root = skillsRoot(workspace);
  writeSkill(root, 'free', { description: 'Takes any text.', body: 'Do $ARGUMENTS, first $ARGUMENTS[0].\n' });
  writeSkill(root, 'fixed', {
    description: 'Takes two.',
    lines: ['arguments: [from, to]', 'argument-hint: "<from> <to>"'],
    body: 'From $from to $to; all: $ARGUMENTS; not $other, not \\$from.\n',
  });
  writeSkill(root, 'plain', { description: 'Has no place for text.', body: 'Just do it.\n' });
  writeSkill(root, 'odd', { lines: ['arguments: [constructor]'], body: 'Got [$constructor].\n' });
  writeSkill(root, 'hidden', { lines: ['user-invocable: false'] });
  return workspace;
}

async function connect(mode: 'auto' | 'legacy' = 'auto') {
  const { url } = await startHttp(workspaceWithCommands());
  const client = await connectHttp(url, { mode });
  const textOf = async (name: string, given?: Record<string, string>): Promise<string> => {
    const { messages } = await client.getPrompt({
      name,
      ...(given === undefined ? {} : { arguments: given }),
    });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: expect.any(String) } }]);
    const [message] = messages;
    return message?.content.type === 'text' ? message.content.text : '';
  };
  return { client, textOf };
}

describe.each(GENERATIONS)('over protocol %s', (_version, mode) => {
  test('every skill that a person may invoke is listed, with its arguments', async () => {
    const { client } = await connect(mode);
    expect((await client.listPrompts()).prompts).toEqual([
      {
        name: 'fixed',
        title: '/fixed',
        description: 'Takes two.',
        arguments: [
          { name: 'from', required: false, description: '<from> <to>' },
          { name: 'to', required: false, description: '<from> <to>' },
        ],
      },
      {
        name: 'free',
        title: '/free',
        description: 'Takes any text.',
        arguments: [{ name: 'arguments', required: false }],
      },
      expect.objectContaining({ name: 'odd' }),
      expect.objectContaining({ name: 'plain' }),
    ]);
  });

  test('the text has the values in their places', async () => {
    const { textOf } = await connect(mode);
    expect(await textOf('free', { arguments: 'this "and that" $from' })).toBe(
      'Do this "and that" $from, first this.\n',
    );
    expect(await textOf('fixed', { from: 'a b', to: '$& $1' })).toBe(
      'From a b to $& $1; all: a b $& $1; not $other, not $from.\n',
    );
    expect(await textOf('plain', { arguments: 'now' })).toBe('Just do it.\n\nARGUMENTS: now\n');
    expect(await textOf('plain')).toBe('Just do it.\n');
  });
});

test('an argument left out is empty, and takes no word of the next one', async () => {
  const { textOf } = await connect();
  expect(await textOf('fixed', { to: 'there' })).toBe('From  to there; all: there; not $other, not $from.\n');
});

test('an argument called like something every object has is empty when left out', async () => {
  const { textOf } = await connect();
  expect(await textOf('odd')).toBe('Got [].\n');
  expect(await textOf('odd', { constructor: 'x' })).toBe('Got [x].\n');
});

test.each(['hidden', 'nobody', '', '../free', '__proto__'])('%j cannot be invoked', async (name) => {
  const { client } = await connect();
  await expect(client.getPrompt({ name })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining(`no skill can be invoked as ${JSON.stringify(name)}`),
  });
});
