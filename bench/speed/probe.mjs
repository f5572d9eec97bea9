// Runs one piece of work in a process of its own and prints what it took, as JSON. Plain JavaScript on the built package:
// a loader would be measured with it.
import { appendFileSync, closeSync, openSync, readdirSync, readSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';

const [work, optionsText] = process.argv.slice(2);
const options = JSON.parse(optionsText);
const root = path.join(options.workspace, '.agents', 'skills');
const away = path.join(options.workspace, 'away');

const READ_ROUNDS = 8;
const SEARCH_ROUNDS = 8;

const works = { read, stat, scan, rescan, changed, sdk, reads, search };
const result = await works[work]();
console.log(JSON.stringify({ ...result, rssMb: process.resourceUsage().maxRSS / 1024 }));

function read() {
  const names = readdirSync(root);
  readAll(names);
  return measure(() => readAll(names));
}

function stat() {
  const names = readdirSync(root);
  readAll(names);
  return measure(() => {
    for (const name of names) statSync(`${root}/${name}/SKILL.md`, { throwIfNoEntry: false });
  });
}

/** The skills appear after the start, so that the start is not measured with their first scan. */
async function scan() {
  readAll(readdirSync(root));
  renameSync(root, away);
  const colibri = await open();
  renameSync(away, root);
  await settled();
  return closing(colibri, await measure(() => colibri.skills.reload()));
}

async function rescan() {
  readAll(readdirSync(root));
  const colibri = await open();
  await settled();
  return closing(colibri, await measure(() => colibri.skills.reload()));
}

/** Like a scan that finds nothing, one of a registry that has done the same before: its start scanned, and one edit went ahead. */
async function changed() {
  const colibri = await open();
  const names = readdirSync(root);
  await edit(names, 50);
  await colibri.skills.reload();
  await edit(names, 0);
  readAll(names);
  return closing(colibri, await measure(() => colibri.skills.reload()));
}

/** One of a hundred. Most edits are to the text, not to the frontmatter. */
async function edit(names, from) {
  for (let index = from; index < names.length; index += 100)
    appendFileSync(`${root}/${names[index]}/SKILL.md`, 'Edited.\n');
  await settled();
}

async function sdk() {
  const { loadSkills } = await import('@modelcontextprotocol/server/ext/skills/node');
  readAll(readdirSync(root));
  let skills;
  const load = await measure(async () => {
    skills = await loadSkills(root);
  });
  readAll(readdirSync(root));
  const reload = await measure(() => skills.reload());
  return { ...load, reloadCpuMs: reload.cpuMs };
}

/** Many at once, because one is too short to be seen; the names are spread over all. The best round counts, as with searches. */
async function reads() {
  const { skills, close } = await open();
  const names = readdirSync(root);
  const picked = Array.from({ length: 400 }, (_, index) => names[Math.floor((index * names.length) / 400)]);
  const microseconds = async (read) => {
    const rounds = [];
    for (let count = 0; count < READ_ROUNDS; count++) {
      const { cpuMs } = await measure(() => {
        for (const name of picked) read(name);
      });
      rounds.push((cpuMs * 1000) / picked.length);
    }
    return Math.min(...rounds);
  };
  const getUs = await microseconds((name) => skills.get(name));
  const pageUs = await microseconds((after) => skills.list({ after, limit: 50 }));
  return closing({ close }, { getUs, pageUs });
}

/** Of a registry whose texts are indexed; that happens in the background and is not what a search takes. */
async function search() {
  const { startup } = await import(options.library.replace('library.js', 'startup.js'));
  const { workspace, home, database: dbPath } = options;
  const runtime = await startup({ workspace, home, dbPath, logger: () => undefined, exit: () => undefined });
  const { skills } = runtime;
  await skills.search.indexAll();
  const generation = skills.generation();
  // Each query at its best: what is compiled in the first rounds, and what others do to the machine, only ever adds.
  const times = options.queries.map(() => Number.POSITIVE_INFINITY);
  for (let count = 0; count < SEARCH_ROUNDS; count++) {
    for (const [at, query] of options.queries.entries()) {
      const began = performance.now();
      skills.search.search(query, { generation, limit: 10 });
      times[at] = Math.min(times[at], performance.now() - began);
    }
  }
  const call = { query: options.queries[0], limit: 10 };
  const { text } = await runtime.ctx.tools.get('skill_search').call(call, { door: 'library' });
  times.sort((a, b) => a - b);
  const p95Ms = times[Math.floor(times.length * 0.95)];
  return closing(runtime, { p95Ms, bytes: Buffer.byteLength(text) });
}

async function open() {
  const { openColibri } = await import(options.library);
  const { workspace, home, database } = options;
  return openColibri({ workspace, home, dbPath: database });
}

/** What V8 still compiles of the start is done, and files are older than what a scan takes for perhaps still changing. */
function settled() {
  return new Promise((resolve) => setTimeout(resolve, 200));
}

async function closing(colibri, result) {
  await colibri.close();
  return result;
}

async function measure(work) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() - began };
}

function readAll(names) {
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  for (const name of names) {
    const file = openSync(`${root}/${name}/SKILL.md`);
    readSync(file, buffer, 0, buffer.length, null);
    closeSync(file);
  }
}
