/** The environment of a run: three fixed variables and what was granted by name; nothing of our own. */
import { ColibriError } from '../../../lib/errors.ts';

const GRANTS_MAX = 64;
const GRANT_BYTES_MAX = 32_768;

/** Variables that change which code an interpreter or the loader runs; a grant must not bring code. */
const STEERING =
  /^(?:LD_.*|DYLD_.*|GLIBC_.*|MALLOC_.*|GCONV_PATH|LOCPATH|PYTHON.*|NODE_.*|RUBY.*|GEM_.*|BUNDLE_.*|PERL.*|BASH.*|ENV|SHELLOPTS|PS4|IFS|CDPATH|PATH|HOME|LANG|PWD|COLIBRI_RUN)$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

export type Grants = Readonly<Record<string, string>>;

export function checkGrants(grants: Grants): void {
  const names = Object.keys(grants);
  if (names.length > GRANTS_MAX) throw refuse(`${names.length} variables are granted; ${GRANTS_MAX} at most`);
  for (const [name, value] of Object.entries(grants)) {
    if (!NAME.test(name)) throw refuse(`${JSON.stringify(name)} is no name of a variable`);
    if (STEERING.test(name)) throw refuse(`${name} cannot be granted: it decides which code runs`);
    if (value.includes('\0')) throw refuse(`the value of ${name} holds a NUL character; remove it`);
    if (Buffer.byteLength(value) > GRANT_BYTES_MAX) {
      throw refuse(`the value of ${name} is longer than ${GRANT_BYTES_MAX} bytes; use stdin or a file`);
    }
  }
}

export function environmentOf(home: string, grants: Grants): Readonly<Record<string, string>> {
  return { ...grants, PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, LANG: 'C.UTF-8' };
}

function refuse(message: string): ColibriError {
  return new ColibriError('SCRIPT_INVALID', message);
}
