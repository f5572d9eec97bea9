/** What goes wrong during a scan leaves the index as it was. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, onTestFinished, test } from 'vitest';

import { initDb } from '../../../../src/db/open.ts';
import { type Runtime, startup } from '../../../../src/startup.ts';
import { indexContent, type TestRegistry, testRegistry } from '../../../support/registry.ts';
import { writeSkill, writeSkillFile } from '../../../support/skill-files.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';

const SCAN_ONCE = fileURLToPath(new URL('../../../support/scan-once.ts', import.meta.url));

/** Does something right after a directory was listed. */
function afterListing(directory: string, work: () => void): void {
  const { readdirSync } = fs;
  const restore = () => {
    fs.readdirSync = readdirSync;
    syncBuiltinESMExports();
  };
  const replaced = (...args: Parameters<typeof readdirSync>) => {
    const entries = readdirSync(...args);
    if (args[0] === directory) {
      restore();
      work();
    }
    return entries;
  };
  fs.readdirSync = replaced as typeof readdirSync;
  syncBuiltinESMExports();
  onTestFinished(restore);
}

interface Workspace {
  readonly workspace: string;
  readonly root: string;
  readonly lines: string[];
  boot(): Promise<Runtime>;
}

function workspaceOnDisk(): Workspace {
  const workspace = path.join(temporaryDirectory(), 'work');
  mkdirSync(workspace);
  const lines: string[] = [];
  return {
    workspace,
    root: path.join(workspace, '.agents', 'skills'),
    lines,
    async boot() {
      const runtime = await startup({
        workspace,
        home: path.join(workspace, '..', 'home'),
        env: {},
        logger: (...args) => lines.push(args.map(String).join(' ')),
        exit: () => undefined,
      });
      onTestFinished(() => runtime.close());
      return runtime;
    },
  };
}

test('what a failed scan had not written yet is not written by the next one', async () => {
  const { root, boot } = workspaceOnDisk();
  const { db, skills } = await boot();
  writeSkill(root, 'first');
  writeSkillFile(root, 'second', 'no frontmatter');
  db.exec(
    `CREATE TRIGGER full BEFORE INSERT ON skill_rejections BEGIN SELECT RAISE(ABORT, 'disk is full'); END`,
  );
  await expect(skills.reload()).rejects.toThrow('disk is full');
  db.exec('DROP TRIGGER full');
  rmSync(path.join(root, 'first'), { recursive: true });
  writeSkill(root, 'third');
  expect(await skills.reload()).toMatchObject({ added: 1 });
  expect(skills.names()).toEqual(['third']);
});

function warnings({ db }: Runtime): unknown[] {
  return db
    .prepare(`SELECT payload FROM events WHERE type = 'skill.warning'`)
    .pluck()
    .all()
    .map((text) => JSON.parse(String(text)));
}

describe('a root', () => {
  test.each([
    ['vanishes', (root: string) => renameSync(root, `${root}-away`)],
    [
      'is replaced by another',
      (root: string) => {
        renameSync(root, `${root}-away`);
        mkdirSync(root);
      },
    ],
  ])('that %s while it is read leaves the index, and is told in one event', async (_, spoil) => {
    const on = workspaceOnDisk();
    for (const name of ['one', 'two']) writeSkill(on.root, name);
    const runtime = await on.boot();
    const before = indexContent(runtime.db);
    for (let time = 0; time < 2; time++) {
      rmSync(`${on.root}-away`, { recursive: true, force: true });
      writeSkill(on.root, 'three');
      afterListing(on.root, () => spoil(on.root));
      await expect(runtime.skills.reload()).rejects.toMatchObject({ code: 'ROOT_UNREADABLE' });
      expect(indexContent(runtime.db)).toEqual(before);
    }
    expect(warnings(runtime)).toEqual([
      {
        kind: 'scan-aborted',
        detail: {
          root: '.agents/skills',
          reason: 'it disappeared while it was read; the index stays as it was',
        },
      },
    ]);
  });

  test('that is missing at the start of a scan is empty', async () => {
    const on = workspaceOnDisk();
    writeSkill(on.root, 'one');
    const runtime = await on.boot();
    rmSync(on.root, { recursive: true });
    expect(await runtime.skills.reload()).toMatchObject({ removed: 1 });
    expect(runtime.skills.count()).toBe(0);
  });

  test('with a file in its place keeps the last good index at boot, and says so', async () => {
    const on = workspaceOnDisk();
    writeSkill(on.root, 'one');
    await (await on.boot()).close();
    rmSync(on.root, { recursive: true });
    writeFileSync(on.root, 'a file');
    const runtime = await on.boot();
    expect(runtime.skills.names()).toEqual(['one']);
    expect(on.lines.join('\n')).toMatch(/serving the last good index: .*\.agents\/skills cannot be read/);
    expect(warnings(runtime)).toMatchObject([{ kind: 'scan-aborted', detail: { root: '.agents/skills' } }]);
  });

  test('with a file in its place ends the boot when there is no index to fall back on', async () => {
    const on = workspaceOnDisk();
    mkdirSync(path.dirname(on.root), { recursive: true });
    writeFileSync(on.root, 'a file');
    await expect(on.boot()).rejects.toMatchObject({ code: 'ROOT_UNREADABLE' });
  });
});

