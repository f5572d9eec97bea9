/** What a tool says of its beginning decides on how many times the disk is waited for. */
import { expect, test } from 'vitest';

import type { AuditEnter } from '../../../src/server.ts';
import { startup } from '../../../src/startup.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

test('tools that leave nothing but their own record begin and end in one commit; a script never begins unrecorded', async () => {
  const workspace = temporaryDirectory();
  writeSkill(`${workspace}/.agents/skills`, 'one');
  const entered: AuditEnter[] = [];
  const audit = { enter: (entry: AuditEnter) => void entered.push(entry), exit: () => undefined };
  const runtime = await startup({ workspace, home: workspace, env: {}, logger: () => undefined, audit });
  try {
    const { id } = await runtime.sessions.open();
    for (const [tool, input] of [
      ['skill_list', {}],
      ['skill_search', { query: 'one', session_id: id }],
      ['skill_get', { name: 'one', session_id: id }],
      ['skill_load', { name: 'one', session_id: id }],
      ['skill_run', { name: 'one', script: 'scripts/none.sh', session_id: id }],
    ] as const) {
      await runtime.ctx.tools.get(tool)?.call(input, { door: 'library' });
    }
    expect(entered.map(({ tool, start }) => [tool, start])).toEqual([
      ['skill_list', 'with-end'],
      ['skill_search', 'with-end'],
      ['skill_get', 'with-end'],
      ['skill_load', undefined],
      ['skill_run', 'durable'],
    ]);
  } finally {
    await runtime.close();
  }
});
