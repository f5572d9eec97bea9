/** Skills over MCP (SEP-2640), seen by the official client, which checks every size, digest and frontmatter itself. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Client } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { connectHttp, connectStdio, GENERATIONS, type HttpServer, skillsRoot, startHttp } from './harness.ts';

const BYTES = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff, 0xfe, 0x0a]);
const ODD_NAME = 'a b#c?d%25é.md';
const ODD_URI = 'skill://every-file/references/a%20b%23c%3Fd%2525%C3%A9.md';

/** One skill with a file of every kind. */
function writeEveryFile(root: string): string {
  const folder = path.join(root, 'every-file');
  const lines = ['license: MIT', 'metadata:', '  author: "someone"', '  "1": "one"'];
  writeSkill(root, 'every-file', { description: 'Has files: of every "kind".', lines });
  for (const directory of ['scripts/deep/deeper', 'references', 'assets', 'empty', '.git']) {
    mkdirSync(path.join(folder, directory), { recursive: true });
  }
  writeFileSync(path.join(folder, 'scripts/run.py'), 'print(1)\n');
  writeFileSync(path.join(folder, 'scripts/deep/deeper/last.txt'), 'last\n');
  writeFileSync(path.join(folder, 'references', ODD_NAME), '\uFEFFodd\r\n');
  writeFileSync(path.join(folder, 'assets/logo.png'), BYTES);
  writeFileSync(path.join(folder, 'assets/nothing.txt'), '');
  writeFileSync(path.join(folder, '.env'), 'SECRET=1\n');
  return folder;
}

interface Setup {
  readonly workspace: string;
  readonly root: string;
  readonly server: HttpServer;
  readonly client: Client;
  readonly skills: SkillsClient;
}

async function serveEveryFile(mode: 'auto' | 'legacy' = 'auto'): Promise<Setup> {
  const workspace = temporaryDirectory();
  const root = skillsRoot(workspace);
  writeEveryFile(root);
  // Asking for a rescan by hand keeps these tests free of waiting.
  const server = await startHttp(workspace, { env: { COLIBRI_WATCH: 'off' } });
  const client = await connectHttp(server.url, { mode });
  return { workspace, root, server, client, skills: new SkillsClient(client) };
}

