import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { createTrustKey } from '../../../src/domains/policy/trust-key.ts';
import { FIXED_ISO } from '../../support/fixed-clock.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { policyWorld, SKILL } from './policy-world.ts';

const PDF = '.agents/skills/pdf';
const FILES = {
  [`${PDF}/SKILL.md`]: SKILL('pdf'),
  [`${PDF}/scripts/run.sh`]: 'echo one\n',
  '.agents/skills/notes/SKILL.md': SKILL('notes'),
  '~/.agents/skills/mine/SKILL.md': SKILL('mine'),
};
const ACTOR = { actor: 'tester' };

const statesOf = (states: readonly { name: string; trusted: boolean; why: string }[]) =>
  states.map(({ name, trusted, why }) => [name, trusted, why]);

describe('trust', () => {
  test("at first only the user's own root is trusted", async () => {
    const { policy } = await policyWorld(FILES);
    expect(statesOf(await policy.list())).toEqual([
      ['mine', true, 'global'],
      ['notes', false, 'never'],
      ['pdf', false, 'never'],
    ]);
  });

  test('is given by name, recorded and an event', async () => {
    const { policy, db, events, workspace } = await policyWorld(FILES);
    const report = await policy.trust(['pdf'], ACTOR);
    expect(report).toMatchObject({
      done: [
        {
          subject: { kind: 'skill', name: 'pdf', path: path.join(workspace, PDF) },
          changes: [
            { path: 'SKILL.md', change: 'added' },
            { path: 'scripts/run.sh', change: 'added' },
          ],
        },
      ],
      refused: [],
    });
    const rows = db.handle.prepare('SELECT path, kind, name, trusted_at, trusted_by FROM trust').all();
    expect(rows).toEqual([
      {
        path: path.join(workspace, PDF),
        kind: 'skill',
        name: 'pdf',
        trusted_at: FIXED_ISO,
        trusted_by: 'tester',
      },
    ]);
    expect(events).toMatchObject([
      {
        stream: 'policy',
        actor: 'tester',
        payload: { kind: 'trust', subject: 'skill', name: 'pdf', changed: ['SKILL.md', 'scripts/run.sh'] },
      },
    ]);
    expect(statesOf(await policy.list())).toContainEqual(['pdf', true, 'recorded']);
    expect(statesOf(await policy.list())).toContainEqual(['notes', false, 'never']);
  });

  const EDITS: readonly (readonly [string, (folder: string) => void, object])[] = [
    [
      'an edit',
      (at) => writeFileSync(`${at}/scripts/run.sh`, 'evil\n'),
      { path: 'scripts/run.sh', change: 'changed' },
    ],
    ['a new file', (at) => writeFileSync(`${at}/x.md`, ''), { path: 'x.md', change: 'added' }],
    ['a new hidden file', (at) => writeFileSync(`${at}/.env`, ''), { path: '.env', change: 'added' }],
    ['a removed file', (at) => rmSync(`${at}/scripts/run.sh`), { path: 'scripts/run.sh', change: 'removed' }],
    [
      'a new mode',
      (at) => chmodSync(`${at}/scripts/run.sh`, 0o755),
      { path: 'scripts/run.sh', change: 'mode' },
    ],
  ];

  test.each(EDITS)(
    '%s takes it away from that skill alone, and says what changed',
    async (_, edit, change) => {
      const { policy, workspace } = await policyWorld(FILES);
      await policy.trust('all', ACTOR);
      edit(path.join(workspace, PDF));
      const states = await policy.list();
      expect(statesOf(states)).toEqual([
        ['mine', true, 'global'],
        ['notes', true, 'recorded'],
        ['pdf', false, 'changed'],
      ]);
      expect(states.at(-1)?.changes).toEqual([change]);
      const again = await policy.trust(['pdf'], { ...ACTOR, dryRun: true });
      expect(again.done[0]?.changes).toEqual([change]);
      expect(statesOf(await policy.list())).toContainEqual(['pdf', false, 'changed']);
      await policy.trust(['pdf'], ACTOR);
      expect(statesOf(await policy.list())).toContainEqual(['pdf', true, 'recorded']);
    },
  );

  test('comes back when an edit is undone, as the bytes are the same', async () => {
    const { policy, write } = await policyWorld(FILES);
    await policy.trust(['pdf'], ACTOR);
    write(`${PDF}/scripts/run.sh`, 'evil\n');
    write(`${PDF}/scripts/run.sh`, 'echo one\n');
    expect(statesOf(await policy.list())).toContainEqual(['pdf', true, 'recorded']);
  });

  test('does not move along with the files', async () => {
    const { policy, skills, workspace } = await policyWorld(FILES);
    await policy.trust(['pdf'], ACTOR);
    mkdirSync(path.join(workspace, '.claude/skills'), { recursive: true });
    renameSync(path.join(workspace, PDF), path.join(workspace, '.claude/skills/pdf'));
    await skills.reload();
    expect(statesOf(await policy.list())).toContainEqual(['pdf', false, 'never']);
  });

  test('is refused for what cannot be read as a whole', async () => {
    const { policy, workspace } = await policyWorld(FILES);
    symlinkSync('/etc/passwd', path.join(workspace, PDF, 'data'));
    expect(await policy.trust('all', ACTOR)).toMatchObject({
      done: [{ subject: { name: 'notes' } }],
      refused: [{ name: 'pdf', reason: 'data is a link or a special file; replace it by a file' }],
    });
  });

  test('of an unknown name is an error that names the nearest', async () => {
    const { policy } = await policyWorld(FILES);
    await expect(policy.trust(['pfd'], ACTOR)).rejects.toMatchObject({
      code: 'SKILL_NOT_FOUND',
      message: expect.stringContaining('pdf'),
    });
  });

  test('is taken back by name or altogether', async () => {
    const { policy, events } = await policyWorld(FILES);
    await policy.trust('all', ACTOR);
    expect((await policy.untrust(['pdf', 'mine'], ACTOR)).done).toMatchObject([{ subject: { name: 'pdf' } }]);
    expect(statesOf(await policy.list())).toEqual([
      ['mine', true, 'global'],
      ['notes', true, 'recorded'],
      ['pdf', false, 'never'],
    ]);
    await policy.untrust('all', ACTOR);
    expect(statesOf(await policy.list())).toContainEqual(['notes', false, 'never']);
    expect(events.map(({ payload }) => payload.kind)).toEqual(['trust', 'trust', 'untrust', 'untrust']);
  });

  test('is taken back also from what is gone from the disk', async () => {
    const { policy, skills, db, workspace } = await policyWorld(FILES);
    await policy.trust('all', ACTOR);
    rmSync(path.join(workspace, PDF), { recursive: true });
    await skills.reload();
    await policy.untrust(['pdf'], ACTOR);
    expect(db.handle.prepare('SELECT name FROM trust').pluck().all()).toEqual(['notes']);
    await expect(policy.untrust(['pdf'], ACTOR)).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' });
  });

  test('seen for many skills at once is the same as for each', async () => {
    const { policy, skills } = await policyWorld(FILES);
    await policy.trust(['pdf'], ACTOR);
    const view = await policy.view();
    for (const { name, source, source_dir: directory } of skills.list()) {
      const place = { name, source, directory };
      expect(view.skill(place).trusted).toBe(name !== 'notes');
      expect(await policy.isTrusted(place)).toBe(name !== 'notes');
    }
  });

  test('and its event are one: without the event nothing is trusted', async () => {
    const { policy, service } = await policyWorld(FILES);
    const broken = service({
      events: { append: () => Promise.reject(new Error('disk full')), wake: () => undefined },
    });
    await expect(broken.trust(['pdf'], ACTOR)).rejects.toThrow('disk full');
    expect(statesOf(await policy.list())).toContainEqual(['pdf', false, 'never']);
  });

  test('of everything comes with COLIBRI_TRUST_WORKSPACE', async () => {
    const { service } = await policyWorld(FILES);
    const states = await service({ trustWorkspace: true }).list();
    expect(states.every(({ trusted, why }) => trusted && why === 'environment')).toBe(true);
  });

  test('of a root with `trust: path` outlives edits', async () => {
    const { service, workspace, write } = await policyWorld(FILES);
    const policy = service({ pathRoots: [path.join(workspace, '.agents/skills')] });
    write(`${PDF}/scripts/run.sh`, 'new\n');
    expect(statesOf(await policy.list())).toContainEqual(['pdf', true, 'config']);
  });
});

