/** Says that it is ready, waits for a line, syncs once: `sync-child.ts <workspace> <database>`. */
import { once } from 'node:events';
import path from 'node:path';

import { startup } from '../../src/startup.ts';

const [workspace = '', dbPath = ''] = process.argv.slice(2);
const home = path.join(path.dirname(workspace), 'home');
const runtime = await startup({ workspace, dbPath, home, env: {}, logger: () => undefined });
process.stdout.write('ready\n');
await once(process.stdin, 'data');
await runtime.sync.sync();
process.stdout.write('synced\n');
await runtime.close();
process.exit(0);
