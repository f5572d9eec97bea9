// Waits for a line, then opens the database and loads the skills: `load-child.mjs <dist> <database> <root>`.
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';

const [dist, database, root] = process.argv.slice(2);
const built = (file) => import(pathToFileURL(`${dist}/${file}`).href);
const { initDb } = await built('db/open.js');
const { loadSkillsFromDisk } = await built('domains/skills/repository.js');

process.stdout.write('ready\n');
await once(process.stdin, 'data');
const db = initDb(database, { check: 'none' });
const result = loadSkillsFromDisk(db, root, () => undefined, { workspace: root });
process.stdout.write(`loaded ${result.loaded}\n`);
db.close();
process.exit(0);
