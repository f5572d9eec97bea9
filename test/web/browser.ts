/** A real Chromium, started once for a test file. */
import { existsSync } from 'node:fs';

import { type Browser, chromium } from 'playwright-core';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** `scripts/ensure-chromium.sh` looks in the same places and installs one where there is none. */
export function findChromium(): string {
  const said = process.env['CHROMIUM'];
  const found = [...(said === undefined ? [] : [said]), ...PLACES].find((file) => existsSync(file));
  if (found === undefined) throw new Error('no Chromium found; run scripts/ensure-chromium.sh');
  return found;
}

export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    // Pages of this machine only; the sandbox of the browser needs rights that a container does not give.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
