/** The session of docs/install.md is what the commands print. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { fences } from '../../../support/markdown.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';
import { colibri } from '../../../surfaces/cli/harness.ts';
import { SKILL, writeFiles } from './world.ts';

const PAGE = path.resolve(import.meta.dirname, '../../../../docs/install.md');
const TEXT = '# Release notes\n\nList the commits.\nGroup them.\nWrite one line for each.\n';

test('docs/install.md shows what the commands print', async () => {
  const cwd = writeFiles(temporaryDirectory(), {
    'vendor/release-notes/SKILL.md': SKILL('release-notes', TEXT),
    'vendor/release-notes/scripts/log.sh': '#!/bin/sh\ngit log\n',
    'vendor/pdf-tools/SKILL.md': SKILL('pdf-tools'),
  });
  const home = temporaryDirectory();
  const installed = path.join(cwd, '.agents/skills/release-notes/SKILL.md');
  const deeds: Readonly<Record<string, () => void>> = {
    'edit the skill': () => appendFileSync(installed, 'Thank the authors.\n'),
    'the source moves on': () =>
      writeFileSync(
        path.join(cwd, 'vendor/release-notes/SKILL.md'),
        SKILL('release-notes', TEXT.replace('commits', 'commits since the last tag')),
      ),
    'somebody deletes the folder': () => rmSync(path.dirname(installed), { recursive: true }),
  };
  const [shown] = fences(readFileSync(PAGE, 'utf8'), 'console');
  let replayed = '';
  for (const line of shown?.text.match(/^[$#] .*$/gm) ?? []) {
    replayed += `${line}\n`;
    if (line.startsWith('# ')) {
      deeds[line.slice(2)]?.();
      continue;
    }
    const words = line.slice('$ colibri '.length).split(' ');
    const { stdout, stderr } = await colibri(words, { cwd, home, terminal: 100, env: { NO_COLOR: '1' } });
    // On a slow machine a bar comes and goes before the words.
    replayed += stdout + stderr.replace(/^(?:\r[^\r\n]*)+\r/, '');
  }
  expect(replayed.replaceAll(cwd, '/home/ada/project')).toBe(shown?.text);
});
