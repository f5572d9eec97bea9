/** What the commands say of several roots at once: copies, links, the mirror, and what was rejected. */
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { sha256Hex } from '../../../src/lib/digest.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri, skillText, writeSkill } from './harness.ts';

const skill = (name: string, description = 'Does one thing.') => skillText({ name, description });
const AGENTS = '.agents/skills';
const MIRROR = '.claude/skills';

/** A workspace and a home with one of everything. Folders are made in the given order. */
function crowdedPlaces(order: (names: string[]) => string[] = (names) => names) {
  const cwd = temporaryDirectory();
  const home = temporaryDirectory();
  const makers: Record<string, () => void> = {
    alpha: () => writeSkill(path.join(cwd, AGENTS, 'alpha'), skill('alpha')),
    beta: () => writeSkill(path.join(cwd, AGENTS, 'beta'), skill('beta')),
    'beta of the user': () => writeSkill(path.join(home, AGENTS, 'beta'), skill('beta', 'Older.')),
    gamma: () => writeSkill(path.join(home, AGENTS, 'gamma'), skill('gamma')),
    'alpha in the mirror': () => writeSkill(path.join(cwd, MIRROR, 'alpha'), skill('alpha')),
    lonely: () => writeSkill(path.join(cwd, MIRROR, 'lonely'), skill('lonely')),
    nameless: () => writeSkill(path.join(cwd, AGENTS, 'nameless'), skillText({ name: 'nameless' })),
    renamed: () => writeSkill(path.join(cwd, AGENTS, 'renamed'), skill('other')),
    link: () => {
      mkdirSync(path.join(cwd, MIRROR), { recursive: true });
      symlinkSync(path.join(cwd, AGENTS, 'beta'), path.join(cwd, MIRROR, 'beta'));
    },
  };
  for (const name of order(Object.keys(makers))) makers[name]?.();
  return { cwd, home };
}

describe('list --all', () => {
  test('a pipe gets every folder with its state and the reason', async () => {
    const { stdout, stderr, code } = await colibri(['list', '--all'], crowdedPlaces());
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.split('\t'))).toEqual([
      ['indexed', 'alpha', 'workspace', `${AGENTS}/alpha/SKILL.md`, ''],
      [
        'shadowed',
        'alpha',
        'mirror',
        `${MIRROR}/alpha/SKILL.md`,
        `${AGENTS}/alpha/SKILL.md won: canonical overrides mirror; same content`,
      ],
      ['indexed', 'beta', 'workspace', `${AGENTS}/beta/SKILL.md`, ''],
      [
        'shadowed',
        'beta',
        'global',
        `~/${AGENTS}/beta/SKILL.md`,
        `${AGENTS}/beta/SKILL.md won: workspace overrides global; other content`,
      ],
      ['indexed', 'gamma', 'global', `~/${AGENTS}/gamma/SKILL.md`, ''],
      ['mirror-only', 'lonely', 'mirror', `${MIRROR}/lonely/SKILL.md`, ''],
      ['alias', '-', '-', `${MIRROR}/beta`, `leads to ${AGENTS}/beta`],
      ['rejected', '-', 'workspace', `${AGENTS}/nameless`, expect.stringMatching(/^field-missing: /)],
      ['rejected', '-', 'workspace', `${AGENTS}/renamed`, expect.stringMatching(/^name-directory: /)],
      [''],
    ]);
    expect(stderr).toBe(
      '4 skills (1 only in the mirror), 2 shadowed, 1 alias, ' +
        '2 rejected (`colibri doctor` tells why; `lenient` would load 1)\n',
    );
  });

  test('a terminal gets a table, and each reason whole below its row', async () => {
    const { stdout } = await colibri(['list', '--all', '--no-color'], { ...crowdedPlaces(), terminal: 62 });
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      'STATE        NAME    SOURCE     PATH',
      'indexed      alpha   workspace  .agents/skills/alpha/SKILL.md',
      'shadowed     alpha   mirror     .claude/skills/alpha/SKILL.md',
      '  .agents/skills/alpha/SKILL.md won: canonical overrides mirror; same content',
    ]);
  });

  test('JSON is the same to the byte, in whatever order the folders were made', async () => {
    const forwards = crowdedPlaces();
    const backwards = crowdedPlaces((names) => names.toReversed());
    const one = await colibri(['list', '--all', '--json'], forwards);
    const other = await colibri(['list', '--all', '--json'], backwards);
    expect(other.stdout).toBe(one.stdout);
    // The second look at the same files reads nothing anew and says the same.
    expect((await colibri(['list', '--all', '--json'], forwards)).stdout).toBe(one.stdout);
    const document = JSON.parse(one.stdout);
    expect(Object.keys(document)).toEqual(['skills', 'shadowed', 'aliases', 'rejected']);
    expect(document.skills).toMatchObject([
      { name: 'alpha', mirror_only: false },
      { name: 'beta', mirror_only: false },
      { name: 'gamma', mirror_only: false },
      { name: 'lonely', mirror_only: true },
    ]);
    expect(document.shadowed).toMatchObject([
      { name: 'alpha', source: 'mirror', rule: 'canonical overrides mirror', same_content: true },
      { name: 'beta', source: 'global', rule: 'workspace overrides global', same_content: false },
    ]);
    expect(document.aliases).toEqual([
      { directory: `${MIRROR}/beta`, root: MIRROR, target: `${AGENTS}/beta` },
    ]);
    expect(document.rejected).toMatchObject([
      { directory: `${AGENTS}/nameless`, lenient_ok: false, first: { code: 'field-missing' } },
      { directory: `${AGENTS}/renamed`, lenient_ok: true, first: { code: 'name-directory' } },
    ]);
  });

  test.each(['--search', '--capability', '--skills-root'])('cannot be narrowed by %s', async (flag) => {
    const ran = await colibri(['list', '--all', flag, 'x'], { cwd: temporaryDirectory() });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(`--all and ${flag} contradict`) });
  });
});

