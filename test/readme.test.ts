import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { makeGuide } from '../examples/agent-run/guide.ts';
import { startup } from '../src/startup.ts';
import { commandComplaints } from './support/command-lines.ts';
import { codeSpans, fences } from './support/markdown.ts';
import { writeSkill, writeSkillFile } from './support/skill-files.ts';

const repository = path.resolve(import.meta.dirname, '..');
const page = (name: string): string => readFileSync(path.join(repository, name), 'utf8');
const readme = page('README.md');

const HTTP_ADDRESS = 'http://127.0.0.1:4870';

// A reader sees the README's output on a terminal of this width.
const COLUMNS = 96;
const TERMINAL = `data:text/javascript,process.stdout.isTTY=true;process.stdout.columns=${COLUMNS}`;

let folder = '';
let workspace = '';
let environment: Record<string, string> = {};

/** A workspace and a `colibri` on the path, as after `npm link`. */
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'colibri-readme-'));
  workspace = path.join(folder, 'workspace');
  const bin = path.join(folder, 'bin');
  mkdirSync(workspace);
  mkdirSync(bin);
  const entry = path.join(repository, 'dist/cli.js');
  expect(existsSync(entry), 'dist is missing: run `npm run build` first').toBe(true);
  const script = `#!/bin/sh\nexec "${process.execPath}" --import '${TERMINAL}' "${entry}" "$@"\n`;
  writeFileSync(path.join(bin, 'colibri'), script, { mode: 0o755 });
  environment = {
    PATH: `${bin}${path.delimiter}${process.env['PATH'] ?? ''}`,
    HOME: folder,
    NO_COLOR: '1',
    LANG: 'C.UTF-8',
  };
  // The skill of the quick start, which every later example is about.
  shell(fences(readme, 'sh')[0]?.text ?? '', { cwd: workspace });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the README', () => {
  it('begins with the two commands, which mean what it says', () => {
    const { scripts } = JSON.parse(page('package.json')) as { scripts: Record<string, string> };
    expect(transcripts().slice(0, 2).flat()).toMatchObject([
      { command: 'npm ci && npm start' },
      { command: 'npm ci && npm test' },
    ]);
    expect(scripts).toMatchObject({ start: 'node dist/cli.js list', test: 'vitest run' });
    const ensured = ['bubblewrap', 'chromium'].map((what) => `bash scripts/ensure-${what}.sh`);
    expect(scripts['pretest']).toBe([...ensured, scripts['prestart']].join(' && '));
  });

  it('shows what npm start prints', () => {
    const [first] = transcripts().flat();
    const printed = shell('colibri list', { cwd: repository, env: { COLIBRI_DB: ':memory:' } });
    expect(printed).toMatch(outputPattern(first?.output ?? ''));
  });

  it('shows what the commands of its shell blocks print, in order', () => {
    const blocks = fences(readme)
      .filter(({ language }) => language === 'sh' || language === 'console')
      .filter(({ text }) => !text.includes(HTTP_ADDRESS) && !text.includes('colibri run'))
      .filter(({ text }) => !isAboutLastSession(transcriptOf(text)));
    for (const { language, text } of blocks.slice(2)) {
      const steps = language === 'sh' ? [{ command: text, output: '' }] : transcriptOf(text);
      for (const { command, output } of steps) {
        expect(shell(command, { cwd: workspace }), command).toMatch(outputPattern(output));
      }
    }
  });

  it('shows a request over HTTP and what comes back', async () => {
    const [step] = transcripts()
      .flat()
      .filter(({ command }) => command.includes(HTTP_ADDRESS));
    await withHttpServer((url) => {
      const command = step?.command.replace(HTTP_ADDRESS, url) ?? '';
      expect(shell(command, { cwd: workspace })).toMatch(outputPattern(step?.output ?? ''));
    });
  });

  it('shows a client configuration that works', async () => {
    const config = JSON.parse(fences(readme, 'json')[0]?.text ?? '');
    const { command, args } = config.mcpServers.colibri;
    const client = new Client({ name: 'readme', version: '1' });
    await client.connect(
      new StdioClientTransport({ command, args, cwd: workspace, env: environment, stderr: 'ignore' }),
    );
    try {
      const input = JSON.parse(codeSpans(readme).find((span) => span.startsWith('{"capability"')) ?? '');
      const { structuredContent } = await client.callTool({ name: 'skill_list', arguments: input });
      expect(structuredContent).toMatchObject({ ok: true, data: { skills: [{ name: 'rotate-api-keys' }] } });
    } finally {
      await client.close();
    }
  });

  it('shows programs that compile and print what it says, and what is left of the last one', () => {
    const modules = path.join(workspace, 'node_modules');
    mkdirSync(modules, { recursive: true });
    symlinkSync(path.join(repository, 'node_modules/@types'), path.join(modules, '@types'));
    symlinkSync(repository, path.join(modules, 'colibri'));
    const tsc = path.join(repository, 'node_modules/.bin/tsc');
    const flags = '--noEmit --strict --skipLibCheck --module nodenext --target es2023 --types node';
    // The first of the text blocks is the picture.
    const outputs = fences(readme, 'text').slice(1);
    const programs = fences(readme, 'ts');
    expect(programs.length).toBe(outputs.length);
    for (const [index, { text }] of programs.entries()) {
      writeFileSync(path.join(workspace, `main${index}.mts`), text);
      execFileSync(tsc, [...flags.split(' '), `main${index}.mts`], { cwd: workspace, stdio: 'inherit' });
      writeFileSync(path.join(workspace, `main${index}.mjs`), text);
      const printed = shell(`"${process.execPath}" main${index}.mjs`, { cwd: workspace });
      expect(printed).toMatch(outputPattern(outputs[index]?.text ?? ''));
    }
    const [afterwards = []] = transcripts().filter(isAboutLastSession);
    for (const { command, output } of afterwards)
      expect(shell(command, { cwd: workspace }), command).toMatch(outputPattern(output));
  });

  it('shows how a task becomes a branch', () => {
    const repo = path.join(folder, 'guide');
    makeGuide(repo, environment);
    shell('colibri trust typo-fixer.yaml fix-typos', { cwd: repo });
    const [step] = transcripts()
      .flat()
      .filter(({ command }) => command.includes('colibri run'));
    expect(shell(step?.command ?? '', { cwd: repo })).toMatch(outputPattern(step?.output ?? ''));
  });

  it('has a length that people read', () => {
    const lines = readme.split('\n').length;
    expect(lines).toBeGreaterThanOrEqual(150);
    expect(lines).toBeLessThanOrEqual(220);
  });
});

