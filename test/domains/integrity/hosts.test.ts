import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { HOSTS, type HostId } from '../../../src/domains/integrity/host-rules.ts';
import type { HostReport } from '../../../src/domains/integrity/host-service.ts';
import { hostWorld, sights } from './host-world.ts';

/** What each host sees of the world, as its documentation says; `<top>` is the root of the repository. */
const SEEN: Readonly<Record<HostId, readonly string[]>> = {
  'claude-code': [
    'above <top>/.claude/skills/above',
    'bare .claude/skills/bare',
    'linked .claude/skills/linked',
    'packages/web:below packages/web/.claude/skills/below',
    'shared ~/.claude/skills/shared',
  ],
  codex: [
    'above <top>/.agents/skills/above',
    'colon .agents/skills/colon',
    'deep .agents/skills/group/deep',
    'for-people .agents/skills/for-people',
    'no-name .agents/skills/no-name',
    'other-name .agents/skills/folder-name',
    'shared .codex/skills/shared',
    'shared .agents/skills/shared',
    'shared ~/.codex/skills/shared',
    'shared ~/.agents/skills/shared',
  ],
  opencode: [
    'above <top>/.agents/skills/above',
    'deep .agents/skills/group/deep',
    'for-people .agents/skills/for-people',
    'linked .agents/skills/linked',
    'no-description .agents/skills/no-description',
    'of-config-opencode-skills ~/.config/opencode/skills/of-config-opencode-skills',
    'of-opencode-skill .opencode/skill/of-opencode-skill',
    'of-opencode-skills .opencode/skills/of-opencode-skills',
    'other-name .agents/skills/folder-name',
    'shared .agents/skills/shared',
    'skills .agents/skills',
  ],
  'gemini-cli': [
    'colon .agents/skills/colon',
    'for-people .agents/skills/for-people',
    'linked .agents/skills/linked',
    'other-name .agents/skills/folder-name',
    'shared .agents/skills/shared',
    'skills .agents/skills',
  ],
  cursor: [
    'below packages/web/.agents/skills/below',
    'for-people .agents/skills/for-people',
    'linked .agents/skills/linked',
    'linked .claude/skills/linked',
    'of-cursor-skills .cursor/skills/of-cursor-skills',
    'other-name .agents/skills/folder-name',
    'shared .agents/skills/shared',
    'shared ~/.agents/skills/shared',
    'shared .claude/skills/shared',
    'shared .codex/skills/shared',
    'shared ~/.claude/skills/shared',
    'shared ~/.codex/skills/shared',
  ],
  copilot: [
    'for-people .agents/skills/for-people',
    'linked .claude/skills/linked',
    'linked .agents/skills/linked',
    'of-copilot-skills ~/.copilot/skills/of-copilot-skills',
    'of-github-skills .github/skills/of-github-skills',
    'shared .claude/skills/shared',
    'shared .agents/skills/shared',
    'shared ~/.claude/skills/shared',
    'shared ~/.agents/skills/shared',
  ],
  goose: [
    'for-people .agents/skills/for-people',
    'linked .agents/skills/linked',
    'of-config-goose-skills ~/.config/goose/skills/of-config-goose-skills',
    'of-goose-skills .goose/skills/of-goose-skills',
    'other-name .agents/skills/folder-name',
    'shared .agents/skills/shared',
  ],
  amp: [
    'for-people .agents/skills/for-people',
    'linked .agents/skills/linked',
    'of-config-amp-skills ~/.config/amp/skills/of-config-amp-skills',
    'other-name .agents/skills/folder-name',
    'shared ~/.config/agents/skills/shared',
  ],
  pi: [
    'above <top>/.agents/skills/above',
    'deep .agents/skills/group/deep',
    'for-people .agents/skills/for-people',
    'linked .agents/skills/linked',
    'no-name .agents/skills/no-name',
    'note .pi/skills/note.md',
    'of-pi-agent ~/.pi/agent/skills/of-pi-agent',
    'of-pi-skills .pi/skills/of-pi-skills',
    'other-name .agents/skills/folder-name',
    'shared ~/.agents/skills/shared',
  ],
};

async function reportOf(id: HostId): Promise<{ readonly host: HostReport; readonly top: string }> {
  const { service, top } = hostWorld();
  const [host] = (await service.view(id)).hosts;
  if (host === undefined) throw new Error(`no report of ${id}`);
  return { host, top };
}

test.each(HOSTS.map(({ id }) => id))('%s sees what its documentation says', async (id) => {
  const { host, top } = await reportOf(id);
  expect(sights(host, 'seen').map((line) => line.replace(top, '<top>'))).toEqual(SEEN[id]);
  const all = host.skills.map(({ path: place }) => place);
  expect(new Set(all).size).toBe(all.length);
});

