/** Which program runs a script: decided by its extension, else by its first line, and only from this table. */
import { ColibriError } from '../../../lib/errors.ts';

export type InterpreterName = 'python3' | 'node' | 'sh' | 'bash' | 'ruby' | 'perl';

export interface Interpreter {
  readonly name: InterpreterName;
  /** What stands between the program and the script. */
  readonly flags: readonly string[];
}

const BY_EXTENSION: ReadonlyMap<string, InterpreterName> = new Map([
  ['py', 'python3'],
  ['js', 'node'],
  ['mjs', 'node'],
  ['cjs', 'node'],
  ['sh', 'sh'],
  ['bash', 'bash'],
  ['rb', 'ruby'],
  ['pl', 'perl'],
]);

const BY_PROGRAM: ReadonlyMap<string, InterpreterName> = new Map([
  ['python', 'python3'],
  ['python3', 'python3'],
  ['node', 'node'],
  ['nodejs', 'node'],
  ['sh', 'sh'],
  ['dash', 'sh'],
  ['bash', 'bash'],
  ['ruby', 'ruby'],
  ['perl', 'perl'],
]);

/** Isolated from the user's own modules and settings, and writing no bytecode. */
const FIXED_FLAGS: Readonly<Record<InterpreterName, readonly string[]>> = {
  python3: ['-I', '-B'],
  node: [],
  sh: [],
  bash: ['--noprofile', '--norc'],
  ruby: [],
  perl: [],
};

/** Looked for in this order; never through PATH, which a caller or a skill could bend. */
export const SYSTEM_FOLDERS: readonly string[] = ['/usr/bin', '/bin', '/usr/local/bin'];

export function chooseInterpreter(script: string, content: Uint8Array): Interpreter {
  const firstLine = firstLineOf(content);
  const shebang = readShebang(firstLine);
  const extension = /\.([^./]+)$/.exec(script)?.[1]?.toLowerCase();
  const byExtension = extension === undefined ? undefined : BY_EXTENSION.get(extension);
  const name = byExtension === undefined ? shebang?.name : refine(byExtension, shebang?.name);
  if (name === undefined) throw unknownKind(script, firstLine);
  const isShell = name === 'sh' || name === 'bash';
  if (firstLine.endsWith('\r') && (isShell || byExtension === undefined)) {
    throw new ColibriError('SCRIPT_INVALID', `${script} has Windows line ends; save it with LF`, { script });
  }
  return { name, flags: [...FIXED_FLAGS[name], ...(isShell ? (shebang?.shellFlags ?? []) : [])] };
}

interface Shebang {
  readonly name: InterpreterName | undefined;
  readonly shellFlags: readonly string[];
}

/** `#!/bin/bash -e`, `#!/usr/bin/env python3`: only the program's name counts, its folder does not. */
function readShebang(line: string): Shebang | null {
  if (!line.startsWith('#!')) return null;
  const words = line.slice(2).trim().split(/\s+/);
  if (words[0] === '/usr/bin/env' || words[0] === '/bin/env') words.shift();
  const [program = '', ...options] = words;
  const base = program.slice(program.lastIndexOf('/') + 1);
  // `-e`, `-u` and `-x` make a shell stricter or louder; dropping them would change what the script does.
  return { name: BY_PROGRAM.get(base), shellFlags: options.filter((option) => /^-[eux]+$/.test(option)) };
}

/** `.sh` says some shell; only the first line knows that it needs bash. */
function refine(byExtension: InterpreterName, said: InterpreterName | undefined): InterpreterName {
  return byExtension === 'sh' && said === 'bash' ? 'bash' : byExtension;
}

const FIRST_LINE_BYTES_MAX = 256;

function firstLineOf(content: Uint8Array): string {
  const head = Buffer.from(content.subarray(0, FIRST_LINE_BYTES_MAX)).toString('latin1');
  const end = head.indexOf('\n');
  return end === -1 ? head : head.slice(0, end);
}

function unknownKind(script: string, firstLine: string): ColibriError {
  const message = `${script} is of no kind that can be run; use .${[...BY_EXTENSION.keys()].join(', .')} or a first line that names ${[...BY_PROGRAM.keys()].join(', ')}`;
  return new ColibriError('SCRIPT_INVALID', message, { script, first_line: firstLine });
}
