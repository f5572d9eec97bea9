// Works the queue off until it is killed or told to drain: `task-supervisor.mjs <dist> <workspace> <home> <lease ms> [drain]`.
import { pathToFileURL } from 'node:url';

const [dist, workspace, home, lease, drain] = process.argv.slice(2);
const { startup } = await import(pathToFileURL(`${dist}/startup.js`).href);
const env = { PATH: process.env.PATH, HOME: home };
const logger = (...words) => process.stderr.write(`${words.join(' ')}\n`);
const runtime = await startup({
  workspace,
  home,
  env,
  leaseMs: Number(lease),
  logger,
  exit: () => undefined,
});
const tasks = await runtime.tasks();
const worker = await tasks.work({ lanes: 3 });
process.stdout.write('working\n');
if (drain === 'drain') {
  await worker.drained();
  await worker.stop();
  await runtime.close();
  process.exit(0);
}
