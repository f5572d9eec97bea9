/** What a read costs must not grow with the registry, so no read of one skill or of one page may walk through a table. */
import path from 'node:path';

import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { currentGeneration } from '../../../src/domains/skills/generation-repository.ts';
import { findCommand, findCommands, findDetail } from '../../../src/domains/skills/registry-repository.ts';
import { getSkill } from '../../../src/domains/skills/repository.ts';
import { snapshotHead, snapshotSkill } from '../../../src/domains/skills/snapshot-repository.ts';
import { findSummaries, findSummary } from '../../../src/domains/skills/summary-repository.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { testSessions } from '../sessions/harness.ts';

type Read = (db: Database.Database) => unknown;

const READS: Readonly<Record<string, Read>> = {
  'one skill': (db) => findDetail(db, 'one'),
  'one skill by the contract': (db) => getSkill(db, 'one'),
  'one line of the list': (db) => findSummary(db, 'one'),
  'one command': (db) => findCommand(db, 'one'),
  'one skill of a session': (db) => snapshotSkill(db, currentGeneration(db), 'one'),
  'one line of a session': (db) => snapshotHead(db, currentGeneration(db), 'one'),
  'a page of the list': (db) => findSummaries(db, { after: 'a', limit: 50 }),
  'a page of the commands': (db) => findCommands(db, { after: 'a', limit: 50 }),
};

test.each(Object.entries(READS))('%s is found through indexes alone', async (_, read) => {
  const { workspace } = await testSessions({
    dbPath: 'plans.db',
    before: (root) => writeSkill(root, 'one', { body: 'First text.' }),
  });
  const asked: string[] = [];
  const db = new Database(path.join(workspace, 'plans.db'), { verbose: (sql) => asked.push(String(sql)) });
  onTestFinished(() => void db.close());
  expect(JSON.stringify(read(db))).toContain('one');
  const plans = asked.flatMap((sql) => planOf(db, sql));
  expect(plans).not.toEqual([]);
  expect(plans.filter(walksTable)).toEqual([]);
});

function planOf(db: Database.Database, sql: string): readonly string[] {
  const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { readonly detail: string }[];
  return steps.map(({ detail }) => detail);
}

/** Of the few roots all are looked at, but without the snapshots beside them, which are as large as the registry. */
function walksTable(step: string): boolean {
  return step.startsWith('SCAN') && step !== 'SCAN skill_roots USING COVERING INDEX idx_skill_roots_display';
}
