import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { fences } from '../../support/markdown.ts';
import { colibri, skillText, workspaceWith, writeSkill } from './harness.ts';

const PAGE = path.resolve(import.meta.dirname, '../../../docs/cli.md');
const SKILLS = {
  'pdf-tools': skillText(
    {
      name: 'pdf-tools',
      description: 'Fill in, merge and split PDF files. Use when a PDF has to be changed.',
      version: '1.2.0',
      capabilities: '[pdf, forms]',
      license: 'Apache-2.0',
    },
    '# PDF tools\n\nRun `scripts/merge.py` with the files in order.\n',
  ),
  'release-notes': skillText({
    name: 'release-notes',
    description: 'Write release notes from a list of commits. Use before a release.',
  }),
  draft: skillText({ name: 'Draft' }),
};
const OLDER_COPY = skillText({ name: 'pdf-tools', description: 'Fill in PDF forms.', version: '1.1.0' });
const TIME = /\d{4}-?\d\d-?\d\dT[\d:.]+Z/g;

test('every example of docs/cli.md prints what the page says', async () => {
  const cwd = workspaceWith(SKILLS);
  writeSkill(path.join(cwd, '.claude/skills/pdf-tools'), OLDER_COPY);
  const before = process.cwd();
  process.chdir(cwd);
  onTestFinished(() => process.chdir(before));
  let replayed = '';
  const told = fences(readFileSync(PAGE, 'utf8'), 'console')
    .map(({ text }) => text)
    .join('');
  for (const line of told.match(/^\$ colibri .*$/gm) ?? []) {
    const words = line.slice('$ colibri '.length).split(' ');
    const { stdout, stderr } = await colibri(words, { cwd, terminal: 78, env: { NO_COLOR: '1' } });
    replayed += `${line}\n${stdout}${stderr}`;
  }
  expect(replayed.replaceAll(cwd, '/home/ada/project').replaceAll(TIME, '<time>')).toBe(
    told.replaceAll(TIME, '<time>'),
  );
});
