import { readFileSync } from 'node:fs';

/** Colibri's own version, from the package it was installed with. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  return version;
}
