/** A server on stdio with one tool more, `held`, that takes as long as it is told: `held-tool-server.ts <workspace>`. */
import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import { registerColibriTool } from '../../../src/server.ts';
import { startup } from '../../../src/startup.ts';

const [workspace = ''] = process.argv.slice(2);

const runtime = await startup({ workspace, env: {}, transport: 'stdio' });
registerColibriTool(
  runtime.ctx,
  'held',
  { title: 'held', description: 'Waits.', inputSchema: z.strictObject({ ms: z.number() }) },
  async ({ ms }, { request }) => {
    process.stderr.write('entered\n');
    try {
      await sleep(ms, undefined, request.signal === undefined ? {} : { signal: request.signal });
      return 'done';
    } catch (error) {
      process.stderr.write('gave up\n');
      throw error;
    }
  },
);
process.stderr.write('ready\n');
const stopped = new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()));
await Promise.race([stopped, runtime.closed]);
await runtime.close();
process.exit(0);
