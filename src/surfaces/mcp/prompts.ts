/** User-invocable skills as MCP prompts, so that hosts offer them as slash commands. */
import {
  type GetPromptResult,
  type ListPromptsResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';

import { substituteArguments } from '../../domains/skills/arguments.ts';
import type { SkillsService } from '../../domains/skills/service.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

const PAGE_PROMPTS = 100;
/** The one argument of a skill that declares none. */
const FREE_TEXT = 'arguments';

export function listPrompts(skills: SkillsService, cursor: string | undefined): ListPromptsResult {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const { commands, next } = skills.commandPage({ after, limit: PAGE_PROMPTS });
  const prompts = commands.map((command): Prompt => {
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
  });
  return next === null ? { prompts } : { prompts, nextCursor: encodeCursor(next) };
}

export function getPrompt(
  skills: SkillsService,
  name: string,
  given: Readonly<Record<string, string>>,
): GetPromptResult {
  const command = skills.command(name);
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
  const body = substituteArguments(command.body, declared, { text, named });
  return {
    description: command.description,
    messages: [{ role: 'user', content: { type: 'text', text: body } }],
  };
}
