/** The folders that are measured, made once and removed at the end. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { writeSkills } from '../skills.ts';
import { cleanEnvironment, type ProbeResult } from './measure.ts';

export interface Place {
  readonly workspace: string;
  readonly home: string;
  readonly database: string;
}

export interface World {
  readonly folder: string;
  readonly sizes: readonly number[];
  /** Skills are written when a size is asked for the first time. */
  place(skills: number): Place;
  /** The next start of that size finds no database. */
  forget(skills: number): void;
  /** How often something is measured at that size. */
  runs(skills: number): number;
  /** Node with nothing to do. */
  hello(): Promise<ProbeResult>;
  remove(): void;
}

const RUNS = { small: 20, large: 3 };
const LARGE_SKILLS = 100_000;

export function createWorld(sizes: readonly number[]): World {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'colibri-bench-'));
  const made = new Set<number>();
  const hello = path.join(folder, 'hello.cjs');
  writeFileSync(
    hello,
    'process.stdout.write(JSON.stringify({ rssMb: process.resourceUsage().maxRSS / 1024 }));\n',
  );
  const place = (skills: number): Place => {
    const workspace = path.join(folder, String(skills));
    if (!made.has(skills)) writeSkills(path.join(workspace, '.agents', 'skills'), skills);
    made.add(skills);
    const home = path.join(folder, 'home');
    mkdirSync(home, { recursive: true });
    return { workspace, home, database: path.join(workspace, 'bench.db') };
  };
  return {
    folder,
    sizes,
    place,
    forget(skills) {
      for (const end of ['', '-wal', '-shm']) rmSync(`${place(skills).database}${end}`, { force: true });
    },
    runs: (skills) => (skills >= LARGE_SKILLS ? RUNS.large : RUNS.small),
    hello: async () =>
      JSON.parse(
        execFileSync(process.execPath, [hello], { env: cleanEnvironment(folder), encoding: 'utf8' }),
      ),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
