import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { sha256Hex } from '../../../../src/lib/digest.ts';
import { startup } from '../../../../src/startup.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';
import { installWorld, SKILL, snapshot, writeFiles } from '../install/world.ts';

const FILES = {
  '.agents/skills/pdf/SKILL.md': SKILL('pdf'),
  '.agents/skills/pdf/scripts/run.sh': '#!/bin/sh\necho pdf\n',
  '.agents/skills/pdf/assets/logo.html': '<script>alert(1)</script>\n',
  '.agents/skills/notes/SKILL.md': SKILL('notes'),
  '.agents/skills/draft/SKILL.md': '---\nname: Draft\n---\n',
};

/** The installer that most people have; its later versions do not start on Node 20. */
const PEER = Number(process.versions.node.split('.')[0]) >= 23 ? 'skills@1.7.4' : 'skills@1.5.26';

/** The same tree on the HTTP door. */
async function served(
  files: Readonly<Record<string, string>> = FILES,
  env: Readonly<Record<string, string>> = {},
) {
  const workspace = writeFiles(temporaryDirectory(), files);
  const http = { host: '127.0.0.1', port: '0' };
  const options = { workspace, home: temporaryDirectory(), env, http, transport: 'http' as const };
  const runtime = await startup({ ...options, logger: () => undefined });
  onTestFinished(() => runtime.close());
  const { origin } = new URL(runtime.url ?? '');
  return { workspace, origin, at: (file: string) => `${origin}/.well-known/agent-skills/${file}` };
}

describe('colibri publish', () => {
  test('writes an index with digests, one artifact for each skill, and every file', async () => {
    const { runtime } = await installWorld(FILES);
    const out = temporaryDirectory();
    const report = await runtime.publish.write({ out });
    expect(report).toMatchObject({
      skills: ['notes', 'pdf'],
      folder: path.join(out, '.well-known/agent-skills'),
    });
    const site = snapshot(report.folder);
    expect(Object.keys(site)).toEqual([
      'index.json',
      'notes/SKILL.md',
      'pdf.tar.gz',
      'pdf/SKILL.md',
      'pdf/assets/logo.html',
      'pdf/scripts/run.sh',
    ]);
    const archive = readFileSync(path.join(report.folder, 'pdf.tar.gz'));
    expect(JSON.parse(readFileSync(path.join(report.folder, 'index.json'), 'utf8'))).toEqual({
      $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
      skills: [
        {
          name: 'notes',
          type: 'skill-md',
          description: 'About notes. Use it in tests.',
          url: '/.well-known/agent-skills/notes/SKILL.md',
          digest: `sha256:${sha256Hex(SKILL('notes'))}`,
          files: ['SKILL.md'],
        },
        {
          name: 'pdf',
          type: 'archive',
          description: 'About pdf. Use it in tests.',
          url: '/.well-known/agent-skills/pdf.tar.gz',
          digest: `sha256:${sha256Hex(archive)}`,
          files: ['SKILL.md', 'assets/logo.html', 'scripts/run.sh'],
        },
      ],
    });
  });

  test('gives the same bytes for the same skills, whenever and wherever they were written', async () => {
    const trees: unknown[] = [];
    for (const year of [2001, 2026]) {
      const { runtime, root } = await installWorld(FILES);
      utimesSync(path.join(root, 'pdf/SKILL.md'), new Date(year, 1), new Date(year, 1));
      const { folder } = await runtime.publish.write({ out: temporaryDirectory() });
      trees.push(snapshot(folder));
    }
    expect(trees[0]).toEqual(trees[1]);
  });

  test('puts the address of the site before every address, and replaces what it wrote before', async () => {
    const { runtime } = await installWorld(FILES);
    const out = temporaryDirectory();
    await runtime.publish.write({ out });
    const { folder } = await runtime.publish.write({ out, baseUrl: 'https://ada.example.org/site/' });
    expect(readFileSync(path.join(folder, 'index.json'), 'utf8')).toContain(
      '"https://ada.example.org/site/.well-known/agent-skills/pdf.tar.gz"',
    );
    await expect(runtime.publish.write({ out, baseUrl: 'ada' })).rejects.toMatchObject({ code: 'USAGE' });
  });

  test('leaves out what is the user’s own, unless it is named', async () => {
    const { runtime, home } = await installWorld(FILES);
    writeFiles(path.join(home, '.agents/skills'), { 'own/SKILL.md': SKILL('own') });
    await runtime.skills.reload();
    const publish = async (skills?: readonly string[]) =>
      (await runtime.publish.write({ out: temporaryDirectory(), skills })).skills;
    expect(await publish()).toEqual(['notes', 'pdf']);
    expect(await publish(['own'])).toEqual(['own']);
    expect(await publish(['*'])).toEqual(['notes', 'own', 'pdf']);
    await expect(publish(['nots'])).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' });
  });

  test('leaves a folder alone that nobody has published to', async () => {
    const { runtime } = await installWorld(FILES);
    const out = temporaryDirectory();
    mkdirSync(path.join(out, '.well-known/agent-skills'), { recursive: true });
    writeFileSync(path.join(out, '.well-known/agent-skills/mine'), '');
    await expect(runtime.publish.write({ out })).rejects.toMatchObject({ code: 'INSTALL_PLACE' });
  });
});

