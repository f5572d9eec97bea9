import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';

import { loadConfig } from '../src/config.ts';
import { SETTINGS } from '../src/config-settings.ts';
import { EVENT_TYPES } from '../src/domains/events/schema.ts';
import { sessionOptions } from '../src/domains/sessions/schema.ts';
import { ERROR_CODES } from '../src/lib/errors.ts';
import { openColibri } from '../src/library.ts';
import { startup } from '../src/startup.ts';
import { COMMANDS } from '../src/surfaces/cli/commands.ts';
import { GLOBAL_OPTIONS } from '../src/surfaces/cli/common-options.ts';
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
import { fences } from './support/markdown.ts';
import { writeSkill } from './support/skill-files.ts';
import { temporaryDirectory } from './support/temporary.ts';

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
    // Flags stand in a table of their own; docs/cli.md lists them all.
    const documented = namesInTables(page('docs/configuration.md')).filter((name) => !name.startsWith('--'));
    const real = SETTINGS.map(({ key }) => key);
    expect(differences({ what: 'setting', page: 'docs/configuration.md', real, documented })).toEqual([]);
  });

  it('tells the variable and the default of every setting', () => {
    const rows = page('docs/configuration.md').split('\n');
    const wrong = SETTINGS.filter(({ key, env, fallback }) => {
      const row = rows.find((line) => line.startsWith(`| \`${key}\` |`));
      const [, , variable = '', preset = ''] =
        row?.split('|').map((cell) => cell.trim().replaceAll('`', '')) ?? [];
      const shown = fallback === '.' ? 'the current directory' : fallback;
      return variable !== (env ?? '') || preset !== shown;
    });
    expect(wrong.map(({ key }) => key)).toEqual([]);
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

  it('lists every type of event and no other', () => {
    const documented = Array.from(
      page('docs/events.md').matchAll(/^### ([a-z_.]+)$/gm),
      ([, name = '']) => name,
    );
    expect(differences({ what: 'event', page: 'docs/events.md', real: EVENT_TYPES, documented })).toEqual([]);
  });

  it('names every member of the payloads that a session leaves', async () => {
    const sections = page('docs/events.md').split(/^### /m);
    const events = await eventsOfASession();
    expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThanOrEqual(8);
    const missing = events.flatMap(({ type, payload }) => {
      const section = sections.find((text) => text.startsWith(`${type}\n`)) ?? '';
      // `as above` stands for what another type has explained.
      const told = `${section}\n${section.includes('as above') ? page('docs/events.md') : ''}`;
      return Object.keys(JSON.parse(payload))
        .filter((member) => !told.includes(`\`${member}\``))
        .map((member) => `${type} has ${member}`);
    });
    expect(missing).toEqual([]);
  });

  it('tells the defaults of a session', () => {
    const { budget, preload } = sessionOptions({ preload: true }, 'T3');
    const rows = page('docs/sessions.md');
    for (const [name, value] of Object.entries(budget))
      expect(rows).toContain(`| \`budget.${name}\` | ${value} |`);
    for (const [name, value] of Object.entries(preload ?? {}))
      expect(rows).toContain(`\`${name}\` (${value})`);
  });

  it('shows the same catalog on two pages', () => {
    const block = fences(page('docs/sessions.md'), 'text').find(({ text }) => text.startsWith('## '))?.text;
    expect(page('docs/cli.md')).toContain(`$ colibri catalog\n${block}`);
  });

  it('shows tool loops that are part of examples', () => {
    const loops = fences(page('docs/library.md'), 'ts').slice(1);
    const examples = ['anthropic-tools', 'openai-tools', 'ai-sdk'];
    expect(loops.length).toBe(examples.length);
    for (const [index, name] of examples.entries())
      expect(page(`examples/${name}/main.ts`), name).toContain(loops[index]?.text);
  });

  it.each(['anthropic-tools', 'openai-tools', 'ai-sdk'])('has an example %s that runs', (name) => {
    const words = ['--import', 'tsx', path.join('examples', name, 'main.ts')];
    expect(execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8' })).toMatch(/^ok: /);
  });

  it('shows configurations that can be loaded', async () => {
    const examples = ['docs/configuration.md', 'docs/registry.md'].flatMap((name) =>
      fences(page(name)).filter(({ language }) => language === 'json' || language === 'yaml'),
    );
    expect(examples.length).toBeGreaterThanOrEqual(5);
    for (const { language, text } of examples) {
      const cwd = temporaryDirectory();
      writeFileSync(path.join(cwd, `colibri.config.${language}`), text);
      const { origins } = await loadConfig({ cwd, env: {} });
      expect(origins.map(({ from }) => from)).toContain(`colibri.config.${language}`);
    }
  });

  it('shows a program that finds the rows of the event log that were tampered with', async () => {
    const { workspace, database } = await workspaceWithEvents();
    const program = path.join(workspace, 'check.mjs');
    writeFileSync(program, fences(page('docs/events.md'), 'js')[0]?.text ?? '');
    symlinkSync(path.join(root, 'node_modules'), path.join(workspace, 'node_modules'));
    const check = () => execFileSync(process.execPath, [program, database], { encoding: 'utf8' });
    expect(check()).toBe('');
    const db = new Database(database);
    const last = db.prepare('SELECT max(seq) FROM events').pluck().get();
    db.exec("DROP TRIGGER events_no_update; UPDATE events SET actor = 'somebody else' WHERE seq = 1");
    db.exec('DROP TRIGGER events_no_delete; DELETE FROM events WHERE seq = 2');
    db.close();
    expect(last).toBe(3);
    expect(check()).toBe('1\n3\n');
  });

  it('links to files that exist', () => {
    expect(markdownFiles().flatMap(brokenLinks)).toEqual([]);
  });
});

/** Every tool that a full start registers, on an empty workspace. */
async function registeredTools(): Promise<readonly string[]> {
  const workspace = temporaryDirectory();
  const runtime = await startup({
    workspace,
    home: workspace,
    dbPath: ':memory:',
    env: {},
    logger: () => undefined,
  });
  await runtime.close();
  return [...runtime.ctx.tools.keys()];
}

/** A session that does one of everything. */
async function eventsOfASession() {
  const workspace = temporaryDirectory();
  writeSkill(path.join(workspace, '.agents/skills'), 'one');
  const colibri = await openColibri({ workspace, home: workspace, dbPath: ':memory:' });
  try {
    const session = await colibri.sessions.open({ budget: { warn_tokens: 1 } });
    for (const name of ['one', 'nobody'])
      await session.handleToolCall({ name: 'skill_load', input: { name } });
    await session.close();
    return await colibri.events.read();
  } finally {
    await colibri.close();
  }
}

/** Three scans that each found a new skill, hence three events. */
async function workspaceWithEvents(): Promise<{ readonly workspace: string; readonly database: string }> {
  const workspace = temporaryDirectory();
  const runtime = await startup({ workspace, home: workspace, env: {}, logger: () => undefined });
  for (const name of ['one', 'two', 'three']) {
    writeSkill(path.join(workspace, '.agents/skills'), name);
    await runtime.skills.reload();
  }
  await runtime.close();
  return { workspace, database: runtime.config.database };
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
