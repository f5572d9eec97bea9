/** `search`, `load` and `catalog`: the skills as an agent sees them. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { openColibri } from '../../../src/library.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri, skillText, workspaceWith } from './harness.ts';
import { recordedSession, SKILLS } from './recorded-session.ts';

const ESCAPE = '\u001b[31m';
const workspace = () => ({ cwd: workspaceWith(SKILLS), home: temporaryDirectory() });

async function sessionsIn({ cwd, home }: { cwd: string; home: string }): Promise<number> {
  const opened = await openColibri({ workspace: cwd, home });
  const events = await opened.events.read();
  await opened.close();
  return events.filter(({ stream }) => stream.startsWith('session:')).length;
}

/** A workspace with one open session that has this budget. */
async function openWith(budget: { readonly max_loads: number }) {
  const places = workspace();
  const opened = await openColibri({ workspace: places.cwd, home: places.home });
  await opened.sessions.open({ budget });
  await opened.close();
  return places;
}

describe('search', () => {
  test('a pipe gets name, source, score, reason and description, best first', async () => {
    const { stdout, stderr, code } = await colibri(['search', 'merge', 'release'], workspace());
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout.split('\n').map((line) => line.split('\t'))).toEqual([
      [
        'pdf-tools',
        'workspace',
        expect.stringMatching(/^0\.\d+$/),
        'description: merge',
        'Fill in and merge PDF files. [untrusted]',
      ],
      [
        'release-notes',
        'workspace',
        expect.stringMatching(/^0\.\d+$/),
        'name: release',
        'Write release notes from commits. [untrusted]',
      ],
      [''],
    ]);
  });

  test('a terminal gets a table that fits', async () => {
    const { stdout } = await colibri(['search', 'pdf', '--no-color'], { ...workspace(), terminal: 50 });
    expect(stdout).toBe(
      'NAME       SOURCE     WHY            DESCRIPTION\npdf-tools  workspace  in name and…   Fill in and…\n',
    );
  });

  test('JSON is what the tool answers', async () => {
    const { stdout } = await colibri(['search', 'pdf', '--limit', '1', '--json'], workspace());
    expect(JSON.parse(stdout)).toEqual({
      query: 'pdf',
      result_count: 1,
      result_names: ['pdf-tools'],
      results: [
        {
          name: 'pdf-tools',
          source: 'workspace',
          description: 'Fill in and merge PDF files.',
          score: expect.closeTo(3.6, 0),
          why: 'in name and description',
          trusted: false,
        },
      ],
      total_count: 1,
      descriptions_cut_to: null,
    });
  });

  test('what is hidden from agents is not found, and nothing found is no failure', async () => {
    const { stdout, stderr, code } = await colibri(['search', 'people'], workspace());
    expect({ stdout, stderr, code }).toEqual({ stdout: '', stderr: "no skills matched 'people'\n", code: 0 });
  });

  test('a query and a skill full of control characters leave the terminal alone', async () => {
    const evil = skillText({ name: 'evil', description: `"bad\\e[31m \\u202e text"` });
    const places = { cwd: workspaceWith({ evil }), home: temporaryDirectory(), terminal: 100 };
    const found = await colibri(['search', 'bad', '--no-color'], places);
    expect(found.stdout).toContain('bad\\u{1b}[31m \\u{202e} text');
    const missed = await colibri(['search', `${ESCAPE}x`, '--no-color'], places);
    expect(missed.stderr).toBe("no skills matched '\\u{1b}[31mx'\n");
  });

  test.each(['0', '51', 'many', '-1'])('--limit=%s is refused', async (limit) => {
    const { code, stderr } = await colibri(['search', 'pdf', `--limit=${limit}`], workspace());
    expect(code).toBe(2);
    expect(stderr).toContain(`--limit cannot be \`${limit}\`; it is a whole number from 1 to 50 (USAGE)`);
  });
});

describe('match', () => {
  const TASK = 'fill in and merge the pdf files';

  test('a task that a skill is made for names it; one that nothing fits says so and exits with 1', async () => {
    const places = workspace();
    const { stdout, code } = await colibri(['match', ...TASK.split(' ')], places);
    expect({ name: stdout.split('\t')[0], code }).toEqual({ name: 'pdf-tools', code: 0 });
    expect(await colibri(['match', 'good', 'morning'], places)).toMatchObject({
      stdout: '',
      stderr: 'no skill clearly fits this task; colibri search shows what comes near\n',
      code: 1,
    });
  });

  test('JSON is what the tool answers', async () => {
    const { stdout } = await colibri(['match', TASK, '--limit', '1', '--json'], workspace());
    expect(JSON.parse(stdout)).toMatchObject({ result_names: ['pdf-tools'], auto_loaded: null });
  });
});