describe('a workspace cannot vouch for itself', () => {
  test('by a `trust: path` in the configuration that it brings along', async () => {
    const { service, workspace } = await policyWorld({ ...FILES, 'colibri.config.yaml': 'watch: poll\n' });
    const policy = service({
      pathRoots: [path.join(workspace, '.agents/skills')],
      configFile: path.join(workspace, 'colibri.config.yaml'),
    });
    expect(statesOf(await policy.list())).toContainEqual(['pdf', false, 'never']);
    await policy.trust(['colibri.config.yaml'], ACTOR);
    expect(statesOf(await policy.list())).toContainEqual(['pdf', true, 'config']);
  });

  test('by a global root that lies inside of it', async () => {
    const { policy, workspace } = await policyWorld(FILES);
    const place = { name: 'pdf', source: 'global', directory: PDF };
    expect(await policy.isTrusted(place)).toBe(false);
    expect(await policy.isTrusted({ ...place, directory: '~/.agents/skills/mine' })).toBe(true);
    symlinkSync(path.join(workspace, PDF), path.join(workspace, '../home/.agents/skills/pdf'));
    expect(await policy.isTrusted({ ...place, directory: '~/.agents/skills/pdf' })).toBe(false);
  });

  test('by a database that it brings along', async () => {
    const { policy, service, db, home } = await policyWorld(FILES);
    await policy.trust(['pdf'], ACTOR);
    // Another user has another key, or none.
    const elsewhere = temporaryDirectory();
    const other = createTrustKey(elsewhere, () => 'f'.repeat(64));
    expect(statesOf(await service({ key: other }).list())).toContainEqual(['pdf', false, 'forged']);
    other.require();
    expect(statesOf(await service({ key: other }).list())).toContainEqual(['pdf', false, 'forged']);
    const { mode } = statSync(path.join(home, '.colibri/trust.key'));
    expect(mode & 0o777).toBe(0o600);
    db.handle.exec(`UPDATE trust SET digest = '${'0'.repeat(64)}'`);
    expect(statesOf(await policy.list())).toContainEqual(['pdf', false, 'forged']);
  });

  test('by a list of files that hides what has changed', async () => {
    const { policy, db } = await policyWorld(FILES);
    await policy.trust(['pdf'], ACTOR);
    for (const files of ['[]', '{}', '"x"']) {
      db.handle.prepare('UPDATE trust SET files = ?').run(files);
      expect(statesOf(await policy.list())).toContainEqual(['pdf', false, 'forged']);
    }
  });

  test('and a key that is none is not replaced behind the back of its owner', () => {
    const home = temporaryDirectory();
    mkdirSync(path.join(home, '.colibri'));
    writeFileSync(path.join(home, '.colibri/trust.key'), 'not a key');
    const key = createTrustKey(home, () => 'a'.repeat(64));
    expect(() => key.require()).toThrow('it holds no key; remove it to get a new one');
    expect(readFileSync(path.join(home, '.colibri/trust.key'), 'utf8')).toBe('not a key');
  });
});