test('the summary of list names the roots that have skills', async () => {
  const { stderr } = await colibri(['list'], { ...crowdedPlaces(), terminal: 80 });
  expect(stderr).toBe(
    `4 skills from ${AGENTS}, ~/${AGENTS} and ${MIRROR}, ` +
      '2 rejected (`colibri doctor` tells why; `lenient` would load 1); ' +
      'connect a client with `colibri serve` (MCP on stdio)\n',
  );
});

test("the machine's own skills stay out when another home is given", async () => {
  const cwd = temporaryDirectory();
  expect((await colibri(['list'], { cwd })).stdout).toBe('');
});

describe('show --all', () => {
  test('tells every copy with its digest, and whether it is the same', async () => {
    const places = crowdedPlaces();
    const { stdout } = await colibri(['show', 'beta', '--all'], places);
    const digest = sha256Hex(Buffer.from(skill('beta', 'Older.')));
    expect(stdout).toContain(
      `\nshadowed\t~/${AGENTS}/beta/SKILL.md (global, other content, sha256:${digest}; workspace overrides global)\n`,
    );
    expect(stdout).toContain(`\nalias\t${MIRROR}/beta\n`);
    const alpha = await colibri(['show', 'alpha', '--all'], places);
    expect(alpha.stdout).toMatch(/\(mirror, same content, /);
    expect(alpha.stdout).not.toMatch(/^alias/m);
    expect((await colibri(['show', 'beta'], places)).stdout).not.toMatch(/shadowed|alias/);
  });

  test('JSON has the winner, its copies and links to it', async () => {
    const places = crowdedPlaces();
    const document = JSON.parse((await colibri(['show', 'beta', '--all', '--json'], places)).stdout);
    expect(document).toMatchObject({
      skill: { name: 'beta', source: 'workspace' },
      shadowed: [{ source: 'global', same_content: false }],
      aliases: [{ directory: `${MIRROR}/beta` }],
    });
  });
});

describe('doctor', () => {
  test('a terminal gets groups, worst first, and the exit code says that something was rejected', async () => {
    const ran = await colibri(['doctor', '--no-color'], { ...crowdedPlaces(), terminal: 80 });
    expect(ran.code).toBe(1);
    const headings = ran.stdout.split('\n').filter((line) => /^\S/.test(line));
    expect(headings).toEqual([
      'rejected skills (2)',
      'names used twice (1)',
      'only in the mirror (1)',
      'copies that differ (1)',
      'mirrored, in step (1)',
    ]);
    expect(ran.stdout).toContain(`  error    ${AGENTS}/renamed/SKILL.md:2  name-directory  `);
    expect(ran.stderr).toBe(
      '8 skills looked at: 2 errors, 2 warnings; of 2 rejected, lenient would load 1\n',
    );
  });

  test('a pipe gets one line a finding; JSON the same findings and the totals', async () => {
    const places = crowdedPlaces();
    const { stdout } = await colibri(['doctor'], places);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t').slice(0, 4)),
    ).toEqual([
      ['error', 'rejected', `${AGENTS}/nameless/SKILL.md`, 'field-missing'],
      ['error', 'rejected', `${AGENTS}/renamed/SKILL.md:2`, 'name-directory'],
      ['warning', 'collision', `~/${AGENTS}/beta/SKILL.md`, 'collision'],
      ['warning', 'mirror-only', `${MIRROR}/lonely/SKILL.md`, 'mirror-only'],
      ['info', 'drift', `${AGENTS}/beta`, 'hosts-differ'],
      ['info', 'mirrored', `${MIRROR}/alpha/SKILL.md`, 'mirrored'],
    ]);
    const document = JSON.parse((await colibri(['doctor', '--json'], places)).stdout);
    expect(document.findings.map(({ code }: { code: string }) => code)).toEqual([
      'field-missing',
      'name-directory',
      'collision',
      'mirror-only',
      'hosts-differ',
      'mirrored',
    ]);
    expect(document.totals).toEqual({
      found: 8,
      indexed: 4,
      rejected: 2,
      lenient_ok: 1,
      shadowed: 2,
      aliases: 1,
      errors: 2,
      warnings: 2,
    });
  });

  test('the summary counts by diagnostic and in all', async () => {
    const places = crowdedPlaces();
    writeSkill(
      path.join(places.cwd, AGENTS, 'alpha'),
      skillText({ name: 'alpha', description: 'x', color: 'red' }),
    );
    const { stdout, code } = await colibri(['doctor', '--summary'], places);
    expect(code).toBe(1);
    expect(stdout).toBe(
      [
        'field-missing\t1\t0',
        'name-directory\t1\t0',
        'nonstandard-field\t0\t1',
        'found\t8',
        'indexed\t4',
        'rejected\t2',
        'lenient would load\t1',
        'shadowed\t2',
        'aliases\t1',
        '',
      ].join('\n'),
    );
    const document = JSON.parse((await colibri(['doctor', '--summary', '--json'], places)).stdout);
    expect(document.codes[0]).toEqual({ code: 'field-missing', errors: 1, warnings: 0 });
    expect(document.totals.found).toBe(8);
  });

  test('warnings alone, or nothing at all, exit with 0', async () => {
    const cwd = temporaryDirectory();
    expect(await colibri(['doctor'], { cwd })).toEqual({
      code: 0,
      stdout: '',
      stderr: '0 skills looked at: 0 errors, 0 warnings\n',
    });
    writeSkill(path.join(cwd, MIRROR, 'lonely'), skill('lonely'));
    expect(await colibri(['doctor', '-q'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^warning\tmirror-only\t/),
      stderr: '',
    });
  });

  test('a link that leads nowhere is an error', async () => {
    const cwd = temporaryDirectory();
    mkdirSync(path.join(cwd, AGENTS), { recursive: true });
    symlinkSync('nowhere', path.join(cwd, AGENTS, 'gone'));
    expect(await colibri(['doctor'], { cwd })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^error\trejected\t\.agents\/skills\/gone\tlink-broken\t/),
    });
  });

  test('a root that cannot be read any more is told beside the last good index', async () => {
    const cwd = temporaryDirectory();
    writeSkill(path.join(cwd, AGENTS, 'alpha'), skill('alpha'));
    await colibri(['list'], { cwd });
    rmSync(path.join(cwd, AGENTS), { recursive: true });
    writeFileSync(path.join(cwd, AGENTS), 'a file where a folder was');
    const told =
      /^error: skills root \.agents\/skills cannot be read: .*; what follows is the last good index\n/;
    expect(await colibri(['list', '-q'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^alpha\t/),
      stderr: expect.stringMatching(told),
    });
    expect(await colibri(['doctor'], { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(told),
    });
  });

  test('what was mended is gone from the next report', async () => {
    const { cwd, home } = crowdedPlaces();
    expect((await colibri(['doctor'], { cwd, home })).code).toBe(1);
    renameSync(path.join(cwd, AGENTS, 'renamed'), path.join(cwd, AGENTS, 'other'));
    writeSkill(path.join(cwd, AGENTS, 'nameless'), skill('nameless'));
    cpSync(path.join(cwd, MIRROR, 'lonely'), path.join(cwd, AGENTS, 'lonely'), { recursive: true });
    const { code, stdout } = await colibri(['doctor'], { cwd, home });
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/rejected|mirror-only/);
  });
});

