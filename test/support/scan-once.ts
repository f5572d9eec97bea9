/** Scans the default roots of a workspace once, in a process of its own: `scan-once.ts <workspace> <database>`. */
import path from 'node:path';

import { startup } from '../../src/startup.ts';

const [workspace = '', dbPath = ''] = process.argv.slice(2);
const home = path.join(path.dirname(workspace), 'home');
const runtime = await startup({ workspace, dbPath, home, env: {}, logger: () => undefined });
await runtime.close();
