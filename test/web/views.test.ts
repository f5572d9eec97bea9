/** Every view of the page in a real Chromium, with real data. */
import path from 'node:path';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { writeSkill } from '../support/skill-files.ts';
import { makeTemporaryDirectory, removeTree, temporaryDirectory } from '../support/temporary.ts';
import { type Served, serve } from '../surfaces/http/harness.ts';
import { startBrowser } from './browser.ts';
import { planInDemo, workInDemo, writeDemoWorkspace } from './demo-workspace.ts';
import { expectAccessible, openPage } from './open-page.ts';

const POLL = { timeout: 20_000 };
const TRUSTING = { env: { COLIBRI_TRUST_WORKSPACE: '1' } };

let browser: Browser;
let workspace: string;
let served: Served;
let sessions: readonly string[];

beforeAll(async () => {
  workspace = makeTemporaryDirectory();
  writeDemoWorkspace(workspace);
  served = await serve(workspace, TRUSTING);
  sessions = await workInDemo(served.runtime);
  await planInDemo(served.runtime);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await served.runtime.close();
  removeTree(workspace);
});

const open = (address: string, options = {}) => openPage(browser, `${served.origin}${address}`, options);

describe('skills', () => {
  test('are found while typing, and opened with the keyboard alone', async () => {
    const { page, troubles } = await open('/');
    await page.waitForSelector('.row');
    await page.keyboard.press('/');
    await page.keyboard.type('PDF');
    await page.getByText('1 of 16 skills').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'pdf-forms' }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/skills/pdf-forms?q=PDF');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.row').count(), POLL).toBeGreaterThan(10);
    await page.keyboard.press('ArrowDown');
    await page.getByRole('heading', { name: 'release-notes' }).waitFor();
    expect(troubles).toEqual([]);
  });

  test('are filtered, and a filter can be linked to', async () => {
    const { page } = await open('/skills?source=mirror');
    await page.getByText('1 of 16 skills').waitFor();
    expect(await page.locator('.row').allInnerTexts()).toEqual([expect.stringContaining('only-here')]);
    await page.getByLabel('source').selectOption('');
    await page.getByLabel('capability').selectOption('database');
    await page.getByText('2 of 16 skills').waitFor();
    await page.getByLabel('health').selectOption('copies');
    await page.getByRole('heading', { name: 'No skill matches' }).waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('16 skills', { exact: true }).waitFor();
  });

  test('are rendered, with facts, files, copies side by side, and where they were loaded', async () => {
    const { page, troubles } = await open('/skills/pdf-forms');
    await page.locator('.prose h1', { hasText: 'Pdf forms' }).waitFor();
    await page.getByRole('link', { name: 'the fields' }).click();
    await page.getByText('Every field has a name and a kind.').waitFor();
    expect(await page.locator('tbody tr td:first-child').allInnerTexts()).toEqual([
      'SKILL.md',
      'references/fields.md',
      'scripts/merge.py',
    ]);
    await page.getByRole('tab', { name: 'Facts' }).click();
    await page.getByText('"license": "Apache-2.0"').waitFor();
    await page.locator('.row', { hasText: 'release-notes' }).click();
    await page.getByRole('tab', { name: /Loads/ }).click();
    await page.locator('tbody tr', { hasText: 'reviewer' }).waitFor();
    await page.locator('tbody tr', { hasText: 'ada' }).waitFor();
    await page.getByRole('tab', { name: /Copies/ }).click();
    await page.locator('.diff .gone', { hasText: 'Say what changed' }).waitFor();
    await page.locator('.diff .come', { hasText: 'List what changed' }).waitFor();
    expect(troubles).toEqual([]);
  });

  test('that do not exist are told with what to do', async () => {
    const { page } = await open('/skills/pdf-form');
    await page.getByRole('alert').getByText('did you mean pdf-forms?').waitFor();
  });

  test('fit on a phone: the list, then the skill, then back', async () => {
    const { page } = await open('/skills', { viewport: { width: 390, height: 844 } });
    await page.locator('.row', { hasText: 'pdf-forms' }).click();
    await page.getByRole('heading', { name: 'pdf-forms', exact: true }).waitFor();
    expect(await page.getByRole('listbox').isVisible()).toBe(false);
    const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect(wide).toBe(false);
    await page.getByRole('button', { name: 'all skills' }).click();
    await page.getByRole('listbox').waitFor();
  });
});

