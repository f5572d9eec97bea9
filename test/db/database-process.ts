/** A process of its own that opens, writes or recovers a database; tests start it to race it or to kill it. */
import { writeSync } from 'node:fs';

import { initDb } from '../../src/db/open.ts';
import { recoverDatabase } from '../../src/db/recover.ts';
import { audit } from './temporary-database-rows.ts';

const [verb = '', path = '', extra = ''] = process.argv.slice(2);

if (verb === 'open') {
  initDb(path, extra === '' ? {} : { migrationsDirectory: extra }).close();
} else if (verb === 'write') {
  const handle = initDb(path);
  for (let n = Number(extra); ; n++) {
    audit(handle, n);
    writeSync(1, `${n}\n`);
  }
} else if (verb === 'recover') {
  writeSync(1, 'start\n');
  recoverDatabase(path, new Date('2026-02-03T04:05:06.789Z'));
} else {
  throw new Error(`unknown verb: ${verb}`);
}