/** Where it stands, and how its reason begins. */
test.each<[HostId, string, string]>([
  ['claude-code', '.agents/skills/shared', 'Claude Code does not read this folder'],
  ['codex', '.agents/skills/linked', 'linked skill folders are not seen'],
  ['codex', '.agents/skills/no-description', 'it has no description'],
  ['codex', '.agents/skills', 'a SKILL.md right in the folder is none'],
  ['opencode', '.agents/skills/colon', 'its frontmatter is no YAML'],
  ['opencode', '.agents/skills/no-name', 'it has no name'],
  ['gemini-cli', '.agents/skills/no-name', 'it has no name: loaded by its name alone'],
  ['gemini-cli', '.agents/skills/group/deep', 'it lies too deep'],
  ['gemini-cli', '.claude/skills/shared', 'Gemini CLI does not read this folder'],
  ['cursor', '.claude/skills/bare', 'it has no name'],
  ['copilot', '.agents/skills/folder-name', 'a name that is not that of its folder'],
  ['goose', '.agents/skills/unclosed', 'its frontmatter cannot be read'],
  ['amp', '.goose/skills/of-goose-skills', 'Amp does not read this folder'],
  ['pi', '.claude/skills/shared', 'pi does not read this folder'],
])('%s says why it ignores %s', async (id, place, reason) => {
  const { host } = await reportOf(id);
  const [found] = host.skills.filter((skill) => skill.path === place);
  expect(found).toMatchObject({ state: 'ignored', reason: expect.stringContaining(reason) });
});

test.each<[HostId, string, readonly string[]]>([
  ['claude-code', '~/.claude/skills/shared', ['.claude/skills/shared']],
  ['codex', '.codex/skills/shared', []],
  [
    'opencode',
    '.agents/skills/shared',
    ['~/.claude/skills/shared', '~/.agents/skills/shared', '.claude/skills/shared'],
  ],
  [
    'gemini-cli',
    '.agents/skills/shared',
    ['~/.gemini/skills/shared', '~/.agents/skills/shared', '.gemini/skills/shared'],
  ],
  [
    'goose',
    '.agents/skills/shared',
    [
      '.claude/skills/shared',
      '~/.agents/skills/shared',
      '~/.claude/skills/shared',
      '~/.config/agents/skills/shared',
    ],
  ],
  [
    'amp',
    '~/.config/agents/skills/shared',
    ['~/.agents/skills/shared', '.agents/skills/shared', '.claude/skills/shared', '~/.claude/skills/shared'],
  ],
  ['pi', '~/.agents/skills/shared', ['.agents/skills/shared']],
])('of several skills named shared, %s takes %s', async (id, winner, losers) => {
  const { host } = await reportOf(id);
  const shared = host.skills.filter(({ name, state }) => name === 'shared' && state !== 'ignored');
  expect(shared.find(({ state }) => state === 'seen')?.path).toBe(winner);
  const shadowed = shared.filter(({ state }) => state === 'shadowed');
  expect(shadowed.map(({ path: place }) => place)).toEqual(losers);
  for (const { reason } of shadowed) expect(reason).toContain(`${winner} wins: `);
});

test.each<[HostId, string, string]>([
  ['claude-code', 'packages/web:below', 'only for packages/web'],
  ['codex', 'shared', 'offered beside the others of its name'],
  ['codex', 'for-people', 'shown to the model although it says for people alone'],
  ['opencode', 'shared', 'may lose to the other of its scope: folders are read at the same time'],
  ['opencode', 'for-people', '$1 is the first argument'],
  ['gemini-cli', 'shared', 'only once the folder is trusted'],
  ['cursor', 'below', 'only for packages/web'],
  ['copilot', 'shared', 'which copy wins is not documented'],
  ['copilot', 'for-people', 'for people alone'],
  ['goose', 'for-people', '$1 is the first argument'],
  ['pi', 'above', 'only once the folder is trusted'],
])('%s has a remark about %s', async (id, name, note) => {
  const { host } = await reportOf(id);
  expect(host.skills.find((skill) => skill.name === name && skill.state === 'seen')?.notes).toContain(note);
});

test('hosts that see different texts, or nothing, are told by skill', async () => {
  const { service } = hostWorld();
  const { differences } = await service.view();
  const shared = differences.find(({ skill }) => skill === 'shared');
  expect(shared?.kinds).toEqual(['content']);
  expect(shared?.seen).toContainEqual({ paths: ['~/.config/agents/skills/shared'], hosts: ['amp'] });
  expect(differences.find(({ skill }) => skill === 'deep')).toMatchObject({
    kinds: ['sight'],
    seen: [{ paths: ['.agents/skills/group/deep'], hosts: ['codex', 'opencode', 'pi'] }],
  });
});

test('an unknown host is an error that names the nearest', async () => {
  await expect(hostWorld().service.view('claude')).rejects.toMatchObject({ code: 'USAGE' });
  await expect(hostWorld().service.view('codx')).rejects.toThrow(/did you mean codex/);
});

test('docs/hosts.md tells every folder, rule and source of every host, and no other host', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/hosts.md'), 'utf8');
  const sections = page.split(/^## /m).slice(1);
  const told = sections.flatMap((section) => /^.+ \(`([a-z-]+)`\)\n/.exec(section)?.[1] ?? []);
  expect(told).toEqual(HOSTS.map(({ id }) => id));
  for (const rule of HOSTS) {
    const section = sections.find((each) => each.startsWith(`${rule.name} (\`${rule.id}\`)\n`)) ?? '';
    for (const place of rule.places) {
      const shown = { system: '', user: '~/', project: '' }[place.scope] + place.path;
      expect(section, `${rule.id} ${shown}`).toContain(`| \`${shown}\` |`);
      expect(section).toContain(place.fact);
    }
    const facts = [rule.levels, rule.collisions, rule.naming, rule.description, rule.links].map(
      ({ fact }) => fact,
    );
    for (const fact of [...facts, rule.source]) expect(section, rule.id).toContain(fact);
  }
});