describe.each(GENERATIONS)('over protocol %s', (version, mode) => {
  test('the extension is declared, with directories', async () => {
    const { client, skills } = await serveEveryFile(mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect([skills.supported, skills.directoryRead]).toEqual([true, true]);
  });

  test('an entry has the frontmatter as it stands in the file and every file that is not hidden', async () => {
    const { skills } = await serveEveryFile(mode);
    const { skills: listed } = await skills.list();
    expect(listed).toEqual([
      {
        uri: 'skill://every-file/SKILL.md',
        frontmatter: {
          name: 'every-file',
          description: 'Has files: of every "kind".',
          license: 'MIT',
          metadata: { author: 'someone', '1': 'one' },
        },
        resources: [
          'skill://every-file/SKILL.md',
          'skill://every-file/assets/logo.png',
          'skill://every-file/assets/nothing.txt',
          ODD_URI,
          'skill://every-file/scripts/deep/deeper/last.txt',
          'skill://every-file/scripts/run.py',
        ].map((uri) => ({
          uri,
          size: expect.any(Number),
          digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        })),
      },
    ]);
    expect((await skills.get('skill://every-file/SKILL.md')).skill).toEqual(listed[0]);
  });

  test('every file is read and found to be what was listed, text and bytes', async () => {
    const { skills } = await serveEveryFile(mode);
    const { skill } = await skills.get('skill://every-file/SKILL.md');
    const read = (ref?: string) => skills.read(skill, ref);
    expect(await read()).toMatchObject({
      verified: true,
      frontmatter: skill.frontmatter,
      body: '# every-file\n',
    });
    expect(await read(ODD_URI)).toMatchObject({ verified: true, text: '\uFEFFodd\r\n' });
    expect(await read('assets/nothing.txt')).toMatchObject({ verified: true, text: '' });
    const logo = await read('assets/logo.png');
    expect([Buffer.from(logo.bytes), logo.text, logo.mimeType]).toEqual([BYTES, undefined, 'image/png']);
    expect((await read('scripts/deep/deeper/last.txt')).verified).toBe(true);
  });

  test('directories list their direct children', async () => {
    const { skills } = await serveEveryFile(mode);
    const children = async (uri: string) =>
      (await skills.readDirectory(uri)).resources.map(({ uri: child, mimeType }) => [child, mimeType]);
    const directory = 'inode/directory';
    expect(await children('skill://every-file')).toEqual([
      ['skill://every-file/SKILL.md', 'text/markdown'],
      ['skill://every-file/assets', directory],
      ['skill://every-file/references', directory],
      ['skill://every-file/scripts', directory],
    ]);
    expect(await children('skill://every-file/scripts')).toEqual([
      ['skill://every-file/scripts/deep', directory],
      ['skill://every-file/scripts/run.py', 'text/x-python'],
    ]);
    expect(await children('skill://every-file/references')).toEqual([[ODD_URI, 'text/markdown']]);
  });
});

describe('a URI that is not listed', () => {
  const INVALID_PARAMS = { code: -32602 };

  test.each([
    'skill://every-file/missing.md',
    'skill://every-file/.env',
    'skill://every-file/.git',
    'skill://every-file/%2Eenv',
    'skill://every-file/../every-file/.env',
    'skill://every-file/../../../../etc/passwd',
    'skill://every-file/..%2F..%2F..%2Fetc%2Fpasswd',
    'skill://every-file/%2e%2e/%2e%2e/etc/passwd',
    'skill://every-file/scripts%2Frun.py',
    'skill://every-file/scripts\\run.py',
    'skill://every-file//SKILL.md',
    'skill://every-file/scripts//run.py',
    'skill://every-file/SKILL.md/',
    'skill://every-file/SKILL.md%00.png',
    'skill://every-file/SKILL.md%00',
    'skill://every-file/%ZZ',
    'skill://every-file/skill.md',
    'skill://every-file/SKILL.md?x=1',
    'skill://EVERY-FILE/SKILL.md',
    'skill://%65very-file/SKILL.md',
    'skill://nobody/SKILL.md',
    'skill://../SKILL.md',
    'skill://./SKILL.md',
    'skill:///SKILL.md',
    'skill://',
    'skill:every-file/SKILL.md',
    'file:///etc/passwd',
    'http://127.0.0.1/SKILL.md',
    '/etc/passwd',
  ])('%s → invalid params', async (uri) => {
    const { client } = await serveEveryFile();
    await expect(client.readResource({ uri })).rejects.toMatchObject(INVALID_PARAMS);
    await expect(ask(client, 'skills/get', uri)).rejects.toMatchObject(INVALID_PARAMS);
    await expect(ask(client, 'resources/directory/read', uri)).rejects.toMatchObject(INVALID_PARAMS);
  });

  test.each(['skill://every-file', 'skill://every-file/', 'skill://every-file/scripts/run.py', ''])(
    '%j is no skill',
    async (uri) => {
      const { client } = await serveEveryFile();
      await expect(ask(client, 'skills/get', uri)).rejects.toMatchObject(INVALID_PARAMS);
    },
  );

  test.each([
    'skill://every-file/SKILL.md',
    'skill://every-file/empty',
    'skill://every-file/script',
    'skill://every-file/',
  ])('%s is no directory', async (uri) => {
    const { skills } = await serveEveryFile();
    await expect(skills.readDirectory(uri)).rejects.toMatchObject(INVALID_PARAMS);
  });

  test('a cursor that nobody handed out → invalid params', async () => {
    const { client, skills } = await serveEveryFile();
    await expect(skills.list({ cursor: '***' })).rejects.toMatchObject(INVALID_PARAMS);
    await expect(client.listResources({ cursor: '***' })).rejects.toMatchObject(INVALID_PARAMS);
    await expect(client.listPrompts({ cursor: '***' })).rejects.toMatchObject(INVALID_PARAMS);
  });
});

describe('a file that changed after its skill was listed', () => {
  test('is refused, then listed anew', async () => {
    const { root, skills } = await serveEveryFile();
    const { skill: before } = await skills.get('skill://every-file/SKILL.md');
    writeFileSync(path.join(root, 'every-file/scripts/run.py'), 'print(2)\n');
    await expect(skills.read(before, 'scripts/run.py')).rejects.toThrow(
      'every-file/scripts/run.py has changed since the skill was listed',
    );
    const { skill: after } = await skills.get('skill://every-file/SKILL.md');
    expect(after.resources).not.toEqual(before.resources);
    expect(await skills.read(after, 'scripts/run.py')).toMatchObject({ verified: true, text: 'print(2)\n' });
  });

  test('is refused when it has become a link to somewhere else', async () => {
    const { root, workspace, skills } = await serveEveryFile();
    const { skill } = await skills.get('skill://every-file/SKILL.md');
    writeFileSync(path.join(workspace, 'secret'), 'print(1)\n');
    rmSync(path.join(root, 'every-file/scripts/run.py'));
    symlinkSync(path.join(workspace, 'secret'), path.join(root, 'every-file/scripts/run.py'));
    await expect(skills.read(skill, 'scripts/run.py')).rejects.toThrow('has changed since');
    expect((await skills.list()).skills).toEqual([]);
  });

  test('is not served under an old entry when it is gone', async () => {
    const { root, skills } = await serveEveryFile();
    const { skill } = await skills.get('skill://every-file/SKILL.md');
    rmSync(path.join(root, 'every-file/assets/logo.png'));
    await expect(skills.read(skill, 'assets/logo.png')).rejects.toThrow();
  });
});

describe('only what is clean is published', () => {
  test('a skill that loads but would not pass the publish profile is not listed, not got, not read', async () => {
    const workspace = temporaryDirectory();
    const root = skillsRoot(workspace);
    writeSkill(root, 'clean');
    writeSkill(root, 'host-fields', { lines: ['model: some-model'] });
    // Good YAML, but beyond the reader that MCP clients compare it with.
    writeSkill(root, 'two-lines', { lines: ['metadata: { a: "1",', '  b: "2" }'] });
    writeSkill(root, 'linked');
    symlinkSync('/etc/passwd', path.join(root, 'linked', 'notes.md'));
    const { url, runtime, lines } = await startHttp(workspace);
    expect(runtime.skills.names()).toEqual(
      expect.arrayContaining(['clean', 'host-fields', 'linked', 'two-lines']),
    );
    const client = await connectHttp(url);
    const skills = new SkillsClient(client);
    expect((await skills.list()).skills.map(({ uri }) => uri)).toEqual(['skill://clean/SKILL.md']);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      'skill://clean/SKILL.md',
    ]);
    expect(lines.filter((line) => line.includes('two-lines'))).toEqual([
      expect.stringMatching(/^\[colibri\] not published: two-lines: /),
    ]);
    for (const name of ['host-fields', 'linked', 'two-lines']) {
      const uri = `skill://${name}/SKILL.md`;
      await expect(skills.get(uri)).rejects.toMatchObject({ code: -32602 });
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
    }
  });
});

