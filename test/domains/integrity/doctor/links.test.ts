import { expect, test } from 'vitest';

import { deadLinks } from '../../../../src/domains/integrity/doctor/links.ts';

const FILES = new Set(['SKILL.md', 'references/guide.md', 'assets/my chart.png', 'scripts/run.sh']);

test.each([
  ['a file', 'See [guide](references/guide.md).'],
  ['a part of a file', '[part](references/guide.md#two)'],
  ['a folder', '[all](references/) and [here](./)'],
  ['a name with a space', '![chart](assets/my%20chart.png)'],
  ['the web', '[x](https://example.com/a.md) [m](mailto:a@example.com) [y](#top)'],
  ['a path on a host', '[x](/docs/api)'],
  ['an example in code', '`[x](missing.md)`\n\n```md\n[x](missing.md)\n```'],
  ['a place to fill in', '[x](<path>) [y]($FILE) [z]({file}.md)'],
])('a link to %s is fine', (_, text) => {
  expect(deadLinks(text, FILES)).toEqual([]);
});

test('links that lead nowhere are told with their line', () => {
  const text =
    'One.\n\n[a](references/gone.md) and [b](../other/SKILL.md "title")\n\n[c](references/../../x)';
  expect(deadLinks(text, FILES)).toEqual([
    { target: 'references/gone.md', line: 3, why: 'missing' },
    { target: '../other/SKILL.md', line: 3, why: 'outside' },
    { target: 'references/../../x', line: 5, why: 'outside' },
  ]);
});
