// Says that it is ready, waits for a line, installs or updates: `install-child.mjs <dist> <workspace> <source> add|update`.
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, workspace, source, verb] = process.argv.slice(2);
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
process.stdout.write('ready\n');
await once(process.stdin, 'data');
await (verb === 'add' ? install.add({ source, skills: ['*'] }) : install.update());
process.stdout.write('done\n');
process.exit(0);
