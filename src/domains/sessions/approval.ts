/** Whether a call may go on: by the policy, or by a person who was asked about exactly this call. Pure. */
import { sha256Hex } from '../../lib/digest.ts';
import { ColibriError } from '../../lib/errors.ts';
import { printable } from '../../lib/text.ts';
import { canonicalJson } from '../events/chain.ts';
import type { Decision } from '../policy/effective-tools.ts';
import type { Loaded } from './schema.ts';

export interface Answers {
  /** Whether there is anybody to ask. */
  readonly canAsk: boolean;
  /** What was answered, by the key of the question. */
  readonly answers: ReadonlyMap<string, boolean>;
}

/** Everything that a yes is given for; another argument is another question. */
export interface AskedRun {
  readonly session: string;
  readonly load: Pick<Loaded, 'digest' | 'files'>;
  readonly input: {
    readonly name: string;
    readonly script: string;
    readonly args: readonly string[];
    readonly stdin?: string | undefined;
    readonly timeout_ms?: number | undefined;
  };
}

/** Says whether a person was asked; throws unless the call may go on. Never a silent yes. */
export function approve(decision: Decision, run: AskedRun, { canAsk, answers }: Answers): boolean {
  const { effect, profile, rule, reason } = decision;
  const { name, script } = run.input;
  const because = `${rule === null ? '' : `rule ${rule} of `}profile ${profile}: ${reason}`;
  if (effect === 'allow') return false;
  if (effect === 'deny') {
    const message = `${name} may not run ${script}; ${because}`;
    throw new ColibriError('POLICY_DENIED', message, { name, script, rule });
  }
  const key = keyOf(run);
  const answer = answers.get(key);
  if (answer === true) return true;
  if (answer === false)
    throw new ColibriError('ASK_REFUSED', `a person refused that ${name} runs ${script}`, { name, script });
  if (!canAsk) {
    const message = `${name} may run ${script} only when a person says yes, and nobody can be asked here; ${because}`;
    throw new ColibriError('ASK_REFUSED', message, { name, script });
  }
  const question = questionOf(run, because);
  throw new ColibriError('ASK_REQUIRED', question, { key, question });
}

function keyOf({ session, load, input }: AskedRun): string {
  const { name, script, args, stdin = null } = input;
  const { digest, files } = load;
  return sha256Hex(canonicalJson({ tool: 'skill_run', session, name, digest, files, script, args, stdin }));
}

const SHOWN_CHARS = 500;

function questionOf({ input: { name, script, args, stdin } }: AskedRun, because: string): string {
  const line = [script, ...args.map((word) => JSON.stringify(word))].join(' ');
  const shown =
    line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}… (${line.length} characters)` : line;
  const given = stdin === undefined ? '' : ` with ${Buffer.byteLength(stdin)} bytes of input`;
  return printable(`may the skill ${name} run ${shown}${given}? (${because})`);
}
