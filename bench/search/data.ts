/** The development set for search, read from a folder outside the project. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import type { SearchableSkill } from '../../src/domains/skills/search/document.ts';
import { REPOSITORY } from '../speed/measure.ts';

export interface BenchSkill extends SearchableSkill {
  readonly body: string;
  readonly id: string;
}

export interface BenchQuery {
  readonly id: string;
  /** `swe`: long task texts; `store`: short requests. */
  readonly set: 'swe' | 'store';
  readonly query: string;
  /** Names of the skills that answer it. */
  readonly relevant: ReadonlySet<string>;
}

export interface BenchData {
  readonly skills: readonly BenchSkill[];
  readonly dev: readonly BenchQuery[];
  readonly train: readonly BenchQuery[];
}

const CORPUS = 'corpus.open.jsonl';

/** Beside the project where it is developed; a clone alone has none. */
const ARCHIVE = path.resolve(REPOSITORY, '../shared/data/retrieval.tar.xz');

/** The folder is an argument or `COLIBRI_RETRIEVAL`; without either, the archive beside the project. */
export function requireBenchData(argument: string | undefined): BenchData {
  const folder = argument ?? process.env['COLIBRI_RETRIEVAL'];
  if (folder === undefined && existsSync(ARCHIVE)) return unpacked(ARCHIVE, readBenchData);
  if (folder === undefined || !existsSync(path.join(folder, CORPUS))) {
    const where = folder === undefined ? 'no folder was named' : `${folder} has no ${CORPUS}`;
    console.error(`this needs the development set: ${where}. Give the folder that holds ${CORPUS},`);
    console.error('queries.dev.jsonl and queries.train.jsonl as an argument or in COLIBRI_RETRIEVAL.');
    process.exit(2);
  }
  return readBenchData(folder);
}

function unpacked<T>(archive: string, read: (folder: string) => T): T {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'colibri-retrieval-'));
  try {
    execFileSync('tar', [
      '--extract',
      '--xz',
      '--strip-components=1',
      '--file',
      archive,
      '--directory',
      folder,
    ]);
    return read(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readBenchData(folder: string): BenchData {
  const skills = uniqueNames(readLines(path.join(folder, CORPUS)));
  const names = new Map(skills.map(({ id, name }) => [id, name]));
  const queries = (file: string): readonly BenchQuery[] =>
    readLines(path.join(folder, file)).map((line) => ({
      id: String(line['id']),
      set: line['set'] === 'skillstore' ? 'store' : 'swe',
      query: String(line['query']),
      relevant: new Set((line['relevant'] as string[]).flatMap((id) => names.get(id) ?? [])),
    }));
  return { skills, dev: queries('queries.dev.jsonl'), train: queries('queries.train.jsonl') };
}

/** A registry holds one skill of a name; the corpus has copies, which get a number. */
function uniqueNames(lines: readonly Record<string, unknown>[]): readonly BenchSkill[] {
  const taken = new Set<string>();
  return lines.map((line) => {
    const base = String(line['name'] ?? '') || 'unnamed';
    let name = base;
    for (let copy = 2; taken.has(name); copy++) name = `${base}-${copy}`;
    taken.add(name);
    return {
      id: String(line['id']),
      name,
      description: String(line['description'] ?? ''),
      triggers: [],
      body: String(line['body'] ?? ''),
    };
  });
}

function readLines(file: string): readonly Record<string, unknown>[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