// docs/cli.md explains the grammar itself and has a test of its own.
describe.each(markdownFiles().filter((name) => name !== 'docs/cli.md'))('%s', (name) => {
  it('mentions only commands and flags that exist', () => {
    expect(commandComplaints(page(name))).toEqual([]);
  });
});

describe.each(markdownFiles())('%s', (name) => {
  it('names only files that exist', () => {
    const paths = codeSpans(page(name)).filter((span) =>
      /^(?:src|test|docs|schema|scripts|\.agents|\.claude)\/[\w./-]+$/.test(span),
    );
    const isPattern = (span: string) => span.includes('NNN');
    expect(paths.filter((each) => !isPattern(each) && !existsSync(path.join(repository, each)))).toEqual([]);
  });
});

describe('docs/tools.md', () => {
  const examples = page('docs/tools.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => ({ tool: section.split('\n', 1)[0] ?? '', blocks: fences(section, 'json') }));

  it.each(examples)('shows what $tool answers', async ({ tool, blocks }) => {
    const [input, output] = blocks.map(({ text }) => JSON.parse(text));
    const runtime = await startup({
      workspace,
      home: folder,
      dbPath: ':memory:',
      env: {},
      logger: () => undefined,
      exit: () => undefined,
    });
    try {
      const envelope = await runtime.ctx.tools.get(tool)?.call(input, { door: 'library' });
      expect(withoutIds(envelope)).toEqual(withoutIds(output));
    } finally {
      await runtime.close();
    }
  });

  it.each(['skill_get'])('names every field that %s answers with', async (tool) => {
    const runtime = await startup({
      workspace,
      home: folder,
      dbPath: ':memory:',
      env: {},
      logger: () => undefined,
    });
    const envelope = await runtime.ctx.tools
      .get(tool)
      ?.call({ name: 'rotate-api-keys' }, { door: 'library' });
    await runtime.close();
    const { skill } = (envelope as { data: { skill: Record<string, unknown> } }).data;
    const named = codeSpans(page('docs/tools.md')).map((span) => span.replace(/^skills?(?:\[\])?\./, ''));
    expect(Object.keys(skill).filter((field) => !named.includes(field))).toEqual([]);
  });
});

describe('docs/registry.md', () => {
  it('shows what the commands print in such a workspace', () => {
    const home = path.join(folder, 'registry');
    const here = path.join(home, 'workspace');
    writeSkill(path.join(here, '.agents/skills'), 'release-notes');
    writeSkill(path.join(here, '.claude/skills'), 'release-notes');
    writeSkill(path.join(here, '.claude/skills'), 'lonely');
    writeSkill(path.join(home, '.agents/skills'), 'release-notes', { description: 'An older one.' });
    writeSkill(path.join(home, '.agents/skills'), 'pdf');
    writeSkillFile(path.join(here, '.agents/skills'), 'bad', '---\nname: bad\ndescription: x: y\n---\n');
    symlinkSync(path.join(home, '.agents/skills/pdf'), path.join(here, '.agents/skills/pdf'));
    const steps = fences(page('docs/registry.md'), 'console').flatMap(({ text }) => transcriptOf(text));
    expect(steps.length).toBe(2);
    for (const { command, output } of steps) {
      expect(shell(command, { cwd: here, env: { HOME: home } }), command).toMatch(outputPattern(output));
    }
  });
});

/** Ids are other ones at each run. */
function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/[0-9A-HJKMNP-TV-Z]{26}/g, '<id>'));
}

