/**
 * How fast Colibri is, as ratios to floors that are measured in the same run.
 *
 *   npm run bench [-- --quick] [--only scan,rescan,sdk,start,serve,calls,reads,search,memory,peers] [--write]
 *
 * Never part of the tests: a timing proves something only on a machine that has nothing else to do.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { callRows } from './speed/calls.ts';
import { chartSvg } from './speed/chart.ts';
import { REPOSITORY } from './speed/measure.ts';
import { comparePeers, type PeerResult } from './speed/peers.ts';
import { memoryRows, readRows, rescanRows, scanRows, sdkRows, searchRows } from './speed/registry.ts';
import { pageText, tableText } from './speed/report.ts';
import type { Row } from './speed/row.ts';
import { serveRows, startRows } from './speed/start.ts';
import { createWorld, type World } from './speed/world.ts';

const SUITES: Readonly<Record<string, (world: World) => Promise<readonly Row[]>>> = {
  scan: scanRows,
  rescan: rescanRows,
  sdk: sdkRows,
  start: startRows,
  serve: serveRows,
  calls: callRows,
  reads: readRows,
  search: searchRows,
  memory: memoryRows,
};
const SIZES = [1_000, 10_000, 100_000];
const QUICK_SIZES = [1_000, 10_000];

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, only: { type: 'string' }, write: { type: 'boolean' } },
});
const wanted = values.only?.split(',') ?? [...Object.keys(SUITES), 'peers'];
const unknown = wanted.filter((name) => name !== 'peers' && !(name in SUITES));
if (unknown.length > 0) {
  console.error(`no suite ${unknown.join(', ')}; there are ${[...Object.keys(SUITES), 'peers'].join(', ')}`);
  process.exit(2);
}

const world = createWorld(values.quick ? QUICK_SIZES : SIZES);
try {
  const rows: Row[] = [];
  for (const name of wanted) {
    const measured = (await SUITES[name]?.(world)) ?? [];
    if (measured.length > 0) console.log(`${tableText(measured)}\n`);
    rows.push(...measured);
  }
  const peers: readonly PeerResult[] = wanted.includes('peers') ? await comparePeers(world) : [];
  if (peers.length > 0) console.table(peers);
  const limited = rows.filter(({ must }) => must !== '–');
  console.log(`${limited.filter(({ pass }) => pass).length} of ${limited.length} within their limits`);
  if (values.write) {
    const command = `npm run bench -- ${process.argv.slice(2).join(' ')}`;
    const results = { rows, peers, command, at: new Date().toISOString() };
    writeFileSync(path.join(REPOSITORY, 'docs/benchmarks.md'), pageText(results));
    writeFileSync(path.join(REPOSITORY, 'docs/benchmarks.svg'), chartSvg(rows));
  }
} finally {
  world.remove();
}
