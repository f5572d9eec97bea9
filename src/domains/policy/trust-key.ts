/**
 * The user's key that seals trust. The database usually lies in the workspace, and a workspace may come from anybody:
 * without the key, whoever prepared the database would decide what is trusted.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { ColibriError, messageOf, systemCodeOf } from '../../lib/errors.ts';

const KEY_RE = /^[0-9a-f]{64}$/;

export interface TrustKey {
  /** Null when there is none yet. */
  read(): string | null;
  /** Makes one when there is none. */
  require(): string;
}

/** `random` gives the hex digits of 32 random bytes. */
export function createTrustKey(home: string, random: () => string): TrustKey {
  const file = path.join(home, '.colibri', 'trust.key');
  const read = (): string | null => {
    try {
      const text = readFileSync(file, 'utf8').trim();
      return KEY_RE.test(text) ? text : null;
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return null;
    }
  };
  return {
    read,
    require() {
      const known = read();
      if (known !== null) return known;
      try {
        mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
        // Never over another: a second process may have made one a moment ago, and it may have sealed something.
        writeFileSync(file, `${random()}\n`, { flag: 'wx', mode: 0o600 });
      } catch (error) {
        if (systemCodeOf(error) !== 'EEXIST') throw unwritable(file, error);
      }
      const made = read();
      if (made === null) throw unwritable(file, new Error('it holds no key; remove it to get a new one'));
      return made;
    },
  };
}

function unwritable(file: string, error: unknown): ColibriError {
  const message = `the trust key ${file} cannot be used: ${messageOf(error)}`;
  return new ColibriError('CONFIG_INVALID', message, { file }, { cause: error });
}