function markdownFiles(): string[] {
  const docs = readdirSync(path.join(repository, 'docs'), { recursive: true, encoding: 'utf8' });
  const inDocs = docs.map((name) => path.posix.join('docs', name));
  return [...readdirSync(repository), ...inDocs].filter((name) => name.endsWith('.md'));
}

interface Step {
  readonly command: string;
  /** What follows the command; a line `…` stands for any lines. */
  readonly output: string;
}

/** Such commands have an answer only after the program that opens a session. */
function isAboutLastSession(steps: readonly Step[]): boolean {
  return steps.some(({ command }) => command.includes(' last'));
}

function transcripts(): readonly (readonly Step[])[] {
  return fences(readme, 'console').map(({ text }) => transcriptOf(text));
}

function transcriptOf(text: string): readonly Step[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      return { command: part.slice(0, end), output: part.slice(end + 1) };
    });
}

function outputPattern(output: string): RegExp {
  const lines = output
    .split('\n')
    .map((line) => (line === '…' ? null : line.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  const source = lines.map((line) => (line === null ? '(?:.*\\n)*?' : `${line}\\n`)).join('');
  return new RegExp(`^${source.replace(/\\n$/, '')}$`);
}

interface Place {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs one line as a shell would and gives what a terminal would show. */
function shell(command: string, { cwd, env = {} }: Place): string {
  const { stdout } = spawnSync('bash', ['-c', `exec 2>&1\n${command}`], {
    cwd,
    env: { ...environment, ...env },
    encoding: 'utf8',
  });
  return stdout;
}

/** `colibri up` on a free port, for as long as `use` takes. */
async function withHttpServer(use: (url: string) => void): Promise<void> {
  const server = spawn('colibri', ['up', '--port', '0'], {
    cwd: workspace,
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(server, 'exit');
  try {
    for await (const line of createInterface(server.stdout)) {
      const url = /page\s+(http\S+)\/$/.exec(line)?.[1];
      if (url === undefined) continue;
      use(url);
      return;
    }
    throw new Error('the server ended before it listened');
  } finally {
    server.kill();
    await ended;
  }
}
