import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { type ColibriDatabase, openDatabase } from '../src/db/database.ts';
import { type StartupOptions, startup } from '../src/startup.ts';
import { fixedClock } from './support/fixed-clock.ts';
import { callTool, spySink } from './support/kernel.ts';
import { CLI, type RpcProcess, sendInitialize, spawnRpc } from './support/rpc-process.ts';
import { writeSkill } from './support/skill-files.ts';
import { namesOf } from './support/skill-index.ts';
import { temporaryDirectory } from './support/temporary.ts';

const HELD_SERVER = fileURLToPath(new URL('./support/held-server.ts', import.meta.url));
const TSX = import.meta.resolve('tsx');
const QUIET_MS = 300;
const FULL_TOOLS = [
  'skill_list',
  'skill_reload',
  'skill_search',
  'skill_match',
  'skill_load',
  'skill_read',
  'skill_get',
  'skill_run',
  'session_open',
  'session_close',
  'agent_status',
  'agent_list',
  'task_create',
  'task_update',
  'task_list',
  'thought_record',
  'memory_pack',
  'agent_spawn',
  'drift_check',
  'skill_propose',
];

function toolNames(answer: Record<string, unknown>): readonly string[] {
  return namesOf((answer['result'] as { tools: { name: string }[] }).tools);
}

function spawnHeld(workspace: string, how: 'thread' | 'write'): RpcProcess & { release(): void } {
  const file = path.join(workspace, 'go');
  const server = spawnRpc(['--import', TSX, HELD_SERVER, workspace, file, how], { cwd: workspace });
  return { ...server, release: () => writeFileSync(file, '') };
}

interface Boot {
  readonly options: StartupOptions;
  readonly lines: string[];
  readonly exits: number[];
  /** The databases that were opened. */
  readonly opened: ColibriDatabase[];
}

function boot(workspace: string, more: StartupOptions = {}): Boot {
  const lines: string[] = [];
  const exits: number[] = [];
  const opened: ColibriDatabase[] = [];
  const options: StartupOptions = {
    workspace,
    home: workspace,
    env: {},
    logger: (...args) => lines.push(args.map(String).join(' ')),
    exit: (code) => exits.push(code),
    openDatabase: (file, open) => {
      const db = openDatabase(file, open);
      opened.push(db);
      return db;
    },
    ...more,
  };
  return { options, lines, exits, opened };
}

describe('two phases', () => {
  test('initialize is answered before the database is even opened', async () => {
    const workspace = temporaryDirectory();
    writeSkill(path.join(workspace, '.agents', 'skills'), 'one');
    const server = spawnHeld(workspace, 'thread');
    sendInitialize(server);
    // The thread is blocked until the file is there, so an answer now can only have been given before phase 2.
    expect(await server.answer(0)).toMatchObject({ result: { serverInfo: { name: 'colibri' } } });
    expect(existsSync(path.join(workspace, 'data'))).toBe(false);
    server.release();
    server.send({ id: 1, method: 'tools/list' });
    expect(toolNames(await server.answer(1))).toEqual(FULL_TOOLS);
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
  });

  test('ping is answered during phase 2, tools/list and tools/call wait for its end', async () => {
    const workspace = temporaryDirectory();
    writeSkill(path.join(workspace, '.agents', 'skills'), 'one');
    const server = spawnHeld(workspace, 'write');
    sendInitialize(server);
    server.send({ id: 1, method: 'tools/list' });
    server.send({ id: 2, method: 'tools/call', params: { name: 'skill_list', arguments: {} } });
    server.send({ id: 3, method: 'ping' });
    await Promise.all([server.answer(0), server.answer(3)]);
    await sleep(QUIET_MS);
    expect(server.stdout.map((line) => JSON.parse(line).id).sort()).toEqual([0, 3]);
    server.release();
    expect(toolNames(await server.answer(1))).toEqual(FULL_TOOLS);
    expect(await server.answer(2)).toMatchObject({
      result: { structuredContent: { ok: true, data: { total_count: 1 } } },
    });
  });

  test('after a start everything is there: index, tool, configuration, elapsed time', async () => {
    const workspace = temporaryDirectory();
    writeSkill(path.join(workspace, '.agents', 'skills'), 'one');
    const clock = fixedClock();
    const audit = spySink();
    const { options, lines } = boot(workspace, { clock, audit });
    const runtime = await startup(options);
    expect(runtime.config.workspace).toBe(workspace);
    expect(namesOf(runtime.skills.list())).toEqual(['one']);
    expect([...runtime.ctx.tools.keys()].filter((name) => name !== 'skill_invoke')).toEqual(FULL_TOOLS);
    expect(runtime.ctx.tools.get('skill_invoke')?.audience).toBe('people');
    expect(runtime.elapsedMs).toBe(0);
    expect(lines).toEqual([]);
    expect(await callTool(runtime.ctx, 'skill_list')).toMatchObject({ ok: true, data: { total_count: 1 } });
    expect(audit.seen).toEqual(['audit-enter', 'audit-exit']);
    await runtime.close();
  });

  test('a workspace without skills starts as well', async () => {
    const workspace = temporaryDirectory();
    const { options, lines } = boot(workspace);
    const runtime = await startup(options);
    expect(runtime.skills.list()).toEqual([]);
    // A root that is not there is an empty one; three are configured, and most people have one.
    expect(lines).toEqual([]);
    await runtime.close();
  });

  test('phase-0 offers the one contracted tool over the one contracted loader, which says what it did', async () => {
    const workspace = temporaryDirectory();
    writeSkill(path.join(workspace, '.agents', 'skills'), 'one');
    const { options, lines } = boot(workspace, { surface: 'phase-0' });
    const runtime = await startup(options);
    expect([...runtime.ctx.tools.keys()]).toEqual(['skill_list']);
    expect(namesOf(runtime.skills.list())).toEqual(['one']);
    expect(lines).toEqual(['[colibri] skills loaded: 1, skipped: 0, pruned: 0']);
    await runtime.close();
    const empty = boot(temporaryDirectory(), { surface: 'phase-0' });
    await (await startup(empty.options)).close();
    expect(empty.lines).toEqual([`[colibri] skills root missing ${empty.options.workspace}/.agents/skills`]);
  });

  test('skillsRoot replaces the default root', async () => {
    const workspace = temporaryDirectory();
    const skillsRoot = temporaryDirectory();
    writeSkill(path.join(workspace, '.agents', 'skills'), 'default');
    writeSkill(skillsRoot, 'injected');
    const runtime = await startup(boot(workspace, { skillsRoot }).options);
    expect(namesOf(runtime.skills.list())).toEqual(['injected']);
    await runtime.close();
  });
});

