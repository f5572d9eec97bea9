/** A task as the flags of a command describe it. */
import type { TaskRequest } from '../../domains/tasks/requests.ts';
import { ColibriError } from '../../lib/errors.ts';
import { printable } from '../../lib/text.ts';
import type { Flags } from './command.ts';

export function requestOf(title: string, { values }: Flags): TaskRequest {
  return {
    title,
    description: values.get('description'),
    profile: values.get('agent'),
    repo: values.get('repo'),
    base_ref: values.get('base'),
    required_skills: listOf(values.get('skill')),
    required_tools: listOf(values.get('tool')),
    // The table of commands allows these words and no other.
    agent_tier: values.get('tier') as TaskRequest['agent_tier'],
    pool: values.get('pool') as TaskRequest['pool'],
    strategy: values.get('strategy') as TaskRequest['strategy'],
    priority: signedNumber(values.get('priority')),
  };
}

function listOf(text: string | undefined): readonly string[] | undefined {
  return text?.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}

function signedNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^-?\d{1,4}$/.test(text)) return Number(text);
  const message = `--priority cannot be \`${printable(text)}\`; it is a whole number from -1000 to 1000`;
  throw new ColibriError('USAGE', message, { priority: text });
}