describe('over HTTP', () => {
  test('the index and everything it names can be fetched, and fits its digest', async () => {
    const { at, origin } = await served();
    const response = await fetch(at('index.json'));
    expect(response.headers.get('content-type')).toBe('application/json');
    const { skills } = (await response.json()) as {
      skills: { name: string; url: string; digest: string; type: string }[];
    };
    expect(skills.map(({ name, type }) => `${name} ${type}`)).toEqual(['notes skill-md', 'pdf archive']);
    for (const { url, digest } of skills) {
      const bytes = Buffer.from(await (await fetch(new URL(url, origin))).arrayBuffer());
      expect(`sha256:${sha256Hex(bytes)}`).toBe(digest);
    }
    const script = await fetch(at('pdf/scripts/run.sh'));
    expect([await script.text(), script.headers.get('content-type')]).toEqual([
      '#!/bin/sh\necho pdf\n',
      'application/octet-stream',
    ]);
  });

  test('nothing else can: no other path, no other method, no page, no other site', async () => {
    const { at } = await served();
    const paths = [
      '',
      'nobody.tar.gz',
      'notes.tar.gz',
      'draft/SKILL.md',
      'pdf/..%2f..%2fsecret',
      'pdf/%00',
      'pdf/%ff',
      'pdf/.env',
      '../../mcp',
    ];
    for (const name of paths)
      expect({ name, status: (await fetch(at(name))).status }).toMatchObject({
        name,
        status: expect.toBeOneOf([404, 405]),
      });
    expect((await fetch(at('index.json'), { method: 'POST' })).status).toBe(405);
    expect((await fetch(at('index.json'), { headers: { Origin: 'http://evil.example' } })).status).toBe(403);
    const page = await fetch(at('pdf/assets/logo.html'));
    expect([page.headers.get('content-type'), page.headers.get('x-content-type-options')]).toEqual([
      'application/octet-stream',
      'nosniff',
    ]);
    const head = await fetch(at('pdf.tar.gz'), { method: 'HEAD' });
    expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0]);
    const etag = head.headers.get('etag') ?? '';
    expect((await fetch(at('pdf.tar.gz'), { headers: { 'If-None-Match': etag } })).status).toBe(304);
  });

  test('with a token, the token is needed', async () => {
    const token = 'a-token-that-is-long-enough';
    const { at } = await served(FILES, { COLIBRI_HTTP_TOKEN: token });
    expect((await fetch(at('index.json'))).status).toBe(401);
    expect((await fetch(at('index.json'), { headers: { Authorization: `Bearer ${token}` } })).status).toBe(
      200,
    );
  });

  test('colibri installs from it, byte for byte', async () => {
    const { origin, workspace: theirs } = await served();
    const { install, root } = await installWorld();
    await install.add({ source: origin, skills: ['*'], yes: true });
    for (const name of ['pdf', 'notes'])
      expect(snapshot(path.join(root, name))).toEqual(snapshot(path.join(theirs, '.agents/skills', name)));
  });

  test('`npx skills` installs from it', { timeout: 120_000 }, async (context) => {
    const { origin } = await served();
    const cwd = temporaryDirectory();
    const env = { ...process.env, HOME: cwd, DISABLE_TELEMETRY: '1', CI: '1' };
    const words = [
      '--yes',
      '--prefer-offline',
      PEER,
      'add',
      origin,
      '--skill',
      'pdf',
      '--agent',
      'codex',
      '--yes',
      '--copy',
    ];
    const ran = await run('npx', words, { cwd, env });
    if (/E404|ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|ENETUNREACH/.test(ran.output)) {
      process.stderr.write('the package skills cannot be had here, so `npx skills` was not tried\n');
      context.skip();
    }
    expect(ran.code, ran.output).toBe(0);
    expect(readFileSync(path.join(cwd, '.agents/skills/pdf/SKILL.md'), 'utf8')).toBe(SKILL('pdf'));
    expect(existsSync(path.join(cwd, '.agents/skills/pdf/scripts/run.sh'))).toBe(true);
  });
});

/** Not waited for in one piece: the server that it asks runs in this process. */
async function run(
  command: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
) {
  const child = spawn(command, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = await once(child, 'close');
  return { code: code as number | null, output };
}