describe('config show', () => {
  test('tells each value and where it came from, and every root', async () => {
    const cwd = temporaryDirectory();
    const home = temporaryDirectory();
    mkdirSync(path.join(cwd, AGENTS), { recursive: true });
    writeFileSync(
      path.join(cwd, 'colibri.config.yaml'),
      'watch: poll\nroots:\n  extra:\n    - path: vendor/skills\n      depth: 3\n      profile: lenient\n',
    );
    const env = { COLIBRI_SURFACE: 'phase-0', COLIBRI_HTTP_TOKEN: 'a-token-of-the-user' };
    const ran = await colibri(['config', 'show', '--db', 'x.db'], { cwd, home, env });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    for (const line of [
      `setting\tworkspace\tdefault\t${cwd}`,
      `setting\tdatabase\tflag\t${cwd}/x.db`,
      'setting\tsurface\tCOLIBRI_SURFACE\tphase-0',
      'setting\twatch\tcolibri.config.yaml\tpoll',
      'setting\thttp.token\tCOLIBRI_HTTP_TOKEN\t(secret)',
      `root\tworkspace\tstrict\t1\tyes\t${cwd}/${AGENTS}`,
      `root\tglobal\tstrict\t1\tno\t${home}/${AGENTS}`,
      `root\tmirror\tstrict\t1\tno\t${cwd}/${MIRROR}`,
      `root\trepo\tlenient\t3\tno\t${cwd}/vendor/skills`,
    ]) {
      expect(ran.stdout.split('\n')).toContain(line);
    }
    const json = await colibri(['config', 'show', '--json'], { cwd, home, env });
    expect(json.stdout + ran.stdout).not.toContain('a-token-of-the-user');
    const document = JSON.parse(json.stdout);
    expect(document.settings).toContainEqual({ key: 'watch', value: 'poll', from: 'colibri.config.yaml' });
    expect(document.roots.map((root: { source: string }) => root.source)).toEqual([
      'workspace',
      'global',
      'mirror',
      'repo',
    ]);
  });

  test('makes no database, and works beside a damaged one', async () => {
    const cwd = temporaryDirectory();
    mkdirSync(path.join(cwd, 'data'));
    writeFileSync(path.join(cwd, 'data', 'colibri.db'), 'no database');
    const ran = await colibri(['config', 'show'], { cwd, terminal: 60 });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/SETTING .*FROM .*VALUE/);
    expect(ran.stdout).toMatch(/ROOT .*PROFILE .*DEPTH .*EXISTS .*PATH/);
  });

  test.each([
    ['watch: sometimes\n', /watch/],
    ['wach: poll\n', /did you mean watch/],
    ['watch: [\n', /not valid YAML/],
  ])('a wrong file %j exits with 3 and says what is wrong', async (text, why) => {
    const cwd = temporaryDirectory();
    writeFileSync(path.join(cwd, 'colibri.config.yaml'), text);
    const ran = await colibri(['config', 'show'], { cwd });
    expect(ran).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/\(CONFIG_INVALID\)\n$/),
    });
    expect(ran.stderr).toMatch(why);
  });
});
