/** Values of options beyond plain text. */
import { ColibriError } from '../../lib/errors.ts';
import { printable } from '../../lib/text.ts';
import type { Flags } from './command.ts';

/** A whole number within its limits, or undefined when the option was not given. */
export function wholeNumber(
  { values }: Flags,
  name: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  const text = values.get(name);
  if (text === undefined) return undefined;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  const message = `--${name} cannot be \`${printable(text)}\`; it is a whole number from ${min} to ${max}`;
  throw new ColibriError('USAGE', message, { [name]: text });
}
