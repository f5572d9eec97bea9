// A client that opens sessions and loads skills until it is killed: `session-child.mjs <dist> <workspace> <database>`.
// It says what it was promised, one line per answer, only after it has the answer.
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [dist, workspace, dbPath] = process.argv.slice(2);
const { openColibri } = await import(pathToFileURL(`${dist}/library.js`).href);
const say = (...words) => writeSync(1, `${words.join(' ')}\n`);

const colibri = await openColibri({ workspace, home: workspace, dbPath });
say('ready');
await once(process.stdin, 'data');
for (let round = 0; ; round++) {
  const session = await colibri.sessions.open();
  say('opened', session.id);
  const calls = [
    ['skill_load', { name: 'one' }],
    ['skill_read', { name: 'one', path: 'a.md' }],
    ['skill_load', { name: 'two' }],
    ['skill_load', { name: 'nobody' }],
    ['skill_load', { name: 'three' }],
    ['skill_load', { name: 'four' }],
  ];
  for (const [index, [name, input]] of calls.entries()) {
    const id = `${process.pid}-${round}-${index}`;
    const { text } = await session.handleToolCall({ id, name, input });
    say('answered', session.id, text.startsWith('# Skill: ') ? id : '-');
  }
  if (round % 2 === 0) {
    await session.close();
    say('closed', session.id);
  }
}
