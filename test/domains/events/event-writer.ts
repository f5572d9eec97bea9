/** Appends events from a process of its own: `event-writer.ts <database> <count>`. */
import { openDatabase } from '../../../src/db/database.ts';
import { createEventsService } from '../../../src/domains/events/service.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createIds } from '../../../src/lib/ids.ts';

const [file = '', count = '1'] = process.argv.slice(2);
const db = openDatabase(file);
const events = createEventsService(db, { clock: systemClock, ids: createIds(systemClock) });
for (let index = 0; index < Number(count); index++) {
  await db.transact((transaction) =>
    events.append(transaction, [
      {
        type: 'skill.warning',
        stream: 'catalog',
        actor: 'other',
        sensitivity: 'private',
        payload: { kind: 'scan-aborted', detail: { root: 'r', reason: String(index) } },
      },
    ]),
  );
}
await db.close();