describe('a directory', () => {
  test('that goes while the root is read is skipped, and the others are indexed', () => {
    const registry = testRegistry();
    const root = registry.roots.workspace.path;
    for (const name of ['one', 'two']) writeSkill(root, name);
    afterListing(root, () => rmSync(path.join(root, 'one'), { recursive: true }));
    expect(registry.scan()).toEqual({ added: 1, changed: 0, removed: 0, shadowed: 0 });
    registry.scan();
    expect(registry.content()).toEqual(registry.fresh());
  });

  test('that nobody may look into is rejected with the reason, until it is opened', () => {
    const registry = testRegistry();
    const root = registry.roots.workspace.path;
    for (const name of ['closed', 'open']) writeSkill(root, name);
    chmodSync(path.join(root, 'closed'), 0);
    asNobody(registry, () => registry.scan());
    expect(registry.content()).toMatchObject({
      skills: [{ name: 'open' }],
      skill_rejections: [
        { directory: '.agents/skills/closed', diagnostics: expect.stringContaining('file-unreadable') },
      ],
    });
    chmodSync(path.join(root, 'closed'), 0o755);
    asNobody(registry, () => registry.scan());
    expect(registry.content()).toEqual(registry.fresh());
  });
});

/** The superuser may look into everything, so that such a test would show nothing. */
function asNobody(registry: TestRegistry, work: () => void): void {
  const root = process.geteuid?.() === 0;
  chmodSync(path.dirname(registry.workspace), 0o755);
  if (root) process.seteuid?.(65534);
  try {
    work();
  } finally {
    if (root) process.seteuid?.(0);
  }
}

test('a database error in the middle takes back all of the scan, its events and its log lines', () => {
  const registry = testRegistry();
  const root = registry.roots.workspace.path;
  writeSkill(root, 'before');
  registry.scan();
  const before = { content: registry.content(), events: registry.events() };
  registry.db.exec(`CREATE TEMP TRIGGER planted BEFORE INSERT ON skills WHEN new.name = 'm'
    BEGIN SELECT RAISE(ABORT, 'planted'); END`);
  for (const name of ['a', 'm', 'z']) writeSkill(root, name);
  writeSkill(registry.roots.global.path, 'a');
  writeSkillFile(root, 'bad', '');
  rmSync(path.join(root, 'before'), { recursive: true });
  expect(() => registry.scan()).toThrow('planted');
  expect({ content: registry.content(), events: registry.events() }).toEqual(before);
  expect(registry.lines).toEqual([]);
  registry.db.exec('DROP TRIGGER planted');
  registry.scan();
  expect(registry.content()).toEqual(registry.fresh());
});

test('two processes that scan into one database at once end with the same as one', {
  timeout: 60_000,
}, async () => {
  const directory = temporaryDirectory();
  const file = path.join(directory, 'colibri.db');
  const registry = testRegistry({ workspace: path.join(directory, 'work') });
  const { workspace, global, mirror } = registry.roots;
  const scanOnce = async (): Promise<string> => {
    const child = spawn(process.execPath, ['--import', 'tsx', SCAN_ONCE, registry.workspace, file]);
    const errors: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
    const [code] = await once(child, 'close');
    return `${code} ${errors.join('')}`;
  };
  for (let round = 0; round < 3; round++) {
    for (let number = 0; number < 200; number++) {
      const root = [workspace, global, mirror][(number + round) % 3];
      writeSkill(root?.path ?? '', `skill-${(number * (round + 1)) % 150}`, {
        description: `Round ${round}.`,
      });
    }
    rmSync(path.join(workspace.path, `skill-${round}`), { recursive: true, force: true });
    expect(await Promise.all([scanOnce(), scanOnce(), scanOnce()])).toEqual(['0 ', '0 ', '0 ']);
    const db = initDb(file);
    expect(indexContent(db)).toEqual(registry.fresh());
    db.close();
  }
});
