import { describe, expect, test } from 'vitest';

import { planFixes } from '../../../../src/domains/integrity/doctor/fix-plan.ts';
import { parseSkill } from '../../../../src/domains/skills/parse.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const target = (text: string, file = 'SKILL.md') => ({
  directory: '.agents/skills/tool',
  real: '/tmp/tool',
  file,
  bytes: bytes(text),
});
const fixed = (text: string) => planFixes([target(text)])[0]?.after ?? null;

describe('moving fields under metadata', () => {
  test('touches nothing but the lines of the fields', () => {
    const text =
      '---\nname: tool\n# kept\ntier: 1\ndescription: >-\n  Does one\n  thing.\ncapabilities:\n  - read\n  - "write"\nlicense: MIT\n---\n\nBody  \n';
    expect(fixed(text)).toBe(
      '---\nname: tool\n# kept\ndescription: >-\n  Does one\n  thing.\nlicense: MIT\nmetadata:\n  colibri.tier: "1"\n  colibri.capabilities: "read, write"\n---\n\nBody  \n',
    );
  });

  test('adds to metadata that is there', () => {
    const text =
      '---\nname: tool\nmetadata:\n  author: me\n\nversion: "1.10"\ndescription: Does x.\n---\nBody\n';
    expect(fixed(text)).toBe(
      '---\nname: tool\nmetadata:\n  author: me\n  colibri.version: "1.10"\ndescription: Does x.\n---\nBody\n',
    );
  });

  test('makes the skill fit to be published, and it says the same as before', () => {
    const text =
      '---\nname: tool\ndescription: Does x.\ntier: 3\ninvokable_by: [T0]\ntriggers: [when x, "when y"]\nworkflow:\n  - step: look\n    tool: Read\n    params: { path: a }\n---\nBody\n';
    const after = fixed(text) ?? '';
    const read = (source: string) =>
      parseSkill(bytes(source), { file: 'SKILL.md', directory: 'tool' }, { profile: 'strict' }).skill;
    const { frontmatter: _, metadata: __, digest: ___, ...before } = read(text) ?? {};
    expect(read(after)).toMatchObject(before as object);
    const { diagnostics } = parseSkill(
      bytes(after),
      { file: 'SKILL.md', directory: 'tool' },
      { profile: 'publish' },
    );
    expect(diagnostics).toEqual([]);
  });

  test.each([
    ['an item with a comma, which would become two', 'triggers: ["a, b"]'],
    ['metadata on one line', 'tier: 1\nmetadata: { author: me }'],
    ['frontmatter that is no YAML', 'tier: 1\nlicense: [a'],
    ['nothing of ours', 'license: MIT'],
    ['a field that metadata carries already', 'tier: 1\nmetadata:\n  colibri.tier: "3"'],
  ])('leaves alone %s', (_, lines) => {
    expect(fixed(`---\nname: tool\ndescription: Does x.\n${lines}\n---\nBody\n`)).toBeNull();
  });
});

test('line ends and the byte order mark are mended', () => {
  const [plan] = planFixes([target('\ufeff---\r\nname: tool\r\ndescription: Does x.\r\n---\r\nBody\r\n')]);
  expect(plan?.after).toBe('---\nname: tool\ndescription: Does x.\n---\nBody\n');
  expect(plan?.steps).toEqual(['remove the byte order mark', 'end lines with LF']);
});

test('a misspelt file name is mended', () => {
  const [plan] = planFixes([target('---\nname: tool\ndescription: Does x.\n---\nBody\n', 'skill.md')]);
  expect(plan).toMatchObject({
    file: 'skill.md',
    renameTo: 'SKILL.md',
    steps: ['rename skill.md to SKILL.md'],
  });
});

test('what is no text is left alone', () => {
  expect(planFixes([{ ...target(''), bytes: Uint8Array.of(0xff, 0xfe) }])).toEqual([]);
});
