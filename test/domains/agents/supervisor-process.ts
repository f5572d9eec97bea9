/** A supervisor in a process of its own, to be killed: `supervisor-process.ts <base>`; it prints the agent's id when it works. */
import { openDatabase } from '../../../src/db/database.ts';
import { createAgentsService } from '../../../src/domains/agents/compose-service.ts';
import { createEventsService } from '../../../src/domains/events/service.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createIds } from '../../../src/lib/ids.ts';

const [base = ''] = process.argv.slice(2);
const db = openDatabase(`${base}/colibri.db`);
const ids = createIds(systemClock);
const agents = createAgentsService({
  db,
  events: createEventsService(db, { clock: systemClock, ids }),
  clock: systemClock,
  ids,
  logger: () => undefined,
  workspace: `${base}/work`,
  home: `${base}/home`,
  isTrusted: async () => true,
  env: { PATH: process.env['PATH'] },
  mcp: () => ({ command: 'true', args: [], env: {} }),
  permits: async () => true,
});
const { id } = await agents.allocate({ taskId: 'task-1', profile: 'worker', epoch: 1 });
await agents.supervise(
  {
    agentId: id,
    task: { id: 'task-1', slug: 'tidy-the-house', title: 'Tidy', description: '' },
    repo: `${base}/work`,
    baseRef: 'main',
    skills: [],
    requiredTools: [],
    writebackContract: null,
    contextSnapshot: null,
  },
  {
    guard: async () => undefined,
    drive: async (agent) => {
      await agent.runPhase('GATHER', null);
      process.stdout.write(`${id}\n`);
      await new Promise(() => undefined);
    },
    checkWriteback: async () => null,
  },
);
