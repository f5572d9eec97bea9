import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { httpGet } from '../../../../src/domains/integrity/install/http-get.ts';
import { sha256Hex } from '../../../../src/lib/digest.ts';
import { tarGz, zip } from './archives.ts';
import { type Reply, type Web, web } from './web.ts';
import { installWorld, SKILL, snapshot } from './world.ts';

const INDEX = '/.well-known/agent-skills/index.json';
const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
const NOTES = SKILL('notes');
const PDF = tarGz([
  { name: 'SKILL.md', content: SKILL('pdf') },
  { name: 'scripts/run.sh', content: '#!/bin/sh\n', mode: 0o755 },
]);

function indexReply(change: (skills: Record<string, unknown>[]) => void = () => undefined): Reply {
  const entry = (name: string, type: string, url: string, bytes: string | Buffer) => ({
    name,
    type,
    description: `About ${name}.`,
    url,
    digest: `sha256:${sha256Hex(bytes)}`,
  });
  const skills: Record<string, unknown>[] = [
    entry('notes', 'skill-md', '/.well-known/agent-skills/notes/SKILL.md', NOTES),
    entry('pdf', 'archive', 'pdf.tar.gz', PDF),
    entry('later', 'hologram', '/later', ''),
  ];
  change(skills);
  return { body: JSON.stringify({ $schema: SCHEMA, skills }) };
}

function site(): Promise<Web> {
  return web({
    [INDEX]: indexReply(),
    '/.well-known/agent-skills/notes/SKILL.md': { body: NOTES },
    '/.well-known/agent-skills/pdf.tar.gz': { body: PDF },
  });
}

describe('a site with an index', () => {
  test('gives its skills, of which only those that are wanted are fetched', async () => {
    const { install, workspace, lockFile } = await installWorld();
    const { origin, requests } = await site();
    const { skills } = await install.add({ source: origin, skills: ['pdf'], yes: true });
    expect(skills).toMatchObject([{ name: 'pdf', state: 'installed', files: 2 }]);
    expect(requests.map(({ url }) => url)).toEqual([INDEX, '/.well-known/agent-skills/pdf.tar.gz']);
    expect(Object.keys(snapshot(workspace))).toContain('.agents/skills/pdf/scripts/run.sh');
    expect(JSON.parse(readFileSync(lockFile, 'utf8')).skills.pdf).toMatchObject({
      kind: 'well-known',
      source: `${origin}${INDEX}`,
      artifact: sha256Hex(PDF),
      subpath: '',
    });
    await expect(install.add({ source: origin, skills: ['pfd'], yes: true })).rejects.toThrow(
      /did you mean pdf\?/,
    );
  });

  test('is followed by updates and by a frozen install', async () => {
    const { install, root } = await installWorld();
    const { origin, replies } = await site();
    await install.add({ source: origin, skills: ['*'], yes: true });
    expect(await install.outdated({ yes: true })).toMatchObject([{ state: 'current' }, { state: 'current' }]);
    const next = SKILL('notes', 'New.\n');
    replies.set('/.well-known/agent-skills/notes/SKILL.md', { body: next });
    replies.set(
      INDEX,
      indexReply((skills) => Object.assign(skills[0] ?? {}, { digest: `sha256:${sha256Hex(next)}` })),
    );
    expect(await install.outdated({ yes: true })).toMatchObject([
      { name: 'notes', state: 'outdated' },
      { state: 'current' },
    ]);
    const fresh = await installWorld();
    await fresh.install.add({ source: origin, skills: ['notes'], yes: true });
    expect((await install.update({ yes: true })).skills).toMatchObject([
      { state: 'updated' },
      { state: 'current' },
    ]);
    expect(readFileSync(path.join(root, 'notes/SKILL.md'), 'utf8')).toBe(next);
  });

  test.each([
    [
      'another digest',
      (skills: Record<string, unknown>[]) =>
        Object.assign(skills[0] ?? {}, { digest: `sha256:${'0'.repeat(64)}` }),
      /expected sha256 0000.*, found/,
    ],
    [
      'no digest',
      (skills: Record<string, unknown>[]) => Object.assign(skills[0] ?? {}, { digest: undefined }),
      /entry 1: digest/,
    ],
    [
      'a name twice',
      (skills: Record<string, unknown>[]) => skills.push({ ...skills[0] }),
      /names notes twice/,
    ],
    [
      'another name than its skill',
      (skills: Record<string, unknown>[]) => Object.assign(skills[0] ?? {}, { name: 'other' }),
      /the index has no skill of this name/,
    ],
    [
      'an address that is none',
      (skills: Record<string, unknown>[]) => Object.assign(skills[0] ?? {}, { url: 'http://[' }),
      /no valid address/,
    ],
    [
      'an address on the disk',
      (skills: Record<string, unknown>[]) => Object.assign(skills[0] ?? {}, { url: 'file:///etc/passwd' }),
      /neither http nor https/,
    ],
  ])('with %s gives nothing', async (_, change, says) => {
    const { install, workspace } = await installWorld();
    const { origin, replies } = await site();
    replies.set(INDEX, indexReply(change));
    await expect(install.add({ source: origin, skills: ['*'], yes: true })).rejects.toThrow(says);
    expect(snapshot(workspace)).toEqual({});
  });

  test.each([
    ['no JSON', '<html>'],
    ['an unknown format', JSON.stringify({ $schema: 'https://example.org/9', skills: [] })],
    ['no format', JSON.stringify({ skills: [] })],
  ])('with an index of %s is not guessed at', async (_, body) => {
    const { install } = await installWorld();
    const { origin, replies } = await site();
    replies.set(INDEX, { body });
    await expect(install.add({ source: origin, yes: true })).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
    });
  });
});

