/**
 * Where the text of a skill is: in its row if the contracted loader wrote that, else in `bodies` once a session may need
 * it, else only in the file. Never is a text handed out that does not have the digest of the row.
 */
import type Database from 'better-sqlite3';

import { sha256Hex } from '../../lib/digest.ts';
import { ColibriError } from '../../lib/errors.ts';
import { bodyOfFile } from './parse.ts';
import { prepared } from './prepared-repository.ts';
import { readSkillBytes } from './skill-file.ts';

/** What leads from a row to its text. */
export interface BodyPlace {
  readonly name: string;
  /** What the row itself holds. */
  readonly body: string;
  readonly digest: string;
  readonly root: string;
  readonly directory: string;
}

const KEEPS_BODIES = 'registry.bodies';
/** Rows looked at in one go while all texts are collected. */
const ROWS_AT_ONCE = 1000;

export function findBody(db: Database.Database, place: BodyPlace): string {
  if (place.body !== '') return place.body;
  const kept = prepared(db, 'SELECT body FROM bodies WHERE digest = ?').get(place.digest);
  if (kept !== undefined) return (kept as { body: string }).body;
  const roots = rootPlaces(db);
  // A row of no known root is not the registry's: its text is empty because somebody wrote it so.
  if (!roots.has(place.root)) return '';
  const body = readBody(place, roots);
  if (body !== null) return body;
  const message = `${place.directory}/SKILL.md is no longer what the index knows of ${place.name}; reload and ask again`;
  throw new ColibriError('FILE_CHANGED', message, { skill: place.name, path: `${place.directory}/SKILL.md` });
}

/** Whether scans keep the text of what they index. */
export function keepsBodies(db: Database.Database): boolean {
  return prepared(db, 'SELECT 1 FROM settings WHERE key = ?').get(KEEPS_BODIES) !== undefined;
}

export function putBody(db: Database.Database, digest: string, body: string): void {
  prepared(db, 'INSERT OR IGNORE INTO bodies (digest, body) VALUES (?, ?)').run(digest, body);
}

/**
 * Keeps the text of every skill from now on, so that one state of the catalog can be looked at for good.
 * Gives how many files have changed since they were indexed; the scan that has to follow keeps those.
 */
export function keepBodies(db: Database.Database): number {
  const keep = db.transaction(() => {
    prepared(
      db,
      `INSERT OR IGNORE INTO settings (key, value, updated_at) VALUES (?, '1', strftime('%Y-%m-%dT%H:%M:%fZ'))`,
    ).run(KEEPS_BODIES);
    const roots = rootPlaces(db);
    let changed = 0;
    let after = '';
    for (let rows = rowsWithoutBody(db, after); rows.length > 0; rows = rowsWithoutBody(db, after)) {
      for (const row of rows) {
        const body = readBody(row, roots);
        if (body === null) changed++;
        else putBody(db, row.digest, body);
        after = row.name;
      }
    }
    return changed;
  });
  return keep.immediate();
}

function rowsWithoutBody(db: Database.Database, after: string): readonly BodyPlace[] {
  const sql = `SELECT name, body, digest, root, directory FROM skills
    WHERE name > ? AND body = '' AND root IN (SELECT display FROM skill_roots)
    AND NOT EXISTS (SELECT 1 FROM bodies WHERE bodies.digest = skills.digest)
    ORDER BY name LIMIT ?`;
  return prepared(db, sql).all(after, ROWS_AT_ONCE) as BodyPlace[];
}

/** Displayed roots and where they are. */
function rootPlaces(db: Database.Database): ReadonlyMap<string, string> {
  const rows = prepared(db, 'SELECT display, path FROM skill_roots').all() as {
    display: string;
    path: string;
  }[];
  return new Map(rows.map(({ display, path }) => [display, path]));
}

/** Null when the file is gone, closed, or has another content than the row. */
function readBody({ root, directory, digest }: BodyPlace, roots: ReadonlyMap<string, string>): string | null {
  const file = `${roots.get(root)}${directory.slice(root.length)}/SKILL.md`;
  const read = readSkillBytes(file, { allowedRoots: [...roots.values()] });
  if (!read.ok || sha256Hex(read.bytes) !== digest) return null;
  return bodyOfFile(read.bytes);
}
