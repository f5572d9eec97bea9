import { ColibriError, messageOf, systemCodeOf } from '../lib/errors.ts';

const UNWRITABLE = /^SQLITE_(?:CANTOPEN|READONLY|FULL|IOERR|PERM|AUTH|NOLFS)/;
const BUSY = /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/;
const CORRUPT = /^SQLITE_(?:CORRUPT|NOTADB)/;
const FILE_ERROR = /^E[A-Z0-9]+$/;

/** Gives an error of the driver its place in the table of codes; anything else comes back as it was. */
export function translateDbError(error: unknown, path: string): unknown {
  const code = error instanceof ColibriError ? undefined : systemCodeOf(error);
  if (code === undefined) return error;
  if (CORRUPT.test(code)) return corruptError(path, messageOf(error), { cause: error });
  if (UNWRITABLE.test(code)) return unwritableError(path, error);
  if (!BUSY.test(code)) return error;
  const message = `another process holds the database ${path} (${messageOf(error)}); wait for it to finish, then try again`;
  return new ColibriError('DB_BUSY', message, { path, cause: code }, { cause: error });
}

/** The same for work that touches the file itself, where an error of the file system is one of the database. */
export function translateFileError(error: unknown, path: string): unknown {
  const isFileError = !(error instanceof ColibriError) && FILE_ERROR.test(systemCodeOf(error) ?? '');
  return isFileError ? unwritableError(path, error) : translateDbError(error, path);
}

export function corruptError(path: string, reason: string, options?: ErrorOptions): ColibriError {
  const message = `the database ${path} is damaged (${reason}); it was left as it is: run \`colibri db recover\` to save what is readable`;
  return new ColibriError('DB_CORRUPT', message, { path, reason }, options);
}

function unwritableError(path: string, error: unknown): ColibriError {
  const message = `cannot open or write the database ${path} (${messageOf(error)}); check the path, its permissions and the free space`;
  return new ColibriError('DB_UNWRITABLE', message, { path, cause: systemCodeOf(error) }, { cause: error });
}
