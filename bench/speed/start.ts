/** How long it takes from the start of a process to its answer. */
import path from 'node:path';

import { best, COLIBRI, timeProcess } from './measure.ts';
import { atMost, type Row } from './row.ts';
import { startRpc } from './rpc.ts';
import type { World } from './world.ts';

const SKILLS = 1_000;
const RUNS = 15;
const LIST_WHY =
  'a list looks at the times of every SKILL.md first, so that it is never older than the disk; that is nearly all it does beyond the start of Node.';

/** What a person waits for. In turns, so that a busy moment of the machine hits all alike. */
export async function startRows(world: World): Promise<readonly Row[]> {
  const { workspace, home, database } = world.place(SKILLS);
  const wall = (words: readonly string[]) =>
    timeProcess([process.execPath, ...words], { cwd: workspace, home })['wallMs'] ?? Number.NaN;
  const hello = [path.join(world.folder, 'hello.cjs')];
  const list = [COLIBRI, 'list', '--db', database];
  const version = [COLIBRI, '--version'];
  // The first runs fill the index and keep the compiled code.
  for (const words of [list, list, version]) wall(words);
  const least = await best(RUNS, async () => ({
    floor: wall(hello),
    list: wall(list),
    version: wall(version),
  }));
  const { floor = Number.NaN } = least;
  const bar = { suite: 'start', unit: 'ms', floorName: 'node, nothing else' };
  return [
    atMost(
      { ...bar, what: '`colibri list` of 1,000 indexed skills', why: LIST_WHY },
      least['list'] ?? Number.NaN,
      { floor, max: 1.6 },
    ),
    atMost({ ...bar, what: '`colibri --version`' }, least['version'] ?? Number.NaN, { floor, max: 1.6 }),
  ];
}

export async function serveRows(world: World): Promise<readonly Row[]> {
  const { workspace, home, database } = world.place(SKILLS);
  const hello = path.join(world.folder, 'hello.cjs');
  const options = { cwd: workspace, home };
  const answer = async () => {
    const server = await startRpc([COLIBRI, 'serve', '--db', database], options);
    await server.end();
    return { wallMs: server.readyMs };
  };
  await answer();
  const { wallMs: floor = Number.NaN } = await best(RUNS, async () =>
    timeProcess([process.execPath, hello], options),
  );
  const { wallMs: ours = Number.NaN } = await best(RUNS, answer);
  const bar = {
    suite: 'serve',
    what: '`colibri serve` until `initialize` is answered',
    unit: 'ms',
    floorName: 'node, nothing else',
  };
  return [atMost(bar, ours, { floor, max: 2.8 })];
}
