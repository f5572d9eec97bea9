import { describe, expect, test } from 'vitest';

import { displayWidth } from '../../../src/surfaces/cli/columns.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri, skillText, workspaceWith } from './harness.ts';

const PDF = skillText(
  {
    name: 'pdf-tools',
    description: 'Fill in and merge PDF forms.',
    version: '1.2.0',
    capabilities: '[pdf, forms]',
  },
  '# PDF tools\n\nMerge them.\n',
);
const NOTES = skillText({
  name: 'release-notes',
  description: 'Write release notes from a list of commits.',
});
const BROKEN = skillText({ name: 'broken' });
// A description that would recolour the terminal, turn the text around and fake a second row.
const HOSTILE = skillText(
  { name: 'hostile', description: '"\\e[31mred\\u202Ereversed\\nfake-skill\\t9.9.9\\u009b2J"' },
  'clear \u001b[2J and \u202e turn\r\nnext line\n',
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be printed.
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('list', () => {
  test('a terminal gets a table with a header, and one line about what was found', async () => {
    const cwd = workspaceWith({ 'pdf-tools': PDF, 'release-notes': NOTES, broken: BROKEN });
    expect(await colibri(['list', '--no-color'], { cwd, terminal: 60 })).toEqual({
      code: 0,
      stdout: [
        'NAME           VERSION  SOURCE     DESCRIPTION',
        'pdf-tools      1.2.0    workspace  Fill in and merge PDF fo…',
        'release-notes  -        workspace  Write release notes from…',
        '',
      ].join('\n'),
      stderr:
        '2 skills from .agents/skills, 1 rejected (`colibri doctor` tells why; `lenient` would load 0); ' +
        'connect a client with `colibri serve` (MCP on stdio)\n',
    });
  });

  test('a pipe gets whole values parted by tabs, and nothing else', async () => {
    const cwd = workspaceWith({ 'pdf-tools': PDF, 'release-notes': NOTES });
    expect(await colibri(['list'], { cwd })).toEqual({
      code: 0,
      stdout:
        'pdf-tools\t1.2.0\tworkspace\tFill in and merge PDF forms.\n' +
        'release-notes\t-\tworkspace\tWrite release notes from a list of commits.\n',
      stderr: '',
    });
  });

  test('rejected skills are mentioned beside a pipe, unless quiet was asked for', async () => {
    const cwd = workspaceWith({ broken: BROKEN });
    expect((await colibri(['list'], { cwd })).stderr).toBe(
      '1 rejected (`colibri doctor` tells why; `lenient` would load 0)\n',
    );
    expect(await colibri(['list', '-q'], { cwd })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('filters narrow the list, and the summary says of how many', async () => {
    const cwd = workspaceWith({ 'pdf-tools': PDF, 'release-notes': NOTES });
    const found = await colibri(['list', '--search', 'RELEASE'], { cwd, terminal: 80 });
    expect(found.stdout).toMatch(/release-notes/);
    expect(found.stdout).not.toMatch(/pdf-tools/);
    expect(found.stderr).toMatch(/^1 of 2 skills from /);
    expect((await colibri(['list', '--capability', 'forms'], { cwd })).stdout).toMatch(
      /^pdf-tools\t[^\n]*\n$/,
    );
    expect((await colibri(['list', '--capability', 'form'], { cwd })).stdout).toBe('');
  });

  test('an empty workspace is told where a skill goes', async () => {
    const cwd = temporaryDirectory();
    expect(await colibri(['list'], { cwd })).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'no skills in .agents/skills yet: put one at .agents/skills/<name>/SKILL.md, then run `colibri list`\n',
    });
  });

  test('JSON is one document with its keys in a fixed order', async () => {
    const cwd = workspaceWith({ 'pdf-tools': PDF, broken: BROKEN });
    const { stdout, stderr } = await colibri(['list', '--json'], { cwd });
    expect(stderr).toBe('');
    expect(stdout).toBe(
      `${JSON.stringify({
        skills: [
          {
            name: 'pdf-tools',
            version: '1.2.0',
            description: 'Fill in and merge PDF forms.',
            capabilities: ['pdf', 'forms'],
            greek_letter: null,
            path: '.agents/skills/pdf-tools/SKILL.md',
            tier: 2,
            invokable_by: ['T0', 'T1', 'T2', 'T3'],
            source: 'workspace',
            source_dir: '.agents/skills/pdf-tools',
          },
        ],
        rejected: 1,
      })}\n`,
    );
  });

  test('another workspace, database and skills root can be named', async () => {
    const workspace = workspaceWith({ 'pdf-tools': PDF });
    const elsewhere = temporaryDirectory();
    const named = ['--workspace', workspace, '--db', ':memory:'];
    expect((await colibri(['list', ...named], { cwd: elsewhere })).stdout).toMatch(/^pdf-tools\t/);
    const empty = await colibri(['list', ...named, '--skills-root', 'none'], { cwd: elsewhere });
    expect(empty.stdout).toBe('');
  });

  test('a workspace that does not exist is a typo, not a wish', async () => {
    const cwd = temporaryDirectory();
    expect(await colibri(['list', '--workspace', 'nowhere'], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: --workspace is not a folder: nowhere; check the path (USAGE)\n',
    });
  });
});

describe('show', () => {
  test('facts first, then the text', async () => {
    const cwd = workspaceWith({ 'pdf-tools': PDF });
    const { code, stdout } = await colibri(['show', 'pdf-tools'], { cwd });
    expect(code).toBe(0);
    const [facts = '', ...body] = stdout.split('\n\n');
    expect(Object.fromEntries(facts.split('\n').map((line) => line.split('\t')))).toMatchObject({
      name: 'pdf-tools',
      version: '1.2.0',
      path: '.agents/skills/pdf-tools/SKILL.md',
      capabilities: 'pdf, forms',
      tier: '2 (T0, T1, T2, T3)',
    });
    expect(body.join('\n\n')).toBe('# PDF tools\n\nMerge them.\n');
  });

  test('a terminal gets the labels in one column', async () => {
    const cwd = workspaceWith({ 'pdf-tools': PDF });
    const { stdout } = await colibri(['show', 'pdf-tools'], { cwd, terminal: 80 });
    expect(stdout).toContain('\u001b[2mname        \u001b[0m  pdf-tools\n');
  });

  test('JSON holds everything that the index knows', async () => {
    const cwd = workspaceWith({ 'pdf-tools': PDF });
    const { stdout } = await colibri(['show', 'pdf-tools', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'pdf-tools',
      body: '# PDF tools\n\nMerge them.\n',
      frontmatter: { version: '1.2.0' },
    });
  });

  test('an unknown name exits with 1 and names the nearest', async () => {
    const cwd = workspaceWith({ 'pdf-tools': PDF });
    expect(await colibri(['show', 'pdf-tool'], { cwd })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: no skill named "pdf-tool"; did you mean pdf-tools? (SKILL_NOT_FOUND)\n',
    });
  });
});

describe('text of a hostile skill', () => {
  test.each([
    ['list', undefined],
    ['list', 40],
    ['list --json', undefined],
    ['list --json', 40],
    ['show hostile', undefined],
    ['show hostile', 40],
    ['show hostile --json', undefined],
    ['show hostile --json', 40],
    ['list --all', undefined],
    ['list --all', 40],
    ['list --all --json', undefined],
    ['show hostile --all', 40],
    ['doctor', undefined],
    ['doctor', 40],
    ['doctor --json', 40],
    ['doctor --summary', 40],
    ['validate <root>', undefined],
    ['validate <root>', 40],
    ['validate <root> --json', 40],
  ])('%s in %s columns prints nothing that steers a terminal', async (line, terminal) => {
    const cwd = workspaceWith({ hostile: HOSTILE });
    const words = `${line} --no-color`.replace('<root>', `${cwd}/.agents/skills`).split(' ');
    const ran = await colibri(words, { cwd, ...(terminal === undefined ? {} : { terminal }) });
    // The doctor says that such text is there.
    expect(ran.code).toBe(line.startsWith('doctor') ? 1 : 0);
    expect(ran.stdout + ran.stderr).not.toMatch(STEERING);
    expect(ran.stdout).not.toBe('');
  });

  test('a line break in a description makes no second row', async () => {
    const cwd = workspaceWith({ hostile: HOSTILE });
    const piped = await colibri(['list'], { cwd });
    expect(piped.stdout.split('\n')).toHaveLength(2);
    expect(piped.stdout.split('\t')).toHaveLength(4);
    const table = await colibri(['list', '--no-color'], { cwd, terminal: 40 });
    expect(table.stdout.split('\n')).toHaveLength(3);
    for (const row of table.stdout.split('\n')) expect(displayWidth(row)).toBeLessThanOrEqual(40);
  });
});