describe('an archive on the web', () => {
  test('is installed with its digest', async () => {
    const { install, lockFile } = await installWorld();
    const bytes = zip([{ name: 'x-main/skills/notes/SKILL.md', content: NOTES }]);
    const { origin } = await web({ '/x.zip': { body: bytes } });
    await install.add({ source: `${origin}/x.zip`, yes: true });
    expect(JSON.parse(readFileSync(lockFile, 'utf8')).skills.notes).toMatchObject({
      kind: 'archive',
      source: `${origin}/x.zip`,
      subpath: 'x-main/skills/notes',
      artifact: sha256Hex(bytes),
    });
  });
});

describe('fetching', () => {
  const open = async () => ({ named: false });

  test('follows redirects, each through the policy, and gives the password to its own host alone', async () => {
    const other = await web({ '/there': { body: 'hello' } });
    const { origin, requests } = await web({
      '/a': { status: 302, headers: { location: '/b' } },
      '/b': { status: 307, headers: { location: `${other.origin}/there` } },
    });
    const asked: string[] = [];
    const gate = async (url: URL) => {
      asked.push(url.href);
      return { named: true };
    };
    const got = await httpGet(`${origin}/a`, { gate, bytesMax: 100, credentials: 'ada:secret' });
    expect(got.bytes.toString()).toBe('hello');
    expect(asked).toEqual([`${origin}/a`, `${origin}/b`, `${other.origin}/there`]);
    const sent = `Basic ${Buffer.from('ada:secret').toString('base64')}`;
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([sent, sent]);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test('has an end: redirects, bytes, answers that are none', async () => {
    const { origin } = await web({
      '/loop': { status: 301, headers: { location: '/loop' } },
      '/long': { body: 'x'.repeat(101) },
      '/file': { status: 302, headers: { location: 'file:///etc/passwd' } },
    });
    const get = (name: string) => httpGet(origin + name, { gate: open, bytesMax: 100 });
    await expect(get('/loop')).rejects.toThrow(/redirects more than 5 times/);
    await expect(get('/long')).rejects.toThrow(/more than 100 bytes/);
    await expect(get('/file')).rejects.toThrow(/neither http nor https/);
    await expect(get('/missing')).rejects.toThrow(/answers 404/);
    await expect(httpGet('http://127.0.0.1:1/', { gate: open, bytesMax: 1 })).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
    });
  });

  test('does not go into a private network by a name or a redirect that does not say so', async () => {
    const { origin, requests } = await web({ '/x': { body: 'secret' } });
    const port = new URL(origin).port;
    // The first host is public by its looks; where it leads is what counts.
    const options = { gate: open, bytesMax: 100 };
    await expect(httpGet(`http://localtest.invalid:${port}/x`, options)).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
    });
    const redirecting = await web({
      '/r': { status: 302, headers: { location: `http://127.0.0.2:${port}/x` } },
    });
    await expect(httpGet(`${redirecting.origin}/r`, options)).rejects.toThrow(/private address 127\.0\.0\.2/);
    expect(requests).toEqual([]);
    expect((await httpGet(`http://localhost:${port}/x`, options)).bytes.toString()).toBe('secret');
  });
});

describe('the policy', () => {
  const RULES = (...rules: readonly string[]): Readonly<Record<string, string>> => ({
    'colibri.policy.yaml': `use: default\ninstall:\n${rules.map((rule) => `  - ${rule}\n`).join('')}`,
  });

  test('a source that nobody has said yes to is not even connected to', async () => {
    const { install } = await installWorld();
    const { origin, requests } = await site();
    const refused = { code: 'SOURCE_REFUSED', message: expect.stringContaining('add --yes') };
    await expect(install.add({ source: origin })).rejects.toMatchObject(refused);
    await expect(install.add({ source: origin, ask: async () => false })).rejects.toMatchObject(refused);
    expect(requests).toEqual([]);
    const questions: string[] = [];
    const ask = async (question: string) => questions.push(question) > 0;
    await install.add({ source: origin, skills: ['notes'], ask });
    expect(questions).toEqual([`install from ${origin}${INDEX}?`]);
  });

  test('a deny counts against --yes, in any case of letters, and for what an index names', async () => {
    const { install } = await installWorld(
      RULES('{ effect: deny, source: "**/PDF.tar.gz", reason: not this one }'),
    );
    const { origin } = await site();
    await install.add({ source: origin, skills: ['notes'], yes: true });
    await expect(install.add({ source: origin, skills: ['pdf'], yes: true })).rejects.toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.stringContaining('not this one'),
    });
  });

  test('an allow counts once somebody vouches for the file, and then also for a redirect', async () => {
    const { origin } = await site();
    const { install, runtime } = await installWorld(RULES(`{ effect: allow, source: "${origin}/**" }`));
    await expect(install.add({ source: origin, skills: ['notes'] })).rejects.toThrow(
      /nobody vouched for the file/,
    );
    await runtime.policy.trust(['colibri.policy.yaml'], { actor: 'test' });
    await install.add({ source: origin, skills: ['notes'] });
    const other = await web({ '/x.zip': { status: 302, headers: { location: 'http://127.0.0.2:1/x.zip' } } });
    await expect(
      install.add({
        source: `${other.origin}/x.zip`,
        ask: async (question) => !question.includes('127.0.0.2'),
      }),
    ).rejects.toThrow(/nothing is fetched from http:\/\/127\.0\.0\.2:1\/x\.zip/);
  });

  test('a file that cannot be understood denies every source', async () => {
    const { install } = await installWorld({ 'colibri.policy.yaml': 'install: nobody\n' });
    const { origin } = await site();
    await expect(install.add({ source: origin, yes: true })).rejects.toMatchObject({
      code: 'SOURCE_REFUSED',
    });
  });
});
