/** Scans, reads and searches at several sizes. */
import path from 'node:path';

import { best, bestInTurns, COLIBRI, type ProbeResult, peakOf, probe, REPOSITORY } from './measure.ts';
import { atMost, type Bar, less, type Row, shownOnly, within } from './row.ts';
import type { World } from './world.ts';

const LIBRARY = path.join(REPOSITORY, 'dist/library.js');
const FIRST_SCAN_MAX = { small: 8, large: 7 };
const LARGE_SKILLS = 100_000;
const SCAN_WHY =
  'with compiled code the steps come to about 5× the floor; the rest is V8 compiling them, which weighs less the more skills there are.';
const RESCAN_WHY = 'the floor knows the names already; reading what was seen before comes on top.';
/** Below it most of a scan is V8 compiling it, so there the ratio is shown without a limit. */
const LIMITED_SKILLS = 10_000;

function probeAt(world: World, skills: number, work: string, more: object = {}): Promise<ProbeResult> {
  const { workspace, home, database } = world.place(skills);
  return probe(work, { workspace, home, database, library: LIBRARY, ...more });
}

const value = (result: ProbeResult, key: string): number => result[key] ?? Number.NaN;

async function cpuInTurns(
  runs: number,
  works: readonly (() => Promise<ProbeResult>)[],
): Promise<readonly number[]> {
  return (await bestInTurns(runs, works)).map((result) => value(result, 'cpuMs'));
}

export async function scanRows(world: World): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const skills of world.sizes) {
    const runs = world.runs(skills);
    const [floor = Number.NaN, ours = Number.NaN] = await cpuInTurns(runs, [
      () => probeAt(world, skills, 'read'),
      () => {
        world.forget(skills);
        return probeAt(world, skills, 'scan');
      },
    ]);
    const max = skills >= LARGE_SKILLS ? FIRST_SCAN_MAX.large : FIRST_SCAN_MAX.small;
    const what = `first scan of ${count(skills)} skills`;
    const bar = {
      ...{ suite: 'scan', what, unit: 'ms CPU' },
      ...{ floorName: 'open-read-close loop', why: SCAN_WHY },
    };
    rows.push(scanRow(skills, bar, { ours, floor, max }));
  }
  return rows;
}

export async function rescanRows(world: World): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const skills of world.sizes) {
    const runs = world.runs(skills);
    await probeAt(world, skills, 'rescan');
    const [floor = Number.NaN, calm = Number.NaN, changed = Number.NaN] = await cpuInTurns(runs, [
      () => probeAt(world, skills, 'stat'),
      () => probeAt(world, skills, 'rescan'),
      () => probeAt(world, skills, 'changed'),
    ]);
    const bar = { suite: 'rescan', unit: 'ms CPU' };
    const what = `rescan of ${count(skills)} skills`;
    const still = { ...bar, what: `${what}, nothing changed`, floorName: 'stat loop', why: RESCAN_WHY };
    rows.push(scanRow(skills, still, { ours: calm, floor, max: 1.5 }));
    const stirred = { ...bar, what: `${what}, 1 % changed`, floorName: 'nothing changed' };
    rows.push(scanRow(skills, stirred, { ours: changed, floor: calm, max: 2 }));
  }
  return rows;
}

function scanRow(
  skills: number,
  bar: Bar,
  { ours, floor, max }: { readonly ours: number; readonly floor: number; readonly max: number },
): Row {
  return skills < LIMITED_SKILLS ? shownOnly(bar, ours, floor) : atMost(bar, ours, { floor, max });
}

