import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { SETTINGS } from '../src/config.ts';
import { ERROR_CODES } from '../src/lib/errors.ts';
import { startup } from '../src/startup.ts';
import { COMMANDS, GLOBAL_OPTIONS } from '../src/surfaces/cli/commands.ts';
import { readTree } from './architecture/check.ts';
import {
  commandDifferences,
  differences,
  environmentNames,
  environmentReads,
  localLinks,
  namesInHeadings,
  namesInTables,
} from './architecture/documentation.ts';

const root = path.resolve(import.meta.dirname, '..');
const page = (name: string): string => readFileSync(path.join(root, name), 'utf8');

describe('the documentation', () => {
  it('lists every error code and no other', () => {
    const documented = namesInTables(page('docs/errors.md'));
    const real = Object.keys(ERROR_CODES);
    expect(differences({ what: 'error code', page: 'docs/errors.md', real, documented })).toEqual([]);
  });

  it('lists every command and flag of the command line and no other', () => {
    const offered = { commands: COMMANDS, globals: GLOBAL_OPTIONS };
    expect(commandDifferences('docs/cli.md', page('docs/cli.md'), offered)).toEqual([]);
  });

  it('lists every setting and no other', () => {
    // Environment variables have a test of their own; keys are written in camel case.
    const documented = namesInTables(page('docs/configuration.md')).filter((name) => !/^[A-Z_]+$/.test(name));
    const real = SETTINGS.map(({ key }) => key);
    expect(differences({ what: 'setting', page: 'docs/configuration.md', real, documented })).toEqual([]);
  });

  it('lists every environment variable that the code reads and no other', () => {
    const documented = environmentNames(page('docs/configuration.md'));
    const real = [...readTree(root).values()].flatMap(environmentReads);
    expect(
      differences({ what: 'environment variable', page: 'docs/configuration.md', real, documented }),
    ).toEqual([]);
  });

  it('lists every MCP tool and no other', async () => {
    const documented = namesInHeadings(page('docs/tools.md')).filter((name) => name.includes('_'));
    const real = await registeredTools();
    expect(real.length).toBeGreaterThan(0);
    expect(differences({ what: 'tool', page: 'docs/tools.md', real, documented })).toEqual([]);
  });

  it('links to files that exist', () => {
    expect(markdownFiles().flatMap(brokenLinks)).toEqual([]);
  });
});

/** Every tool that a full start registers, on an empty workspace. */
async function registeredTools(): Promise<readonly string[]> {
  const workspace = mkdtempSync(path.join(os.tmpdir(), 'colibri-docs-'));
  try {
    const runtime = await startup({ workspace, dbPath: ':memory:', env: {}, logger: () => undefined });
    await runtime.close();
    return [...runtime.ctx.tools.keys()];
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

function markdownFiles(): string[] {
  const top = readdirSync(root).filter((name) => name.endsWith('.md'));
  const docs = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  return [...top, ...docs.filter((name) => name.endsWith('.md')).map((name) => path.join('docs', name))];
}

function brokenLinks(file: string): string[] {
  return localLinks(page(file))
    .filter((target) => !existsSync(path.resolve(root, path.dirname(file), target)))
    .map((target) => `${file} links to ${target}, which does not exist`);
}
