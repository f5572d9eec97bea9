import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { openColibri } from '../../../src/library.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri } from './harness.ts';

const SKILL = '---\nname: pdf-rotate\ndescription: Rotate pages.\n---\nTurn \u001b[8mthem\u001b[0m.\n';

async function withProposal() {
  const cwd = temporaryDirectory();
  const opened = await openColibri({ workspace: cwd, home: cwd });
  try {
    const { id } = await opened.proposals.propose(
      {
        name: 'pdf-rotate',
        files: [{ path: 'SKILL.md', text: SKILL }],
        reason: 'it came up three times',
        change: false,
      },
      { actor: 'agent', session: null, agentTier: 'T3' },
    );
    return { cwd, id };
  } finally {
    await opened.close();
  }
}

describe('review', () => {
  test('lists, shows as a diff without control characters, and rejects', async () => {
    const { cwd, id } = await withProposal();
    expect((await colibri(['review', 'list'], { cwd })).stdout).toBe(
      `${id}\twaiting\tpdf-rotate\tnew\tblock\tit came up three times\n`,
    );
    const shown = await colibri(['review', 'show', id], { cwd });
    expect(shown.stdout).toContain('--- /dev/null\n+++ SKILL.md\n');
    expect(shown.stdout).toContain('+Turn \\u{1b}[8mthem\\u{1b}[0m.');
    expect(shown.stdout).toContain('terminal-controls');
    expect((await colibri(['review', 'accept', id], { cwd })).code).not.toBe(0);
    expect((await colibri(['review', 'reject', id, '--note', 'no'], { cwd })).code).toBe(0);
    expect((await colibri(['review', 'list', '--state', 'rejected'], { cwd })).stdout).toContain(id);
    expect(existsSync(path.join(cwd, '.agents/skills/pdf-rotate'))).toBe(false);
  });

  test('accepts', async () => {
    const { cwd, id } = await withProposal();
    const ran = await colibri(['review', 'accept', id, '--despite-scan'], { cwd });
    expect(ran.stdout).toBe('.agents/skills/pdf-rotate\n');
    expect(readFileSync(path.join(cwd, '.agents/skills/pdf-rotate/SKILL.md'), 'utf8')).toBe(SKILL);
  });

  test('an unknown id names those that wait', async () => {
    const { cwd, id } = await withProposal();
    expect((await colibri(['review', 'show', 'x'], { cwd })).stderr).toContain(`waiting: ${id}`);
  });
});

test('new writes a skill that the next command finds', async () => {
  const cwd = temporaryDirectory();
  const ran = await colibri(['new', 'release-notes', '--description', 'Writes them.'], { cwd });
  expect([ran.code, ran.stdout]).toEqual([0, '.agents/skills/release-notes/SKILL.md\n']);
  expect((await colibri(['list'], { cwd })).stdout).toContain('release-notes');
  expect((await colibri(['validate', '--publish', path.join(cwd, '.agents/skills')], { cwd })).code).toBe(0);
  expect((await colibri(['new', 'release-notes'], { cwd })).code).not.toBe(0);
});