/** The SDK's own loader, on the same folders. It is slow, so the largest size is left out. */
export async function sdkRows(world: World): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const skills of world.sizes.filter((size) => size < LARGE_SKILLS)) {
    const theirs = await best(2, () => probeAt(world, skills, 'sdk'));
    const first = await best(2, () => {
      world.forget(skills);
      return probeAt(world, skills, 'scan');
    });
    const again = await best(2, () => probeAt(world, skills, 'rescan'));
    const bar = { suite: 'sdk', unit: 'ms CPU' };
    rows.push(
      less(
        { ...bar, what: `load ${count(skills)} skills`, floorName: 'MCP SDK loadSkills' },
        value(first, 'cpuMs'),
        { floor: value(theirs, 'cpuMs'), min: 4 },
      ),
    );
    rows.push(
      less(
        { ...bar, what: `look again at ${count(skills)} skills`, floorName: 'MCP SDK reload' },
        value(again, 'cpuMs'),
        { floor: value(theirs, 'reloadCpuMs'), min: 20 },
      ),
    );
  }
  return rows;
}

export async function readRows(world: World): Promise<readonly Row[]> {
  const [small = 0] = world.sizes;
  const large = world.sizes.at(-1) ?? small;
  const at = async (skills: number) => {
    await probeAt(world, skills, 'rescan');
    return best(3, () => probeAt(world, skills, 'reads'));
  };
  const [few, many] = [await at(small), await at(large)];
  const bar = { suite: 'reads', unit: 'µs CPU', floorName: `of ${count(small)}` };
  return [
    atMost({ ...bar, what: `get one of ${count(large)} skills` }, value(many, 'getUs'), {
      floor: value(few, 'getUs'),
      max: 2.5,
    }),
    atMost({ ...bar, what: `a page of 50 of ${count(large)} skills` }, value(many, 'pageUs'), {
      floor: value(few, 'pageUs'),
      max: 2.5,
    }),
  ];
}

const QUERIES =
  'review contracts, deploy containers, summarise emails, plan a roadmap, kubernetes certificates, audit passwords and backups, translate recipes, profile slow queries, schedule calendars, write changelogs, test schemas, spreadsheets with budgets, incident metrics, survey dashboards, refactor pipelines'.split(
    ', ',
  );
const SEARCH_P95_MS = { small: 10, large: 100 };

export async function searchRows(world: World): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const skills of world.sizes) {
    const { p95Ms = Number.NaN, bytes = Number.NaN } = await best(2, () =>
      probeAt(world, skills, 'search', { queries: QUERIES }),
    );
    const max = skills >= LARGE_SKILLS ? SEARCH_P95_MS.large : SEARCH_P95_MS.small;
    rows.push(
      within(
        { suite: 'search', what: `search, top 10 of ${count(skills)}, 95th percentile`, unit: 'ms' },
        p95Ms,
        max,
      ),
    );
    rows.push(
      within(
        { suite: 'search', what: `search, answer of 10 of ${count(skills)}`, unit: 'bytes' },
        bytes,
        2048,
      ),
    );
  }
  return rows;
}

const SCAN_MEMORY_MAX = { small: 2, large: 5 };

/** The whole program, as a user runs it over skills that are not indexed yet. It lists none: printing is no scan. */
export async function memoryRows(world: World): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const floor = value(await best(2, () => world.hello()), 'rssMb');
  for (const skills of world.sizes) {
    const { workspace, home, database } = world.place(skills);
    const words = ['list', '--capability', 'none', '--workspace', workspace, '--db', database];
    const ours = await best(2, async () => {
      world.forget(skills);
      return peakOf([COLIBRI, ...words], { cwd: workspace, home });
    });
    const max = skills >= LARGE_SKILLS ? SCAN_MEMORY_MAX.large : SCAN_MEMORY_MAX.small;
    rows.push(
      atMost(
        {
          suite: 'memory',
          what: `peak of a first \`colibri list\` with ${count(skills)} skills`,
          unit: 'MB',
          floorName: 'node, nothing else',
        },
        value(ours, 'rssMb'),
        { floor, max },
      ),
    );
  }
  return rows;
}

export function count(skills: number): string {
  return skills.toLocaleString('en');
}