describe('a second phase that fails', () => {
  test('a database that cannot be opened is logged, exit(1) is asked for, and the error is thrown', async () => {
    const { options, lines, exits } = boot(temporaryDirectory(), {
      openDatabase: () => {
        throw new Error('no disk');
      },
    });
    await expect(startup(options)).rejects.toThrow('no disk');
    expect(lines).toEqual(['[Startup] Phase 2 failed: no disk']);
    expect(exits).toEqual([1]);
  });

  test('an unreadable root blames the root, not the database, and what was opened is closed', async () => {
    const workspace = temporaryDirectory();
    const skillsRoot = path.join(workspace, 'file');
    writeFileSync(skillsRoot, '');
    const { options, lines, exits, opened } = boot(workspace, { skillsRoot });
    await expect(startup(options)).rejects.toMatchObject({ code: 'ROOT_UNREADABLE' });
    expect(lines).toEqual([
      `[Startup] Phase 2 failed: skills root ${skillsRoot} cannot be read (ENOTDIR: not a directory, scandir '${skillsRoot}'); check the path and its permissions`,
    ]);
    expect(exits).toEqual([1]);
    expect(opened.map(({ handle }) => handle.open)).toEqual([false]);
  });

  test('the exit comes after everything was closed', async () => {
    const workspace = temporaryDirectory();
    const skillsRoot = path.join(workspace, 'file');
    writeFileSync(skillsRoot, '');
    const openAtExit: boolean[] = [];
    const { options, opened } = boot(workspace, { skillsRoot });
    await startup({
      ...options,
      exit: () => openAtExit.push(...opened.map(({ handle }) => handle.open)),
    }).catch(() => undefined);
    expect(openAtExit).toEqual([false]);
  });

  test('a served process ends with 1, the reason last on stderr and nothing on stdout', async () => {
    const workspace = temporaryDirectory();
    writeFileSync(path.join(workspace, 'file'), '');
    const server = spawnRpc([CLI, 'serve', '--skills-root', 'file'], { cwd: workspace });
    expect(await server.ended).toBe(1);
    expect(server.stderr().trimEnd().split('\n').at(-1)).toMatch(
      /^\[Startup\] Phase 2 failed: skills root .*file /,
    );
    expect(server.stdout).toEqual([]);
  });

  test('a damaged database is left alone and recover is named', async () => {
    const workspace = temporaryDirectory();
    const dbPath = path.join(workspace, 'broken.db');
    writeFileSync(dbPath, 'this is no database '.repeat(500));
    const { options, lines, exits } = boot(workspace, { dbPath });
    await expect(startup(options)).rejects.toMatchObject({ code: 'DB_CORRUPT' });
    expect(lines).toEqual([expect.stringMatching(/^\[Startup\] Phase 2 failed: .*colibri db recover/)]);
    expect(exits).toEqual([1]);
  });
});

describe('close', () => {
  test('closes the database; calling it again, also at the same time, does nothing', async () => {
    const { options, opened } = boot(temporaryDirectory());
    const runtime = await startup(options);
    expect(opened[0]?.handle.open).toBe(true);
    await Promise.all([runtime.close(), runtime.close()]);
    await runtime.close();
    expect(opened[0]?.handle.open).toBe(false);
  });

  test('every part is stopped once, however often close is called', async () => {
    let stopped = 0;
    const runtime = await startup({
      ...boot(temporaryDirectory()).options,
      openDatabase: (file, open) => {
        const db = openDatabase(file, open);
        return {
          ...db,
          close: () => {
            stopped++;
            return db.close();
          },
        };
      },
    });
    await Promise.all([runtime.close(), runtime.close()]);
    await runtime.close();
    expect(stopped).toBe(1);
  });

  test('a part that cannot be stopped is logged and does not stop the rest', async () => {
    const { options, lines, opened } = boot(temporaryDirectory());
    const runtime = await startup({
      ...options,
      openDatabase: (file, open) => {
        const db = openDatabase(file, open);
        opened.push(db);
        return { ...db, close: () => Promise.reject(new Error('stuck')) };
      },
    });
    lines.length = 0;
    await runtime.close();
    expect(lines).toEqual(['[colibri] shutdown (closed): stuck']);
    await opened[0]?.close();
  });

  test('the same workspace can be opened again and finds its index', async () => {
    const workspace = temporaryDirectory();
    writeSkill(path.join(workspace, '.agents', 'skills'), 'one');
    for (const _ of [1, 2]) {
      const runtime = await startup(boot(workspace).options);
      expect(namesOf(runtime.skills.list())).toEqual(['one']);
      await runtime.close();
    }
  });
});
