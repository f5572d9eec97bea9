/** Makes the pictures of docs/page.md from a workspace of its own: npm run screenshots */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import type { Browser } from 'playwright-core';

import { startup } from '../src/startup.ts';
import { startBrowser } from '../test/web/browser.ts';
import { planInDemo, workInDemo, writeDemoWorkspace } from '../test/web/demo-workspace.ts';

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly theme: 'light' | 'dark';
  readonly size?: { readonly width: number; readonly height: number };
}

const SIZE = { width: 1180, height: 720 };
const PHONE = { width: 390, height: 760 };
const FOLDER = process.argv[2] ?? 'docs/images';
/** Fonts and lazy parts have come by then. */
const SETTLE_MS = 400;

const workspace = mkdtempSync(path.join(os.tmpdir(), 'colibri-pictures-'));
writeDemoWorkspace(workspace);
const runtime = await startup({
  workspace,
  home: workspace,
  env: { COLIBRI_TRUST_WORKSPACE: '1' },
  logger: () => undefined,
  transport: 'up',
  http: { port: '0' },
});
const browser = await startBrowser();
try {
  mkdirSync(FOLDER, { recursive: true });
  const sessions = await workInDemo(runtime);
  await planInDemo(runtime);
  const { origin } = new URL(runtime.url ?? '');
  for (const shot of shots(sessions)) await take(browser, origin, shot);
} finally {
  await browser.close();
  await runtime.close();
  rmSync(workspace, { recursive: true });
}

function shots(sessions: readonly string[]): readonly Shot[] {
  return [
    { name: 'skills', path: '/skills/pdf-forms', theme: 'light' },
    { name: 'budget', path: '/budget?tokens=300&by=text', theme: 'light' },
    { name: 'activity', path: '/activity', theme: 'dark' },
    { name: 'session', path: `/activity/${sessions[0] ?? ''}`, theme: 'light' },
    { name: 'policy', path: '/policy?call=Bash(rm+-rf+build)&skill=release-notes', theme: 'light' },
    { name: 'drift', path: '/drift', theme: 'dark' },
    { name: 'work', path: '/work', theme: 'light' },
    { name: 'health', path: '/health', theme: 'dark' },
    { name: 'phone', path: '/skills', theme: 'light', size: PHONE },
  ];
}

async function take(from: Browser, origin: string, { name, path: target, theme, size = SIZE }: Shot) {
  const page = await from.newPage({ viewport: size, colorScheme: theme });
  await page.goto(`${origin}${target}`);
  await page.waitForSelector('main h1, main [role="option"]');
  while ((await page.getByText('Loading …').count()) > 0) await page.waitForTimeout(SETTLE_MS);
  await page.waitForTimeout(SETTLE_MS);
  await page.screenshot({ path: path.join(FOLDER, `${name}.png`) });
  await page.close();
  console.log(`${FOLDER}/${name}.png`);
}
