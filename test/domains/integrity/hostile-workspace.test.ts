/** A workspace that came from somebody who wants to get out of it: its links, its left-overs, its database. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Proposal } from '../../../src/domains/integrity/propose/proposal.ts';
import { skillText } from '../../support/skill-files.ts';
import { type MirrorWorld, mirrorWorld } from './mirror-world.ts';

interface Hostile extends MirrorWorld {
  /** Outside of the workspace, with one file in it. */
  readonly victim: string;
  /** Puts a link in place of whatever stands there. */
  link(relative: string, target: string): void;
  /** All files of the victim, by name. */
  left(): Readonly<Record<string, string>>;
}

const PRECIOUS = { 'precious.txt': 'precious\n' };

async function hostile(config?: unknown): Promise<Hostile> {
  const world = await mirrorWorld({ config });
  const victim = path.join(world.home, 'victim');
  mkdirSync(victim);
  writeFileSync(path.join(victim, 'precious.txt'), 'precious\n');
  return {
    ...world,
    victim,
    link(relative, target) {
      const place = path.join(world.workspace, relative);
      rmSync(place, { recursive: true, force: true });
      mkdirSync(path.dirname(place), { recursive: true });
      symlinkSync(target, place);
    },
    left: () =>
      Object.fromEntries(
        readdirSync(victim, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => path.join(entry.parentPath, entry.name))
          .map((file) => [path.relative(victim, file), readFileSync(file, 'utf8')]),
      ),
  };
}

describe('sync', () => {
  it('does not put a left-over back to where a link leads', async () => {
    const world = await hostile();
    world.skill('canonical', 'pdf');
    world.link('.claude/skills/way', world.victim);
    world.write('.claude/skills/.colibri-sync/0/place', 'way/planted');
    world.write('.claude/skills/.colibri-sync/0/old', 'evil\n');
    expect((await world.runtime.sync.sync()).changed).toBe(1);
    expect(world.left()).toEqual(PRECIOUS);
    expect(existsSync(path.join(world.mirror, '.colibri-sync'))).toBe(false);
  });

  it('does not take another folder for its own', async () => {
    const world = await hostile();
    world.skill('canonical', 'pdf');
    world.link('.claude/skills/.colibri-sync', world.victim);
    mkdirSync(path.join(world.victim, '0'));
    writeFileSync(path.join(world.victim, '0/place'), 'taken');
    writeFileSync(path.join(world.victim, '0/old'), 'old\n');
    expect((await world.runtime.sync.sync()).changed).toBe(1);
    expect(world.left()).toEqual({ ...PRECIOUS, '0/place': 'taken', '0/old': 'old\n' });
    expect(existsSync(path.join(world.mirror, 'pdf/SKILL.md'))).toBe(true);
  });

  it('does not wait for a pipe, nor stumble over a file, in place of what it left', async () => {
    const world = await hostile();
    world.skill('canonical', 'pdf');
    mkdirSync(path.join(world.mirror, '.colibri-sync/0'), { recursive: true });
    for (const name of ['owner', '0/place'])
      execFileSync('mkfifo', [path.join(world.mirror, '.colibri-sync', name)]);
    expect((await world.runtime.sync.sync()).changed).toBe(1);
    world.skill('canonical', 'notes');
    world.write('.claude/skills/.colibri-sync', 'a file\n');
    expect((await world.runtime.sync.sync()).changed).toBe(1);
  });
});

