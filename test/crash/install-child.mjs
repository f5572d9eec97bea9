// Installs or updates, and is killed by the system before its nth step on the disk; for 0 it says all its steps.
// `install-child.mjs <dist> <workspace> <source> add|update <n>`
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, workspace, source, verb, killAt] = process.argv.slice(2);
const built = (file) => import(pathToFileURL(`${dist}/domains/integrity/install/${file}`).href);
const { createInstallService } = await built('service.js');
const { installPlace } = await built('place.js');
const place = installPlace(workspace, path.join(workspace, '.agents/skills'));
const install = createInstallService({
  places: { workspace: place, global: place },
  cwd: workspace,
  home: workspace,
  git: () => Promise.reject(new Error('not used here')),
  decide: async () => ({ effect: 'allow', rule: 1, reason: '' }),
  scan: () => ({ findings: [], unread: [] }),
  reload: async () => undefined,
});

const steps = [];
for (const name of [
  'chmodSync',
  'fsyncSync',
  'mkdirSync',
  'openSync',
  'renameSync',
  'rmSync',
  'writeFileSync',
]) {
  const real = fs[name];
  fs[name] = (...args) => {
    steps.push(`${name} ${args.slice(0, 2).map(String).join(' ')}`);
    // The signal that nobody can catch: nothing of this process runs any more after it.
    if (steps.length === Number(killAt)) process.kill(process.pid, 'SIGKILL');
    return real(...args);
  };
}
syncBuiltinESMExports();

await (verb === 'add' ? install.add({ source, skills: ['*'] }) : install.update());
process.stdout.write(JSON.stringify(steps));