describe('many skills', () => {
  const COUNT = 230;
  const names = Array.from({ length: COUNT }, (_, at) => `skill-${String(at).padStart(3, '0')}`);

  function workspaceWithMany(): string {
    const workspace = temporaryDirectory();
    for (const name of names) writeSkill(skillsRoot(workspace), name);
    return workspace;
  }

  test('come page by page, each once and in order: skills, resources, prompts and skill_list', async () => {
    const { url } = await startHttp(workspaceWithMany());
    const client = await connectHttp(url);
    const skills = new SkillsClient(client);
    const first = await skills.list({ cursor: Buffer.from('skill-099').toString('base64url') });
    expect([first.skills.length, first.skills[0]?.uri, first.nextCursor]).toEqual([
      100,
      'skill://skill-100/SKILL.md',
      expect.any(String),
    ]);
    const uris = names.map((name) => `skill://${name}/SKILL.md`);
    expect((await skills.list()).skills.map(({ uri }) => uri)).toEqual(uris);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(uris);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(names);
    expect(await walkSkillList(client, 90)).toEqual({ names, pages: 3 });
  });

  test('come whole over stdio as well', async () => {
    const client = await connectStdio(workspaceWithMany());
    expect((await new SkillsClient(client).list()).skills).toHaveLength(COUNT);
  });
});

/** As it goes over the wire; the skills client would refuse some of these URIs by itself. */
function ask(client: Client, method: string, uri: string): Promise<unknown> {
  return client.request({ method, params: { uri } }, z.looseObject({}));
}

async function walkSkillList(client: Client, limit: number): Promise<{ names: string[]; pages: number }> {
  const names: string[] = [];
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const given = cursor === undefined ? { limit } : { limit, cursor };
    const { structuredContent } = await client.callTool({ name: 'skill_list', arguments: given });
    // The shape that docs/tools.md promises.
    const { data } = structuredContent as {
      data: { skills: { name: string }[]; next_cursor?: string };
    };
    names.push(...data.skills.map(({ name }) => name));
    cursor = data.next_cursor;
    if (cursor === undefined) return { names, pages };
  }
}
