/** Answers of tools that the command line calls. */
import { ColibriError } from '../../lib/errors.ts';
import type { Envelope } from '../../server.ts';

export type Answer = Extract<Envelope, { ok: true }>;

/** A refusal becomes the error that every other command would throw. */
export function requireAnswer(envelope: Envelope): Answer {
  if (envelope.ok) return envelope;
  throw new ColibriError(envelope.error.code, envelope.error.message, envelope.error.details);
}
