/** Which session the user means. */
import { ColibriError } from '../../lib/errors.ts';
import { nearest } from '../../lib/text.ts';
import type { BootedRuntime } from './command.ts';

type Sessions = Pick<BootedRuntime, 'sessions'>;

/** Nobody copies a 26-character id by hand to look at what has just happened. */
const NEWEST = 'last';
/** Sessions among which a mistyped id is looked for. */
const CANDIDATES = 500;

/** The record of the session with this id, or of the newest one for `last`. */
export async function requireSession(
  { sessions }: Sessions,
  typed: string,
): ReturnType<BootedRuntime['sessions']['get']> {
  const wanted = typed === NEWEST ? (await sessions.list(1))[0]?.id : typed;
  if (wanted === undefined) {
    const message = 'no session is recorded yet; `colibri serve` or the library opens them';
    throw new ColibriError('SESSION_NOT_FOUND', message, { id: typed });
  }
  try {
    return await sessions.get(wanted);
  } catch (error) {
    if (!(error instanceof ColibriError) || error.code !== 'SESSION_NOT_FOUND') throw error;
    throw notFound(typed, await sessions.list(CANDIDATES));
  }
}

function notFound(typed: string, known: readonly { readonly id: string }[]): ColibriError {
  const near = nearest(
    typed,
    known.map(({ id }) => id),
  );
  const hint = near.length === 0 ? '`colibri session list` shows them' : `did you mean ${near.join(', ')}?`;
  const message = `no session ${JSON.stringify(typed)}; ${hint}`;
  return new ColibriError('SESSION_NOT_FOUND', message, { id: typed, nearest: near });
}
