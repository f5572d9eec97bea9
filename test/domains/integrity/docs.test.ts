import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { fences } from '../../support/markdown.ts';
import { skillText } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri } from '../../surfaces/cli/harness.ts';

const PAGE = path.resolve(import.meta.dirname, '../../../docs/integrity.md');
/** Times and ids, which are another at each run. */
const VOLATILE = [
  [/\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, '<time>'],
  [/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, '<id>'],
  [/\b(?:[0-9a-f]{12}|[0-9a-f]{64})\b/g, '<digest>'],
] as const;

function steady(text: string): string {
  return VOLATILE.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name), text);
}

function workspaceOfThePage(): string {
  const workspace = temporaryDirectory();
  const write = (file: string, text: string, mode = 0o644) => {
    const place = path.join(workspace, '.agents/skills', file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, text, { mode });
  };
  write(
    'pdf-tools/SKILL.md',
    skillText('pdf-tools', {
      description: 'Fill in, merge and split PDF files.',
      lines: ['version: 1.2.0', 'allowed-tools: Bash(qpdf:*)'],
    }),
  );
  write('pdf-tools/scripts/merge.sh', 'qpdf --empty --pages "$@" -- out.pdf\n', 0o755);
  write('pdf-tools/scripts/split.sh', 'qpdf --split-pages "$1" page.pdf\n', 0o755);
  write(
    'release-notes/SKILL.md',
    skillText('release-notes', { description: 'Write release notes. Use before a release.' }),
  );
  return workspace;
}

test('every example of docs/integrity.md prints what the page says', async () => {
  const cwd = workspaceOfThePage();
  const told = fences(readFileSync(PAGE, 'utf8'), 'console')
    .map(({ text }) => text)
    .join('');
  expect(told).toContain('$ colibri drift');
  let replayed = '';
  for (const line of told.match(/^\$ .*$/gm) ?? []) {
    replayed += `${line}\n`;
    if (!line.startsWith('$ colibri ')) {
      replayed += execFileSync('sh', ['-c', line.slice(2)], { cwd, encoding: 'utf8' });
      continue;
    }
    const words = line.slice('$ colibri '.length).split(' ');
    const { stdout, stderr } = await colibri(words, {
      cwd,
      home: path.join(cwd, 'home'),
      terminal: 120,
      env: { NO_COLOR: '1' },
    });
    // The bar that a slow start draws is gone from a terminal by now.
    replayed += stdout + stderr.replace(/^\r[^\n]*\r/, '');
  }
  expect(steady(replayed)).toBe(steady(told));
});
