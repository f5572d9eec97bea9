/** What the API answers, asked without a socket. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { writeSkill, writeSkillFile } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { openApi, skillsRoot } from './harness.ts';

function workspaceWith(...names: string[]): string {
  const workspace = temporaryDirectory();
  for (const name of names) writeSkill(skillsRoot(workspace), name);
  return workspace;
}

describe('skills', () => {
  test('come in pages that together are the whole list', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `skill-${index}`);
    const { get } = await openApi(workspaceWith(...names));
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await get(`/v1/skills?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(body.total).toBe(7);
      seen.push(...body.items.map(({ name }: { name: string }) => name));
      cursor = body.next;
    }
    expect(seen).toEqual(names);
  });

  test('are filtered by text and capability', async () => {
    const workspace = workspaceWith('one', 'two');
    writeSkill(skillsRoot(workspace), 'three', { lines: ['capabilities: [pdf]'] });
    const { get } = await openApi(workspace);
    const names = async (query: string) =>
      (await get(`/v1/skills?${query}`)).body.items.map(({ name }: { name: string }) => name);
    expect(await names('search=TWO')).toEqual(['two']);
    expect(await names('capability=pdf')).toEqual(['three']);
    expect(await names('search=%25')).toEqual([]);
  });

  test('tell their cost, their warnings and how many copies they shadow', async () => {
    const workspace = workspaceWith('one');
    writeSkill(path.join(workspace, '.claude/skills'), 'one', { body: 'another text' });
    const { get } = await openApi(workspace);
    expect((await get('/v1/skills')).body.items).toEqual([
      expect.objectContaining({ name: 'one', copies: 1, warnings: 0, body_tokens: 1, catalog_tokens: 5 }),
    ]);
    const { body } = await get('/v1/skills/one/copies');
    expect(body.items).toEqual([
      expect.objectContaining({
        path: '.claude/skills/one/SKILL.md',
        rule: 'canonical overrides mirror',
        same_content: false,
        text: expect.stringContaining('another text'),
      }),
    ]);
  });

  test('are shown with text, frontmatter, trust and what they may use', async () => {
    const workspace = temporaryDirectory();
    writeSkill(skillsRoot(workspace), 'one', {
      lines: ['allowed-tools: Read', 'x-own: kept'],
      body: '# Hello',
    });
    const { get } = await openApi(workspace);
    const { status, body } = await get('/v1/skills/one');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'one',
      body: '# Hello',
      frontmatter: { 'x-own': 'kept' },
      trusted: false,
      trust_reason: 'nobody has trusted it yet',
      effective_tools: [{ pattern: 'Read', effect: 'ask' }],
    });
  });

  test('are listed with their files, and the files are handed out as text or base64', async () => {
    const workspace = workspaceWith('one');
    const folder = path.join(skillsRoot(workspace), 'one');
    mkdirSync(path.join(folder, 'assets'));
    writeFileSync(path.join(folder, 'assets/notes.txt'), 'Grüße');
    writeFileSync(path.join(folder, 'assets/pixel.png'), Buffer.from([0x89, 0x50, 0, 1]));
    const { get } = await openApi(workspace);
    const listed = (await get('/v1/skills/one/files')).body.items;
    expect(listed.map(({ path: file }: { path: string }) => file)).toEqual([
      'SKILL.md',
      'assets/notes.txt',
      'assets/pixel.png',
    ]);
    expect((await get('/v1/skills/one/file?path=assets/notes.txt')).body).toEqual({
      path: 'assets/notes.txt',
      encoding: 'utf8',
      content: 'Grüße',
    });
    expect((await get('/v1/skills/one/file?path=assets/pixel.png')).body).toMatchObject({
      encoding: 'base64',
      content: 'iVAAAQ==',
    });
  });

  test.each(['../../../secret', '/etc/passwd', 'link', '.hidden', 'assets/../../one/SKILL.md', 'assets'])(
    'hand out nothing for %s',
    async (asked) => {
      const workspace = workspaceWith('one');
      const folder = path.join(skillsRoot(workspace), 'one');
      writeFileSync(path.join(workspace, 'secret'), 'hush');
      writeFileSync(path.join(folder, '.hidden'), 'hush');
      mkdirSync(path.join(folder, 'assets'));
      symlinkSync('/etc/passwd', path.join(folder, 'link'));
      const { get } = await openApi(workspace);
      const { status, body } = await get(`/v1/skills/one/file?path=${encodeURIComponent(asked)}`);
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'FILE_NOT_FOUND' });
    },
  );

  test('that do not exist are a problem that names the nearest', async () => {
    const { get } = await openApi(workspaceWith('pdf-tools'));
    expect(await get('/v1/skills/pdf-tool')).toEqual({
      status: 404,
      body: {
        type: 'urn:colibri:SKILL_NOT_FOUND',
        title: 'no skill of this name is indexed',
        status: 404,
        detail: 'no skill named "pdf-tool"; did you mean pdf-tools?',
        code: 'SKILL_NOT_FOUND',
      },
    });
  });
});

describe('the registry', () => {
  test('tells what is served, with paths as people know them', async () => {
    const workspace = workspaceWith('one');
    writeSkillFile(skillsRoot(workspace), 'broken', 'no frontmatter');
    const { get } = await openApi(workspace);
    const { body } = await get('/v1/status');
    expect(body).toMatchObject({ version: '1.2.3', skills: 1, rejected: 1, stale: null, workspace: '~' });
    expect(JSON.stringify(body)).not.toContain(workspace);
    const settings = JSON.stringify((await get('/v1/config')).body);
    expect(settings).not.toContain(workspace);
  });

  test('finds skills as an agent would', async () => {
    const workspace = temporaryDirectory();
    writeSkill(skillsRoot(workspace), 'fill-forms', { description: 'Fills PDF forms.' });
    writeSkill(skillsRoot(workspace), 'other');
    const { get } = await openApi(workspace);
    const { body } = await get('/v1/search?q=pdf+forms');
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['fill-forms']);
  });

  test('tells which skills a catalog of that size leaves out', async () => {
    const { get } = await openApi(workspaceWith('one', 'two', 'three'));
    const whole = (await get('/v1/catalog')).body;
    expect(whole).toMatchObject({ shown: 3, dropped: 0, left_out: [], descriptions_cut_to: null });
    const small = (await get(`/v1/catalog?tokens=${whole.tokens - 1}`)).body;
    expect(small.shown + small.left_out.length).toBe(3);
    expect(small.left_out.length).toBeGreaterThan(0);
    for (const name of small.left_out) expect(small.text).not.toContain(`- ${name}:`);
  });

  test('is compared with the disk on demand', async () => {
    const workspace = workspaceWith('one');
    const { post } = await openApi(workspace);
    expect((await post('/v1/reload', {})).body).toEqual({ changed: false, skills: 1 });
    writeSkill(skillsRoot(workspace), 'two');
    expect((await post('/v1/reload', {})).body).toEqual({ changed: true, skills: 2 });
  });

  test('is told healthy or not, worst first', async () => {
    const workspace = workspaceWith('one');
    writeSkillFile(skillsRoot(workspace), 'broken', 'no frontmatter');
    const { get } = await openApi(workspace);
    const { body } = await get('/v1/doctor');
    expect(body.totals).toMatchObject({ found: 2, indexed: 1, rejected: 1 });
    expect(body.items[0]).toMatchObject({ group: 'rejected', severity: 'error' });
  });
});

describe('integrity', () => {
  test('tells where a mirror differs, and what a sync would do, without doing it', async () => {
    const workspace = workspaceWith('one', 'two');
    writeSkill(path.join(workspace, '.claude/skills'), 'one', { body: 'another text' });
    const { get } = await openApi(workspace);
    const { body } = await get('/v1/drift?diff=true');
    expect(body.drift).toBe(2);
    expect(body.mirrors[0].findings).toEqual([
      expect.objectContaining({ skill: 'one', kind: 'changed' }),
      expect.objectContaining({ skill: 'two', kind: 'canonical-only' }),
    ]);
    expect(body.mirrors[0].findings[0].files[0].diff.text).toContain('+another text');
    const plan = (await get('/v1/sync/plan')).body;
    expect(plan.mirrors[0].skills.map(({ skill }: { skill: string }) => skill)).toContain('two');
    expect((await get('/v1/drift')).body.drift).toBe(2);
  });

  test('tells what other hosts would see, and compares rounds', async () => {
    const workspace = workspaceWith('one');
    const api = await openApi(workspace);
    const { body } = await api.get('/v1/hosts');
    expect(body.hosts.map(({ name }: { name: string }) => name)).toContain('Claude Code');
    expect(JSON.stringify(body)).not.toContain(workspace);
    await api.runtime.rounds.start({ name: 'first', by: 'test' });
    writeSkill(skillsRoot(workspace), 'one', { lines: ['allowed-tools: Bash'] });
    await api.runtime.skills.reload();
    expect((await api.get('/v1/rounds')).body.items).toEqual([expect.objectContaining({ name: 'first' })]);
    const { findings } = (await api.get('/v1/rounds/compare')).body;
    expect(findings).toEqual(expect.arrayContaining([expect.objectContaining({ skill: 'one' })]));
    const { body: signed } = await api.get('/v1/rounds/first');
    expect(signed).toMatchObject({ name: 'first', facts: [{ name: 'one', allowed_tools: [] }] });
    expect((await api.get('/v1/rounds/none')).body.code).toBe('ROUND_NOT_FOUND');
  });
});

describe('work', () => {
  test('tells tasks, who could do them, profiles and orphans', async () => {
    const api = await openApi(workspaceWith('one'));
    const tasks = await api.runtime.tasks();
    const { id, slug } = await tasks.create({ title: 'Mend the door', required_skills: ['one'] }, 'test');
    expect((await api.get('/v1/tasks')).body.items).toEqual([
      expect.objectContaining({ id, slug, state: 'INIT', required_skills: ['one'] }),
    ]);
    expect((await api.get('/v1/tasks?state=DONE')).body.items).toEqual([]);
    expect((await api.get(`/v1/tasks/${slug}`)).body).toMatchObject({ task: { id }, checkpoints: [] });
    expect((await api.get(`/v1/tasks/${id}/pool`)).body.empty).toMatchObject({ code: 'NO_PROFILE' });
    expect((await api.get('/v1/tasks/none')).body.code).toBe('TASK_NOT_FOUND');
    for (const list of ['agents', 'profiles', 'orphans'])
      expect((await api.get(`/v1/${list}`)).body).toEqual({ items: [] });
  });
});

describe('sessions', () => {
  test('are listed, shown with what they loaded, and replayed', async () => {
    const api = await openApi(workspaceWith('one', 'two'));
    const { sessions, ctx } = api.runtime;
    const { id } = await sessions.open({ agent_id: 'tester' });
    await ctx.tools.get('skill_load')?.call({ name: 'one', session_id: id }, { door: 'library' });
    expect((await api.get('/v1/sessions')).body.items).toEqual([
      expect.objectContaining({ id, agent_id: 'tester', loads: 1, tokens: 1 }),
    ]);
    expect((await api.get(`/v1/sessions/${id}`)).body.loaded).toEqual([
      { name: 'one', reason: 'on_demand', tokens: 1, digest: expect.any(String), counted: true },
    ]);
    expect((await api.get('/v1/skills/one/loads')).body.items).toEqual([
      expect.objectContaining({ session_id: id, agent_id: 'tester', reason: 'on_demand' }),
    ]);
    const types = (await api.get(`/v1/sessions/${id}/events`)).body.items.map(
      ({ type }: { type: string }) => type,
    );
    expect(types).toEqual(['session.opened', 'skill.loaded', 'tool.finished']);
    expect((await api.post(`/v1/sessions/${id}/replay`, {})).body).toMatchObject({
      mode: 'recorded',
      equal: true,
      difference: null,
    });
    expect((await api.get('/v1/sessions/none')).body.code).toBe('SESSION_NOT_FOUND');
  });

  test('come in pages, newest first', async () => {
    const api = await openApi(workspaceWith('one'));
    const opened: string[] = [];
    for (let index = 0; index < 5; index++) opened.unshift((await api.runtime.sessions.open()).id);
    const first = (await api.get('/v1/sessions?limit=3')).body;
    const second = (await api.get(`/v1/sessions?limit=3&cursor=${first.next}`)).body;
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(opened);
    expect(second.next).toBeNull();
  });
});

describe('events', () => {
  test('are read forwards and backwards, and private facts only on demand', async () => {
    const api = await openApi(workspaceWith('one'));
    const { sessions, ctx } = api.runtime;
    const { id } = await sessions.open();
    await ctx.tools.get('skill_load')?.call({ name: 'one', session_id: id }, { door: 'library' });
    const all = (await api.get('/v1/events?level=private')).body.items;
    const back = (await api.get('/v1/events?newest=true&level=private')).body.items;
    expect(back.map(({ seq }: { seq: number }) => seq)).toEqual(
      all.map(({ seq }: { seq: number }) => seq).reverse(),
    );
    const page = (await api.get('/v1/events?limit=2&level=private')).body;
    expect((await api.get(`/v1/events?after=${page.next}&level=private`)).body.items).toEqual(all.slice(2));
    const loaded = async (level: string) =>
      (await api.get(`/v1/events?type=skill.loaded&level=${level}`)).body.items[0].payload;
    expect(await loaded('pseudonymous')).not.toHaveProperty('path');
    expect(await loaded('private')).toHaveProperty('path', '.agents/skills/one/SKILL.md');
    expect((await api.get('/v1/events/verify')).body).toEqual({ events: all.length, broken: null });
  });
});

describe('the policy', () => {
  test('is shown with its rules, and says what would become of a call', async () => {
    const workspace = workspaceWith('one');
    const text = 'use: mine\nprofiles:\n  mine:\n    rules:\n      - { effect: deny, tool: "Bash(rm:*)" }\n';
    writeFileSync(path.join(workspace, 'colibri.policy.yaml'), text);
    const { get } = await openApi(workspace, { env: { COLIBRI_TRUST_WORKSPACE: '1' } });
    expect((await get('/v1/policy')).body).toMatchObject({ file: 'colibri.policy.yaml', use: 'mine' });
    expect((await get('/v1/policy/explain?tool=Bash&argument=rm+-rf+x&skill=one')).body).toMatchObject({
      effect: 'deny',
      profile: 'mine',
      rule: 1,
      skill: 'one',
    });
    expect((await get('/v1/trust')).body.items[0]).toMatchObject({ kind: 'file', trusted: true });
  });
});

describe('a request', () => {
  test.each([
    ['/v1/skills?limit=0', 'limit'],
    ['/v1/skills?limit=100000', 'limit'],
    ['/v1/skills?serach=x', 'query'],
    ['/v1/skills?cursor=!', 'cursor'],
    ['/v1/search?tier=T9', 'tier'],
    ['/v1/events?after=-1', 'after'],
    ['/v1/events/stream?after=x', 'after'],
    ['/v1/policy/explain', 'tool'],
  ])('%s is refused and told what to mend', async (target, word) => {
    const { get } = await openApi(workspaceWith('one'));
    const { status, body } = await get(target);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'INVALID_PARAMS' });
    expect(body.detail).toContain(word);
  });

  test.each([
    ['as plain text, which needs no preflight', { 'content-type': 'text/plain' }, 415],
    ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['from another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['from another port of this machine', { 'sec-fetch-site': 'same-site' }, 403],
    ['from another origin', { origin: 'http://localhost:3000', host: 'localhost' }, 403],
    ['from a sandboxed frame', { origin: 'null', host: 'localhost' }, 403],
  ])('that writes %s is refused', async (_how, headers, status) => {
    const { post } = await openApi(workspaceWith('one'));
    const answer = await post('/v1/reload', {}, headers);
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code: 'HTTP_REFUSED' });
  });

  test('that writes too much, or no JSON, is refused', async () => {
    const { request } = await openApi(workspaceWith('one'));
    const send = (body: string) =>
      request('/v1/reload', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect((await send('x'.repeat(65_537))).status).toBe(413);
    expect((await send('{"half":')).status).toBe(400);
    expect((await send('[1]')).status).toBe(400);
    expect((await send('{"unknown":1}')).status).toBe(400);
  });

  test('with another method is told which one to use', async () => {
    const { request } = await openApi(workspaceWith('one'));
    const answer = await request('/v1/skills', { method: 'DELETE' });
    expect({ status: answer.status, allow: answer.headers.get('allow') }).toEqual({
      status: 405,
      allow: 'GET',
    });
  });

  test('of an unknown path gets a problem, too', async () => {
    const { get } = await openApi(workspaceWith('one'));
    expect((await get('/v1/nothing')).body).toMatchObject({ status: 404, code: 'HTTP_NOT_FOUND' });
  });

  test('is answered with data that nobody may sniff, frame or keep', async () => {
    const { request } = await openApi(workspaceWith('one'));
    for (const target of ['/v1/skills', '/v1/skills/none', '/v1/nothing', '/v1/openapi.json', '/metrics']) {
      const { headers } = await request(target);
      expect(headers.get('content-security-policy'), target).toContain("default-src 'none'");
      expect(headers.get('x-content-type-options'), target).toBe('nosniff');
      expect(headers.get('cache-control'), target).toBe('no-store');
      expect(headers.get('access-control-allow-origin'), target).toBeNull();
    }
  });
});

test('the metrics count by route and never by what a client sent', async () => {
  const { get, request } = await openApi(workspaceWith('one'));
  await get('/v1/skills/one');
  await get('/v1/skills/x%22%7D');
  const text = await (await request('/metrics')).text();
  expect(text).toContain('colibri_skills{state="indexed"} 1');
  expect(text).toContain('colibri_http_requests_total{route="/v1/skills/{name}",status="200"} 1');
  expect(text).toContain('colibri_http_requests_total{route="/v1/skills/{name}",status="404"} 1');
  expect(text).not.toContain('x"}');
});