describe('load', () => {
  test('prints the text and opens no session', async () => {
    const places = workspace();
    const { stdout, code } = await colibri(['load', 'pdf-tools'], places);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^# Skill: pdf-tools \(source: workspace\)\n\n# PDF tools\n\nMerge them in order\.\n/,
    );
    expect(await sessionsIn(places)).toBe(0);
  });

  test('JSON has the text and its facts', async () => {
    const { stdout } = await colibri(['load', 'pdf-tools', '--json'], workspace());
    expect(JSON.parse(stdout)).toMatchObject({
      skill_id: 'pdf-tools',
      source: 'workspace',
      load_size_tokens: expect.any(Number),
      text: expect.stringMatching(/^# Skill: pdf-tools/),
    });
  });

  test('an unknown name exits with 1 and names the nearest', async () => {
    const { code, stderr } = await colibri(['load', 'pdf-tool'], workspace());
    expect(code).toBe(1);
    expect(stderr).toContain('did you mean pdf-tools?');
  });

  test('a skill that is hidden from agents is not given, and the reason is told', async () => {
    const { code, stdout, stderr } = await colibri(['load', 'secret'], workspace());
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'error: secret is hidden from agents; `colibri show secret` shows its text (SKILL_NOT_FOUND)\n',
    );
  });

  test('in a session it counts, is remembered, and can be replayed', async () => {
    const recorded = await recordedSession(async () => undefined, { close: false });
    const first = await colibri(['load', 'pdf-tools', '--session', recorded.id], recorded);
    expect(first.stdout).toMatch(/^# Skill: pdf-tools/);
    const again = await colibri(['load', 'pdf-tools', '--session', 'last'], recorded);
    expect(again.stdout).toMatch(/was loaded earlier in this session/);
    const shown = await colibri(['session', 'show', 'last', '--json'], recorded);
    expect(JSON.parse(shown.stdout)).toMatchObject({ used: { loads: 1 }, loaded: [{ name: 'pdf-tools' }] });
    const replayed = await colibri(['replay', 'last', '--json'], recorded);
    expect(JSON.parse(replayed.stdout)).toMatchObject({ equal: true, events: 6 });
  });

  test('a closed session refuses, and a spent budget does', async () => {
    const closed = await recordedSession();
    const refused = await colibri(['load', 'release-notes', '--session', closed.id], closed);
    expect(refused).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('(SESSION_CLOSED)'),
    });
    const poor = await openWith({ max_loads: 0 });
    const spent = await colibri(['load', 'pdf-tools', '--session', 'last'], poor);
    expect(spent).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('(BUDGET_EXHAUSTED)'),
    });
  });
});

describe('catalog', () => {
  test('prints the block for a prompt, without what is hidden, and opens no session', async () => {
    const places = workspace();
    const { stdout, stderr, code } = await colibri(['catalog'], places);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^2 skills, about \d+ tokens\n$/),
    });
    expect(stdout).toMatch(/^## Available skills\n/);
    expect(stdout).toContain(
      '\n- pdf-tools: Fill in and merge PDF files. [untrusted]\n- release-notes: Write release notes from commits. [untrusted]\n',
    );
    expect(stdout).not.toContain('secret');
    expect(await sessionsIn(places)).toBe(0);
  });

  test('is the very text that a session gets', async () => {
    const places = workspace();
    const opened = await openColibri({ workspace: places.cwd, home: places.home });
    await colibri(['trust', '--all'], places);
    const session = await opened.sessions.open({ preload: true, budget: { catalog_tokens: 70 } });
    const texts = [await session.catalog('markdown'), await session.catalog('xml')];
    await opened.close();
    const flags = ['catalog', '--preload', '--tokens', '70', '--json', '--format'];
    const previews = [
      await colibri([...flags, 'markdown'], places),
      await colibri([...flags, 'xml'], places),
    ];
    expect(previews.map(({ stdout }) => JSON.parse(stdout).text)).toEqual(texts);
    expect(JSON.parse(previews[0]?.stdout ?? '')).toMatchObject({
      shown: 2,
      dropped: 0,
      descriptions_cut_to: null,
      preloaded: ['pdf-tools', 'release-notes'],
    });
  });

  test('says on stderr what a small budget has cost', async () => {
    const long = (name: string) => skillText({ name, description: `${name} ${'word '.repeat(60)}` });
    const cwd = workspaceWith({ one: long('one'), two: long('two'), three: long('three') });
    const { stderr } = await colibri(['catalog', '--tokens', '80'], { cwd });
    expect(stderr).toMatch(/^2 skills, about \d+ tokens, 1 left out, descriptions cut to 60 characters\n$/);
  });

  test('hides by tier where tiers are enforced', async () => {
    const places = workspace();
    writeFileSync(path.join(places.cwd, 'colibri.config.yaml'), 'tiers: enforce\n');
    const seen = async (tier: string) => (await colibri(['catalog', '--tier', tier], places)).stdout;
    expect(await seen('T3')).toContain('- pdf-tools:');
    expect(await seen('T4')).toBe('');
    expect((await colibri(['search', 'pdf'], places)).stdout).toMatch(/^pdf-tools\t/);
  });

  test('of an empty workspace is empty', async () => {
    expect(await colibri(['catalog'], { cwd: temporaryDirectory() })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'no skills, so the catalog is empty\n',
    });
  });
});
