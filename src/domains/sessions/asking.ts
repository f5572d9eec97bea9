/** A tool call whose question, if it has one, is put to a person. */
import type { ColibriTool, Envelope, ToolRequest } from '../../server.ts';

export type Ask = (question: string) => Promise<boolean>;

/** One question at most: the key of the answer fits this very call alone. Without `ask` what has to be asked is refused. */
export async function callAsking(
  tool: ColibriTool,
  input: unknown,
  { request, ask }: { readonly request: ToolRequest; readonly ask: Ask | undefined },
): Promise<Envelope> {
  const first = await tool.call(input, { ...request, canAsk: ask !== undefined });
  if (first.ok || first.error.code !== 'ASK_REQUIRED' || ask === undefined) return first;
  const { key, question } = first.error.details ?? {};
  const answers = new Map([[String(key), (await ask(String(question))) === true]]);
  return tool.call(input, { ...request, canAsk: false, answers });
}
