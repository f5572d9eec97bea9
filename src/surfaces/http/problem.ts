/** Failures as `application/problem+json` (RFC 9457), with Colibri's own code beside the status. */
import { z } from 'zod';

import { ColibriError, ERROR_CODES, type ErrorCode } from '../../lib/errors.ts';

export const PROBLEM_TYPE = 'application/problem+json';

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
}

export const PROBLEM_SCHEMA: z.ZodType<Problem> = z
  .object({
    type: z.string().describe('names the kind of problem'),
    title: z.string().describe('what the code means'),
    status: z.int(),
    detail: z.string().describe('what went wrong, and how to mend it'),
    // A new code must not break a client that was generated before it.
    code: z.string().describe('one of docs/errors.md') as unknown as z.ZodType<ErrorCode>,
  })
  .meta({ id: 'Problem' });

/** What an error is over HTTP; whatever is not here is the server's own fault. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  INVALID_PARAMS: 400,
  USAGE: 400,
  PATH_INVALID: 400,
  PATH_ABSOLUTE: 400,
  PATH_OUTSIDE: 400,
  POLICY_DENIED: 403,
  TOOL_LOCKED: 403,
  SKILL_NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  TASK_NOT_FOUND: 404,
  AGENT_NOT_FOUND: 404,
  PROFILE_NOT_FOUND: 404,
  ROUND_NOT_FOUND: 404,
  PROPOSAL_NOT_FOUND: 404,
  SKILL_PROFILE_NOT_FOUND: 404,
  FILE_NOT_FOUND: 404,
  FILE_IS_LINK: 404,
  FILE_NOT_REGULAR: 404,
  HTTP_NOT_FOUND: 404,
  SESSION_CLOSED: 409,
  FILE_CHANGED: 409,
  FILE_TOO_LARGE: 413,
  NOT_READY: 503,
  DB_BUSY: 503,
  ROOT_UNREADABLE: 503,
  CONFIG_INVALID: 503,
  INSTALL_BUSY: 503,
  LOCK_INVALID: 503,
};

export function problemOf(code: ErrorCode, detail: string, status: number = STATUS[code] ?? 500): Problem {
  return { type: `urn:colibri:${code}`, title: ERROR_CODES[code], status, detail, code };
}

/** Null when the failure is none that a caller can do anything about. */
export function problemOfError(error: unknown): Problem | null {
  if (!(error instanceof ColibriError)) return null;
  const problem = problemOf(error.code, error.message);
  return problem.status === 500 ? null : problem;
}

/** Where a machine keeps its files is nobody's business over HTTP. */
export function withoutPaths(
  text: string,
  { workspace, home }: { readonly workspace: string; readonly home: string },
): string {
  return text.replaceAll(workspace, '.').replaceAll(home, '~');
}
