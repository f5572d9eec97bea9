/** How long it takes from the start of a process to its answer. */
import path from 'node:path';

import { best, COLIBRI, timeProcess } from './measure.ts';
import { atMost, type Row } from './row.ts';
import { startRpc } from './rpc.ts';
import type { World } from './world.ts';

const SKILLS = 1_000;
const RUNS = 9;

export async function startRows(world: World): Promise<readonly Row[]> {
  const { workspace, home, database } = world.place(SKILLS);
  const time = (...command: string[]) =>
    best(RUNS, async () => timeProcess([process.execPath, ...command], { cwd: workspace, home }));
  const list = [COLIBRI, 'list', '--db', database];
  // The first runs fill the index and keep the compiled code.
  for (const words of [list, list, [COLIBRI, '--version']])
    timeProcess([process.execPath, ...words], { cwd: workspace, home });
  const { cpuMs: floor = Number.NaN } = await time(path.join(world.folder, 'hello.cjs'));
  const bar = { suite: 'start', unit: 'ms CPU', floorName: 'node, nothing else' };
  const { cpuMs: listed = Number.NaN } = await time(...list);
  const { cpuMs: version = Number.NaN } = await time(COLIBRI, '--version');
  return [
    atMost({ ...bar, what: '`colibri list` of 1,000 indexed skills' }, listed, { floor, max: 1.6 }),
    atMost({ ...bar, what: '`colibri --version`' }, version, { floor, max: 1.6 }),
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
