/** Puts what an agent of the Agent Client Protocol asks leave for into the words of the policy. Pure. */
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';

import type { PermissionRequest } from './driver.ts';

type ToolCall = RequestPermissionRequest['toolCall'];
type Option = RequestPermissionRequest['options'][number];

const TOOLS: Readonly<Record<string, string>> = {
  read: 'Read',
  search: 'Grep',
  edit: 'Edit',
  delete: 'Edit',
  move: 'Edit',
  execute: 'Bash',
  fetch: 'WebFetch',
};

const READING: ReadonlySet<string> = new Set(['read', 'search', 'fetch', 'think']);

export function permissionOf({ kind, title, rawInput, locations }: ToolCall): PermissionRequest {
  const known = kind ?? 'other';
  const paths = (locations ?? []).map(({ path }) => path);
  return {
    tool: TOOLS[known] ?? title ?? 'other',
    argument: known === 'execute' ? commandOf(rawInput, title ?? null) : (paths[0] ?? null),
    // What is not known to be harmless counts as writing.
    writes: !READING.has(known),
    paths,
  };
}

/** Once only: what was right for this call says nothing about the next. Null when the agent offers no such answer. */
export function answerOf(options: readonly Option[], allowed: boolean): string | null {
  const wanted = allowed ? 'allow_once' : 'reject_once';
  return options.find(({ kind }) => kind === wanted)?.optionId ?? null;
}

function commandOf(rawInput: unknown, title: string | null): string | null {
  if (typeof rawInput !== 'object' || rawInput === null || !('command' in rawInput)) return title;
  const { command } = rawInput;
  if (typeof command === 'string') return command;
  return Array.isArray(command) ? command.map(String).join(' ') : title;
}
