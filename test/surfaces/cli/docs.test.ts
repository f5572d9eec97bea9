import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { openColibri } from '../../../src/library.ts';
import { fences } from '../../support/markdown.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
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
/** Times, ids and ends of ids: what is another at each run. */
const VOLATILE = [
  [/\d{4}-?\d\d-?\d\d[T ][\d:.]+Z?/g, '<time>'],
  [/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, '<id>'],
  [/…[0-9A-HJKMNP-TV-Z]{6}(?= )/g, '<id>'],
] as const;

function steady(text: string): string {
  return VOLATILE.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name), text);
}

/** What the examples about sessions show. */
async function workAsAda(cwd: string): Promise<void> {
  const opened = await openColibri({ workspace: cwd, home: temporaryDirectory() });
  const session = await opened.sessions.open({ agent_id: 'ada' });
  await session.handleToolCall({ name: 'skill_search', input: { query: 'pdf' } });
  await session.handleToolCall({ name: 'skill_load', input: { name: 'pdf-tools' } });
  await opened.close();
}

test('every example of docs/cli.md prints what the page says', async () => {
  const cwd = workspaceWith(SKILLS);
  writeSkill(path.join(cwd, '.claude/skills/pdf-tools'), OLDER_COPY);
  await workAsAda(cwd);
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
    // The bar that a slow start draws is gone from a terminal by now.
    replayed += `${line}\n${stdout}${stderr.replace(/^\r[^\n]*\r/, '')}`;
  }
  expect(steady(replayed.replaceAll(cwd, '/home/ada/project'))).toBe(steady(told));
});
