/** User-invocable skills as MCP prompts, so that hosts offer them as slash commands. */
import {
  type GetPromptResult,
  type ListPromptsResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';

import type { CustomCommand } from '../../domains/sessions/command-file.ts';
import type { CustomCommands } from '../../domains/sessions/custom-commands.ts';
import { substituteArguments } from '../../domains/skills/arguments.ts';
import type { SkillsService } from '../../domains/skills/service.ts';
import type { ColibriTool } from '../../server.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

const PAGE_PROMPTS = 100;
/** The one argument of a skill that declares none. */
const FREE_TEXT = 'arguments';

export interface PromptSources {
  readonly skills: SkillsService;
  readonly commands: CustomCommands;
  /** Records the command in the connection's session; absent where there is none. */
  readonly invoke?: ColibriTool | undefined;
}

type Described = Pick<CustomCommand, 'name' | 'description' | 'arguments' | 'argument_hint'>;

export function listPrompts(sources: PromptSources, cursor: string | undefined): ListPromptsResult {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const { commands, next } = sources.skills.commandPage({ after, limit: PAGE_PROMPTS });
  const own = customsBetween(sources, { after, until: next });
  const prompts = [...commands, ...own].sort((a, b) => (a.name < b.name ? -1 : 1)).map(promptOf);
  return next === null ? { prompts } : { prompts, nextCursor: encodeCursor(next) };
}

/** A command never hides a skill, also not one that only agents may use. */
function customsBetween(
  { skills, commands }: PromptSources,
  { after, until }: { readonly after: string | undefined; readonly until: string | null },
): readonly Described[] {
  return commands
    .list()
    .filter(
      ({ name }) =>
        (after === undefined || name > after) &&
        (until === null || name <= until) &&
        skills.get(name) === null,
    );
}

function promptOf(command: Described): Prompt {
  const names = command.arguments.length > 0 ? command.arguments : [FREE_TEXT];
  return {
    name: command.name,
    title: `/${command.name}`,
    description: command.description,
    arguments: names.map((name) => ({
      name,
      required: false,
      ...(command.argument_hint === null ? {} : { description: command.argument_hint }),
    })),
  };
}

export async function getPrompt(
  { skills, commands, invoke }: PromptSources,
  name: string,
  given: Readonly<Record<string, string>>,
): Promise<GetPromptResult> {
  const command = skills.command(name) ?? (skills.get(name) === null ? commands.find(name) : null);
  if (command === null) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `no skill can be invoked as ${JSON.stringify(name)}`,
    );
  }
  const declared = command.arguments;
  const givenFor = (name: string): string => (Object.hasOwn(given, name) ? (given[name] ?? '') : '');
  // Every declared argument gets a value: one left out must not take the word of the next.
  const named = Object.fromEntries(declared.map((name) => [name, givenFor(name)]));
  const text = declared.length > 0 ? declared.map(givenFor).join(' ').trim() : givenFor(FREE_TEXT);
  const recorded = await invokeInSession(invoke, { name, args: text, named });
  const body = recorded ?? substituteArguments(command.body, declared, { text, named });
  return {
    description: command.description,
    messages: [{ role: 'user', content: { type: 'text', text: body } }],
  };
}

/** A skill that is newer than the session, or a session that was closed: the person gets the text all the same. */
const BEYOND_SESSION: readonly string[] = ['SKILL_NOT_FOUND', 'SESSION_CLOSED'];

async function invokeInSession(
  tool: ColibriTool | undefined,
  input: { readonly name: string; readonly args: string; readonly named: Readonly<Record<string, string>> },
): Promise<string | null> {
  if (tool === undefined) return null;
  const envelope = await tool.call(input, { door: 'stdio' });
  if (envelope.ok) return envelope.text ?? '';
  if (BEYOND_SESSION.includes(envelope.error.code)) return null;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, envelope.error.message);
}