test('what is edited on disk appears by itself', async () => {
  const own = temporaryDirectory();
  const root = path.join(own, '.agents/skills');
  writeSkill(root, 'first');
  const live = await serve(own);
  try {
    const { page, troubles } = await openPage(browser, `${live.origin}/skills`);
    await page.getByText('1 skill', { exact: true }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    writeSkill(root, 'second', { body: 'before' });
    await page.locator('.row', { hasText: 'second' }).click();
    await page.locator('.prose', { hasText: 'before' }).waitFor();
    writeSkill(root, 'second', { body: 'after the edit' });
    await page.locator('.prose', { hasText: 'after the edit' }).waitFor();
    expect(troubles).toEqual([]);
  } finally {
    await live.runtime.close();
  }
});

test('an empty workspace says what to do', async () => {
  const live = await serve(temporaryDirectory());
  try {
    const { page } = await openPage(browser, `${live.origin}/`);
    await page.getByRole('heading', { name: 'No skills yet' }).waitFor();
    await page.goto(`${live.origin}/health`);
    await page.getByRole('heading', { name: 'All is well' }).waitFor();
    await page.goto(`${live.origin}/nowhere`);
    await page.getByRole('heading', { name: 'There is no such view' }).waitFor();
  } finally {
    await live.runtime.close();
  }
});

test('a server that went away is told, and the page comes back with it', async () => {
  const own = temporaryDirectory();
  writeSkill(path.join(own, '.agents/skills'), 'first');
  const before = await serve(own);
  const { port } = new URL(before.origin);
  const { page } = await openPage(browser, `${before.origin}/skills`);
  await page.getByText('live', { exact: true }).waitFor();
  await before.runtime.close();
  await page.getByText('connection lost').waitFor();
  writeSkill(path.join(own, '.agents/skills'), 'second');
  const after = await serve(own, { http: { port } });
  try {
    await page.getByText('2 skills', { exact: true }).waitFor();
  } finally {
    await after.runtime.close();
  }
});

test('beyond loopback the page asks for the token, once', async () => {
  const token = 'correct-horse-battery-staple-0123456789';
  const own = temporaryDirectory();
  writeSkill(path.join(own, '.agents/skills'), 'first');
  const guarded = await serve(own, { env: { COLIBRI_HTTP_TOKEN: token } });
  try {
    const { page } = await openPage(browser, `${guarded.origin}/skills`);
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByText('1 skill', { exact: true }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
  } finally {
    await guarded.runtime.close();
  }
});

describe('the budget', () => {
  test('shows what a session of that size sees, and what was cut', async () => {
    const { page, troubles } = await open('/budget');
    await page.getByText('sees 16 skills, whole descriptions').waitFor();
    await page.getByLabel(/A session with/).fill('2');
    await page.locator('[role="status"]', { hasText: /\d+ cut and reachable by search only/ }).waitFor();
    expect(await page.locator('.tile.cut').count()).toBeGreaterThan(0);
    expect(await page.locator('.tile').count()).toBe(16);
    await page.getByLabel('cost of the text').check();
    await page.getByRole('link', { name: /data-migration, [\d,]+ tokens/ }).click();
    await page.getByRole('heading', { name: 'data-migration', exact: true }).waitFor();
    expect(troubles).toEqual([]);
  });
});

describe('activity', () => {
  test('shows events as they happen, filtered', async () => {
    const { page, troubles } = await open('/activity?kind=session');
    await page.getByText('live', { exact: true }).waitFor();
    await page.locator('.events li').first().waitFor();
    const before = await page.locator('.events li').count();
    expect(before).toBeGreaterThanOrEqual(2);
    await served.runtime.sessions.open({ agent_id: 'newcomer' });
    await expect.poll(() => page.locator('.events li').count(), POLL).toBeGreaterThan(before);
    await page.getByLabel('Filter events').fill('nothing like it');
    await page.getByRole('heading', { name: 'No events' }).waitFor();
    expect(troubles).toEqual([]);
  });

  test('tells on a phone, too, what each event is about', async () => {
    const { page } = await open('/activity', { viewport: { width: 390, height: 844 } });
    const about = page.locator('.events .what', { hasText: /./ }).first();
    await about.waitFor({ state: 'visible' });
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
  });

  test('shows a session as a timeline, and replays it', async () => {
    const { page, troubles } = await open(`/activity/${sessions[0]}`);
    await page.getByRole('heading', { name: 'ada' }).waitFor();
    await page.getByText('3 of 3 loads').waitFor();
    await page.locator('.timeline li', { hasText: 'BUDGET_EXHAUSTED' }).waitFor();
    await page.getByRole('button', { name: 'From its records' }).click();
    await page.locator('.replay', { hasText: 'equal' }).waitFor();
    expect(troubles).toEqual([]);
  });

  test('names the first difference of a replay against edited skills', async () => {
    const own = temporaryDirectory();
    const root = path.join(own, '.agents/skills');
    writeSkill(root, 'one', { body: 'before' });
    const live = await serve(own);
    try {
      const { ctx, sessions: service, skills } = live.runtime;
      const { id } = await service.open();
      await ctx.tools.get('skill_load')?.call({ name: 'one', session_id: id }, { door: 'library' });
      writeSkill(root, 'one', { body: 'after' });
      await skills.reload();
      const { page } = await openPage(browser, `${live.origin}/activity/${id}`);
      await page.getByRole('button', { name: 'Against today’s skills' }).click();
      await page.locator('.replay', { hasText: 'differs first at event' }).waitFor();
    } finally {
      await live.runtime.close();
    }
  });
});

test('the policy says what becomes of a call, by which rule', async () => {
  const { page, troubles } = await open('/policy?call=Bash(rm+-rf+build)&skill=release-notes');
  await page.locator('.verdict .deny', { hasText: 'deny' }).first().waitFor();
  await page.getByText('Rule 1 of team').waitFor();
  expect(await page.locator('tr.set td.number').innerText()).toBe('1');
  await page.getByLabel('Call', { exact: true }).fill('Read(src/main.ts)');
  await page.getByLabel('for the skill').fill('');
  await page.locator('.verdict .allow', { hasText: 'allow' }).first().waitFor();
  expect(troubles).toEqual([]);
});

test('health lists what is wrong, worst first, with the fix', async () => {
  const { page, troubles } = await open('/health');
  await page.locator('.findings li').first().waitFor();
  expect(await page.locator('.findings li').first().innerText()).toContain('half-written');
  await page.getByLabel('severity').selectOption('warning');
  expect(await page.locator('.findings .error').count()).toBe(0);
  expect(troubles).toEqual([]);
});

test('drift is shown side by side, with what a sync would do and what other hosts see', async () => {
  const { page, troubles } = await open('/drift');
  await page.locator('.diff .gone', { hasText: 'Say what changed' }).waitFor();
  await page.locator('.diff .come', { hasText: 'List what changed' }).waitFor();
  await page.getByText('only-here').first().waitFor();
  await page.getByRole('tab', { name: 'Sync plan' }).click();
  await page.locator('tbody tr', { hasText: 'pdf-forms' }).waitFor();
  await page.getByRole('tab', { name: 'Hosts' }).click();
  await page.locator('tbody tr', { hasText: 'Claude Code' }).first().waitFor();
  expect(troubles).toEqual([]);
});

test('work is a board of tasks by state, with agents, profiles and their past', async () => {
  const { page, troubles } = await open('/work');
  await page.locator('.board section', { hasText: 'blocked' }).getByText('Tune the report query').waitFor();
  await page.getByRole('link', { name: /Fix the flaky login test/ }).click();
  await page.getByRole('heading', { name: 'Fix the flaky login test' }).waitFor();
  await page.locator('tbody tr', { hasText: 'fixer' }).getByText('yes').waitFor();
  await page.goto(`${served.origin}/work?tab=profiles`);
  await page.getByText('90 % of 20 runs succeeded').waitFor();
  await page.getByRole('tab', { name: 'Agents' }).click();
  await page.getByRole('heading', { name: 'No agent has run yet' }).waitFor();
  await (await served.runtime.tasks()).create({ title: 'Made while somebody looks on' }, 'test');
  await page.getByRole('tab', { name: 'Tasks' }).click();
  await page.getByText('Made while somebody looks on').waitFor();
  expect(troubles).toEqual([]);
});

describe('accessibility', () => {
  const VIEWS = [
    '/skills/pdf-forms',
    '/skills/release-notes?tab=copies',
    '/skills/pdf-forms?tab=facts',
    '/budget?tokens=150',
    '/drift',
    '/drift?tab=plan',
    '/activity',
    '/activity/SESSION',
    '/policy?call=Bash(rm+x)',
    '/work',
    '/work?tab=profiles',
    '/health',
  ];

  const READY =
    '.prose, .diff, dl.facts, .tile, .events li, .timeline li, .verdict .effect, .findings li, tbody tr, .board, .profiles';

  test.each(['light', 'dark'] as const)('axe finds nothing serious in any view, %s', async (colorScheme) => {
    const { page } = await open('/skills', { colorScheme });
    for (const view of VIEWS) {
      await page.goto(`${served.origin}${view.replace('SESSION', sessions[0] ?? '')}`);
      await page.waitForSelector(READY);
      await page.waitForTimeout(150);
      await expectAccessible(page);
    }
  });
});
