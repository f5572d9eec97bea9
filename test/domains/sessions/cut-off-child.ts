/** Opens a session, loads a skill and dies as soon as the load is in the database: `<workspace> <database> <skill>`. */
import path from 'node:path';

import { openDatabase } from '../../../src/db/database.ts';
import { startup } from '../../../src/startup.ts';

const [workspace = '', dbPath = '', name = ''] = process.argv.slice(2);
const runtime = await startup({
  workspace,
  dbPath,
  home: path.join(path.dirname(workspace), 'home'),
  env: {},
  logger: () => undefined,
  trace: true,
  openDatabase: (file, options) => {
    const db = openDatabase(file, options);
    return {
      ...db,
      async transact(work) {
        const result = await db.transact(work);
        if (db.handle.prepare('SELECT count(*) FROM session_loads').pluck().get() !== 0)
          process.kill(process.pid, 'SIGKILL');
        return result;
      },
    };
  },
});
const { id } = await runtime.sessions.open();
await new Promise((resolve) => process.send?.(id, resolve));
await runtime.ctx.tools.get('skill_load')?.call({ name, session_id: id }, { door: 'library' });
