/** Every error code Colibri can answer with. docs/errors.md lists the same codes; a test holds the two together. */
export const ERROR_CODES = {
  INVALID_PARAMS: 'the arguments of a tool call do not fit its schema',
  HANDLER_ERROR: 'a tool failed while it ran',
  TOOL_LOCKED: 'the policy does not let this caller use this tool',
  TOOL_UNKNOWN: 'no tool of this name is registered',
  AUDIT_FAILED: 'a call could not be recorded, so its answer is withheld',
  NOT_READY: 'the server could not finish starting',
  SKILL_NOT_FOUND: 'no skill of this name is indexed',
  SKILLS_NOT_CONFIGURED: 'no root of skills is configured',
  SKILL_NOT_LOADED: 'a file was asked for before its skill was loaded',
  BUDGET_EXHAUSTED: 'a load would go past what the session may use',
  SESSION_NOT_FOUND: 'no open session has this id',
  SESSION_CLOSED: 'the session has ended',
  PATH_INVALID: 'a path is encoded, hidden or malformed',
  PATH_ABSOLUTE: 'a path is absolute where a relative one is wanted',
  PATH_OUTSIDE: 'a path leads out of the skill',
  LINK_OUTSIDE: 'a link leads out of the folder that may be written to',
  FILE_NOT_FOUND: 'a skill has no file of this name',
  FILE_IS_LINK: 'a file of a skill is a link',
  FILE_NOT_REGULAR: 'a file of a skill is a directory, pipe, socket or device',
  FILE_TOO_LARGE: 'a file is larger than may be read at once',
  ARTIFACT_DAMAGED: 'stored content does not match its digest',
  ARTIFACT_MISSING: 'stored content is gone',
  FILE_CHANGED: 'a file is not what it was when its skill was listed or loaded',
  SKILL_PROFILE_NOT_FOUND: 'no profile of skills has this name',
  SKILL_EXISTS: 'the name of a new skill is taken',
  PROPOSAL_INVALID: 'a proposed skill breaks a rule',
  PROPOSAL_LIMIT: 'too many proposals wait for a decision',
  PROPOSAL_NOT_FOUND: 'no proposal has this id',
  PROPOSAL_DECIDED: 'a proposal was decided already',
  PROPOSAL_STALE: 'a skill has changed since a change to it was proposed',
  PROPOSAL_BLOCKED: 'the security scan would block a proposed skill',
  SKILL_NOT_INVOCABLE: 'a skill is not meant to be invoked by people',
  POLICY_DENIED: 'the policy denies what was asked for on behalf of a skill',
  ASK_REQUIRED: 'a person has to say yes first',
  ASK_REFUSED: 'nobody has said yes',
  SANDBOX_MISSING: 'a script may only run in a sandbox, and there is none that holds',
  SCRIPT_INVALID: 'a script cannot be run: its path, its kind or a value given to it',
  INTERPRETER_MISSING: 'the program that runs this kind of script is not installed',
  RUN_LIMIT: 'a limit, an argument or the input of a run is out of range',
  SCRATCH_UNUSABLE: 'the folder for running scripts cannot be used safely',
  HTTP_NOT_FOUND: 'nothing is served under this address',
  HTTP_REFUSED: 'a request was refused before it reached a route',
  ROUND_NOT_FOUND: 'no round has this name or id',
  ROUND_DAMAGED: 'a round is not what was signed off',
  SYNC_BUSY: 'another process is changing the same skills root',
  SYNC_REFUSED: 'sync would have to write where it must not',
  TASK_NOT_FOUND: 'no task has this id or slug',
  TASK_TRANSITION: 'a task cannot take this step',
  TASK_CLOSED: 'the task is done or cancelled',
  POOL_EMPTY: 'no agent profile can take the task',
  AGENT_ENDED: 'the agent in whose name something is recorded has ended',
  LEASE_LOST: 'the work belongs to another supervisor by now',
  MERGE_REFUSED: 'the branch of a task cannot be merged',
  RUN_CANCELLED: 'the work is not wanted any more',
  AGENT_NOT_FOUND: 'no agent has this id',
  AGENT_TRANSITION: 'an agent cannot go from its state to that one',
  PROFILE_NOT_FOUND: 'no profile of agents has this name',
  PROFILE_INVALID: 'a profile of agents cannot be used as it is written',
  PROFILE_UNTRUSTED: 'nobody has vouched for the file of a profile',
  WRITE_FAILED: 'a file of a skill could not be written',
  ROOT_UNTRUSTED: 'a root outside of the workspace is named by a file that nobody has vouched for',
  ROOT_UNREADABLE: 'a skills root exists but cannot be read',
  DB_CORRUPT: 'the database file is damaged',
  DB_FOREIGN: 'the database was made by another program',
  DB_FUTURE: 'the database was written by a newer Colibri',
  DB_MIGRATION_CHANGED: 'a migration file differs from its locked hash',
  DB_MIGRATION_FAILED: 'a migration could not be applied',
  DB_CLOSED: 'the database was already closed',
  DB_HEALTHY: 'the database is not damaged, so there is nothing to recover',
  DB_BUSY: 'another process holds the database',
  DB_UNWRITABLE: 'the database file cannot be opened or written',
  SOURCE_INVALID: 'what was given cannot be a source of skills',
  SOURCE_REFUSED: 'the policy refuses a source, or nobody has said yes to it',
  SOURCE_UNREACHABLE: 'a source of skills cannot be fetched or read',
  ARCHIVE_REFUSED: 'an archive is damaged, hostile, too large, or not the one that was promised',
  SKILL_REFUSED: 'a skill may not be installed or published',
  SKILL_CHANGED: 'an installed skill was edited, so it is left alone',
  NOT_INSTALLED: 'no skill of this name was installed by Colibri',
  LOCK_INVALID: 'the lock file cannot be understood',
  LOCK_MISMATCH: 'what was found is not what the lock file pins',
  INSTALL_BUSY: 'another process is installing skills here',
  INSTALL_PLACE: 'the folder for installed skills cannot be used safely',
  CONFIG_INVALID: 'a setting has a value that cannot be used',
  USAGE: 'the command line could not be understood',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** An expected failure: a code from the table, a message that names the thing and says the fix, and facts for machines. */
export class ColibriError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    details?: Readonly<Record<string, unknown>>,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ColibriError';
    this.code = code;
    this.details = details;
  }
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` of a Node or SQLite error, for example `ENOENT`. */
export function systemCodeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
