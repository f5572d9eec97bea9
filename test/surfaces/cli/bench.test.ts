/** `colibri bench`: numbers of the user's own machine. How large they are is nobody's business here. */
import { existsSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri, skillText, workspaceWith } from './harness.ts';

function workspace(): { cwd: string; home: string } {
  const skills = ['one', 'two', 'three'].map((name) => [
    name,
    skillText({ name, description: `Does what ${name} is for.` }),
  ]);
  return { cwd: workspaceWith(Object.fromEntries(skills)), home: temporaryDirectory() };
}

describe('colibri bench', () => {
  test('measures what is there, beside its floor, and leaves nothing behind', async () => {
    const here = workspace();
    const { code, stdout, stderr } = await colibri(['bench', '--json'], here);
    expect([code, stderr]).toEqual([0, '']);
    const { skills, measured } = JSON.parse(stdout);
    expect(skills).toBe(3);
    expect(measured.map(({ what }: { what: string }) => what)).toEqual([
      'open an empty database and index 3 skills',
      'look again at 3 skills, nothing changed',
      'get one skill',
      'a page of 50 skills',
      'a search, the middle of all',
      'a search, 95 of 100 are faster',
    ]);
    for (const { ms } of measured) expect(ms).toBeGreaterThan(0);
    expect(measured[0].floor).toEqual({ what: 'read every SKILL.md', ms: expect.any(Number) });
    expect(existsSync(path.join(here.cwd, 'data'))).toBe(false);
  });

  test('a terminal gets a table with units and ratios', async () => {
    const { stdout } = await colibri(['bench', '--no-color'], { ...workspace(), terminal: 140 });
    expect(stdout).toMatch(/^WHAT +TIME +FLOOR +RATIO\n/);
    expect(stdout).toMatch(/index 3 skills +[\d.]+ (ms|µs) +[\d.]+ (ms|µs) \(read every SKILL.md\) +[\d.]+x/);
  });

  test('without skills it says that there was little to measure', async () => {
    const { code, stderr } = await colibri(['bench'], { cwd: temporaryDirectory() });
    expect([code, stderr]).toEqual([0, 'there are no skills here, so there was little to measure\n']);
  });
});
