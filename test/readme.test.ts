import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startup } from '../src/startup.ts';
import { commandComplaints } from './support/command-lines.ts';
import { codeSpans, fences } from './support/markdown.ts';

const repository = path.resolve(import.meta.dirname, '..');
const page = (name: string): string => readFileSync(path.join(repository, name), 'utf8');
const readme = page('README.md');

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
    expect(scripts['prestart']).toBe(scripts['pretest']);
  });

  it('shows what npm start prints', () => {
    const [first] = transcripts().flat();
    const printed = shell('colibri list', { cwd: repository, env: { COLIBRI_DB: ':memory:' } });
    expect(printed).toMatch(outputPattern(first?.output ?? ''));
  });

  it('shows what the commands of its shell blocks print, in order', () => {
    const blocks = fences(readme).filter(({ language }) => language === 'sh' || language === 'console');
    for (const { language, text } of blocks.slice(2)) {
      const steps = language === 'sh' ? [{ command: text, output: '' }] : transcriptOf(text);
      for (const { command, output } of steps) {
        expect(shell(command, { cwd: workspace }), command).toMatch(outputPattern(output));
      }
    }
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

  it('shows a program that compiles and prints what it says', () => {
    const [program] = fences(readme, 'ts');
    const modules = path.join(workspace, 'node_modules');
    mkdirSync(modules, { recursive: true });
    symlinkSync(path.join(repository, 'node_modules/@types'), path.join(modules, '@types'));
    symlinkSync(repository, path.join(modules, 'colibri'));
    writeFileSync(path.join(workspace, 'main.mts'), program?.text ?? '');
    const tsc = path.join(repository, 'node_modules/.bin/tsc');
    const flags = '--noEmit --strict --skipLibCheck --module nodenext --target es2023 --types node';
    execFileSync(tsc, [...flags.split(' '), 'main.mts'], { cwd: workspace, stdio: 'inherit' });
    writeFileSync(path.join(workspace, 'main.mjs'), program?.text ?? '');
    const printed = shell(`"${process.execPath}" main.mjs`, { cwd: workspace });
    expect(printed).toMatch(outputPattern(fences(readme, 'text')[1]?.text ?? ''));
  });

  it('has a length that people read', () => {
    const lines = readme.split('\n').length;
    expect(lines).toBeGreaterThanOrEqual(150);
    expect(lines).toBeLessThanOrEqual(220);
  });
});

describe.each(['README.md', 'ARCHITECTURE.md', 'SECURITY.md', 'docs/tools.md', 'docs/configuration.md'])(
  '%s',
  (name) => {
    it('mentions only commands and flags that exist', () => {
      expect(commandComplaints(page(name))).toEqual([]);
    });

    it('names only files that exist', () => {
      const paths = codeSpans(page(name)).filter((span) =>
        /^(?:src|test|docs|\.agents|\.claude)\/[\w./-]+$/.test(span),
      );
      expect(paths.filter((each) => !existsSync(path.join(repository, each)))).toEqual([]);
    });
  },
);

describe('docs/tools.md', () => {
  it('shows what skill_list answers', async () => {
    const [input, output] = fences(page('docs/tools.md'), 'json').map(({ text }) => JSON.parse(text));
    const runtime = await startup({
      workspace,
      dbPath: ':memory:',
      env: {},
      logger: () => undefined,
      exit: () => undefined,
    });
    try {
      const envelope = await runtime.ctx.tools.get('skill_list')?.call(input, { door: 'library' });
      expect(envelope).toEqual(output);
    } finally {
      await runtime.close();
    }
  });
});

interface Step {
  readonly command: string;
  /** What follows the command; a line `…` stands for any lines. */
  readonly output: string;
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
