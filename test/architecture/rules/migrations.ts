import { createHash } from 'node:crypto';
import path from 'node:path';

import type { Finding, Rule, Tree } from '../rule.ts';

const FOLDER = 'src/db/migrations';
const LOCK = `${FOLDER}/lock.json`;

/** Released migrations have run on somebody's data: they are numbered for good and never change. */
export const migrationsLocked: Rule = {
  name: 'migrations-locked',
  *check(tree) {
    const sql = [...tree.files.keys()]
      .filter((file) => path.posix.dirname(file) === FOLDER && file.endsWith('.sql'))
      .sort();
    yield* numbering(sql);
    if (sql.length > 0 || tree.files.has(LOCK)) yield* locking(tree, sql);
  },
};

function* numbering(files: readonly string[]): Generator<Finding> {
  for (const [index, file] of files.entries()) {
    const name = path.posix.basename(file);
    const number = /^(\d{3})_[a-z0-9_]+\.sql$/.exec(name)?.[1];
    if (number === undefined) {
      yield { file, message: 'is not named NNN_name.sql' };
    } else if (Number(number) !== index + 1) {
      yield { file, message: `has number ${number} where ${String(index + 1).padStart(3, '0')} is next` };
      // Every later number would be off as well; one finding says it.
      return;
    }
  }
}

function* locking(tree: Tree, files: readonly string[]): Generator<Finding> {
  const lock = new Map<string, unknown>(Object.entries(JSON.parse(tree.files.get(LOCK) ?? '{}')));
  for (const file of files) {
    const name = path.posix.basename(file);
    const locked = lock.get(name);
    lock.delete(name);
    const actual = createHash('sha256')
      .update(tree.files.get(file) ?? '')
      .digest('hex');
    if (locked === undefined) yield { file, message: `is missing from ${LOCK}; run npm run db:lock` };
    else if (locked !== actual)
      yield { file, message: 'was edited after it was locked; add a new migration' };
  }
  for (const name of lock.keys()) yield { file: LOCK, message: `locks ${name}, which does not exist` };
}
