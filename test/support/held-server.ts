/** A server whose second phase is held back until a file appears: `held-server.ts <workspace> <file> <thread|write>`. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { openDatabase } from '../../src/db/database.ts';
import { startup } from '../../src/startup.ts';

const [workspace = '', file = '', how = 'write'] = process.argv.slice(2);
const STEP_MS = 10;
const GIVE_UP_STEPS = 800;

/** Blocks the whole thread, as a large scan would. */
function holdThread(): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let step = 0; step < GIVE_UP_STEPS && !existsSync(file); step++) Atomics.wait(cell, 0, 0, STEP_MS);
}

async function holdWrite(): Promise<void> {
  for (let step = 0; step < GIVE_UP_STEPS && !existsSync(file); step++) await sleep(STEP_MS);
}

const runtime = await startup({
  workspace,
  transport: 'stdio',
  openDatabase: (path, options) => {
    if (how === 'thread') holdThread();
    const db = openDatabase(path, options);
    if (how === 'thread') return db;
    return {
      ...db,
      write: async (work) => {
        await holdWrite();
        return db.write(work);
      },
    };
  },
});
await runtime.closed;
await runtime.close();
process.exit(0);
