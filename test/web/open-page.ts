/** Opens the page on a server of its own and keeps an eye on everything it must never do. */
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

const STEP_MS = 20_000;

export interface WatchedPage {
  readonly page: Page;
  /** Errors, refused loads and requests to elsewhere; a good page has none. */
  readonly troubles: readonly string[];
}

export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  onTestFinished(() => page.close());
  // Less than a test may take, so that the step that failed is named.
  page.setDefaultTimeout(STEP_MS);
  const troubles: string[] = [];
  const { origin } = new URL(url);
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) troubles.push(`request: ${request.url()}`);
  });
  // What a test needs of the page it waits for itself; a picture that is late must not hold it up.
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  return { page, troubles };
}

/** What axe finds, but for trifles. */
export async function expectAccessible(page: Page): Promise<void> {
  // Through the debugger, because the page's policy rightly refuses foreign scripts.
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    // `axe` was put there by the line above.
    const { axe: own } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    const { violations } = await own.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
      );
  });
  expect(found).toEqual([]);
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}
