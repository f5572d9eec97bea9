import type { FailCode } from './schema.ts';

/** Why a run cannot go on. It never leaves the domain: it becomes the agent's state and the outcome. */
export class RunFailure extends Error {
  readonly code: FailCode;

  constructor(code: FailCode, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = 'RunFailure';
    this.code = code;
  }
}