describe('new skills and proposals', () => {
  const proposal = (id: string, change: Partial<Proposal>): Proposal => ({
    id,
    name: 'pdf',
    change: 'new',
    state: 'waiting',
    reason: 'it helps',
    files: [{ path: 'SKILL.md', text: skillText('pdf') }],
    digest: '',
    base_digest: null,
    verdict: 'clean' as Proposal['verdict'],
    findings: [],
    proposed_by: 'somebody',
    session_id: null,
    proposed_at: '2026-01-01T00:00:00.000Z',
    decided_by: null,
    decided_at: null,
    note: null,
    ...change,
  });
  /** As a database that came with the workspace would have it. */
  const store = ({ runtime }: Hostile, { files, findings, ...rest }: Proposal): void => {
    const row = { ...rest, files: JSON.stringify(files), findings: JSON.stringify(findings) };
    const columns = Object.keys(row);
    const sql = `INSERT INTO proposals (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
    runtime.db.prepare(sql).run(Object.values(row));
  };
  const ID = '01HZZZZZZZZZZZZZZZZZZZZZZZ';

  it.each(['.agents', '.agents/skills'])('are not written through %s when it is a link', async (name) => {
    const world = await hostile();
    world.link(name, world.victim);
    mkdirSync(path.join(world.victim, 'skills'));
    await expect(world.runtime.proposals.create({ name: 'pdf' }, 'ada')).rejects.toMatchObject({
      code: 'LINK_OUTSIDE',
      message: expect.stringContaining('.agents/skills is a link that leads out of the workspace'),
    });
    store(world, proposal(ID, {}));
    await expect(world.runtime.proposals.accept(ID, { actor: 'ada' })).rejects.toMatchObject({
      code: 'LINK_OUTSIDE',
    });
    expect(world.left()).toEqual(PRECIOUS);
  });

  it.each(['../../../../home/victim/planted', '/planted', 'a/../../../../../home/victim/planted', 'a\0b'])(
    'are refused when a stored one has the file %j',
    async (file) => {
      const world = await hostile();
      const files = [
        { path: 'SKILL.md', text: skillText('pdf') },
        { path: file, text: 'evil\n' },
      ];
      store(world, proposal(ID, { files }));
      await expect(world.runtime.proposals.accept(ID, { actor: 'ada' })).rejects.toMatchObject({
        code: 'PROPOSAL_INVALID',
      });
      expect(world.left()).toEqual(PRECIOUS);
      expect(existsSync(path.join(world.canonical, 'pdf'))).toBe(false);
    },
  );

  it('are not written to where the id of a stored one leads', async () => {
    const world = await hostile();
    const way = '/../../../../home/victim/planted';
    store(world, proposal(way, {}));
    await world.runtime.proposals.accept(way, { actor: 'ada' });
    expect(world.left()).toEqual(PRECIOUS);
    store(world, proposal(ID, { name: 'notes', files: [{ path: 'SKILL.md', text: skillText('notes') }] }));
    world.link(`.agents/skills/.colibri-new-${ID}`, world.victim);
    await world.runtime.proposals.accept(ID, { actor: 'ada' });
    expect(world.left()).toEqual(PRECIOUS);
    expect(existsSync(path.join(world.canonical, 'notes/SKILL.md'))).toBe(true);
  });

  it('show nothing of a folder that the name of a stored one, or a link of that name, leads to', async () => {
    const world = await hostile();
    const change = { change: 'changed', files: [{ path: 'precious.txt', text: 'evil\n' }] } as const;
    store(world, proposal(ID, { ...change, name: '../../../home/victim' }));
    await expect(world.runtime.proposals.show(ID)).rejects.toMatchObject({ code: 'PROPOSAL_INVALID' });
    world.link('.agents/skills/pdf', world.victim);
    store(world, proposal(`${ID}2`, change));
    await expect(world.runtime.proposals.show(`${ID}2`)).rejects.toMatchObject({ code: 'LINK_OUTSIDE' });
  });
});

describe('publish', () => {
  it.each(['site', 'site/.well-known', 'site/.well-known/agent-skills'])(
    'does not replace what stands behind %s when it is a link',
    async (name) => {
      const world = await hostile();
      world.skill('canonical', 'pdf');
      await world.runtime.skills.reload();
      const folder = path.join(
        world.victim,
        '.well-known/agent-skills'.slice(name.length - 4).replace(/^\//, ''),
      );
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, 'index.json'), '{}');
      const before = world.left();
      world.link(name, world.victim);
      await expect(
        world.runtime.publish.write({ out: path.join(world.workspace, 'site') }),
      ).rejects.toMatchObject({ code: 'LINK_OUTSIDE' });
      expect(world.left()).toEqual(before);
    },
  );

  it('replaces a link that lies where it writes first', async () => {
    const world = await hostile();
    world.skill('canonical', 'pdf');
    await world.runtime.skills.reload();
    world.link('site/.well-known/agent-skills.next', world.victim);
    const report = await world.runtime.publish.write({ out: path.join(world.workspace, 'site') });
    expect(report.skills).toEqual(['pdf']);
    expect(world.left()).toEqual(PRECIOUS);
  });
});

describe('doctor --fix', () => {
  const mendable = `\ufeff${skillText('pdf')}`;

  it('mends nothing behind a root that is a link out of the workspace, and says so', async () => {
    const world = await hostile();
    mkdirSync(path.join(world.victim, 'pdf'));
    writeFileSync(path.join(world.victim, 'pdf/SKILL.md'), mendable);
    const before = world.left();
    world.link('.agents/skills', world.victim);
    world.write('.claude/skills/notes/SKILL.md', mendable.replaceAll('pdf', 'notes'));
    await world.runtime.skills.reload();
    const mended = await world.runtime.doctor.fix();
    expect(mended.map(({ directory }) => directory)).toEqual(['.claude/skills/notes']);
    expect(world.left()).toEqual(before);
    const { findings } = await world.runtime.doctor.examine({ scan: false });
    expect(findings.filter(({ code }) => code === 'root-outside')).toMatchObject([
      { group: 'links', severity: 'warning', file: '.agents/skills' },
    ]);
  });

  it('replaces a link that lies where it writes first', async () => {
    const world = await hostile();
    world.write('.agents/skills/pdf/SKILL.md', mendable);
    world.link('.agents/skills/pdf/.SKILL.md.colibri-fix', path.join(world.victim, 'precious.txt'));
    await world.runtime.skills.reload();
    expect(await world.runtime.doctor.fix()).toHaveLength(1);
    expect(world.left()).toEqual(PRECIOUS);
    expect(readFileSync(path.join(world.canonical, 'pdf/SKILL.md'), 'utf8')).toBe(skillText('pdf'));
  });
});

describe('a configuration file that came with the workspace', () => {
  const MIRROR = { roots: { mirror: { path: '../home/victim' } } };

  it('has nothing copied to a mirror elsewhere before somebody has vouched for it', async () => {
    const world = await hostile(MIRROR);
    world.skill('canonical', 'pdf');
    const { mirrors, changed } = await world.runtime.sync.sync();
    expect({ mirrors, changed }).toMatchObject({
      mirrors: [{ refused: expect.stringContaining('run `colibri trust colibri.config.json`') }],
      changed: 0,
    });
    expect(world.left()).toEqual(PRECIOUS);
    await world.runtime.policy.trust(['colibri.config.json'], { actor: 'ada' });
    expect((await world.runtime.sync.sync()).changed).toBe(1);
    expect(Object.keys(world.left()).sort()).toEqual(['pdf/SKILL.md', 'precious.txt']);
  });

  it('has nothing collected, made or mended in a root elsewhere', async () => {
    const world = await hostile({ roots: { workspace: { path: '../home/victim' } } });
    mkdirSync(path.join(world.victim, 'pdf'));
    writeFileSync(path.join(world.victim, 'pdf/SKILL.md'), `\ufeff${skillText('pdf')}`);
    const before = world.left();
    world.skill('mirror', 'notes');
    await world.runtime.skills.reload();
    const { mirrors } = await world.runtime.sync.sync({ collect: true, skills: ['notes'] });
    expect(mirrors[0]?.skills).toMatchObject([{ done: false, error: expect.stringContaining('vouched') }]);
    await expect(world.runtime.proposals.create({ name: 'new-one' }, 'ada')).rejects.toMatchObject({
      code: 'ROOT_UNTRUSTED',
    });
    expect(await world.runtime.doctor.fix()).toEqual([]);
    const source = path.join(world.home, 'source');
    mkdirSync(source);
    writeFileSync(path.join(source, 'SKILL.md'), skillText('more'));
    await expect(world.runtime.install.add({ source, yes: true })).rejects.toMatchObject({
      code: 'ROOT_UNTRUSTED',
    });
    expect(world.left()).toEqual(before);
    expect(readdirSync(world.home).sort()).toEqual(['source', 'victim']);
  });

  it('may name roots in the workspace as it likes', async () => {
    const world = await hostile({ roots: { extra: [{ path: '.other/skills', source: 'mirror' }] } });
    world.skill('canonical', 'pdf');
    expect((await world.runtime.sync.sync()).changed).toBe(2);
  });
});
