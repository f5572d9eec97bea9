/** What a session keeps of the task that it is opened for. */
import type { SkillsService } from '../skills/service.ts';
import type { World } from './engine.ts';
import type { SessionOptions, SessionState } from './schema.ts';

/** Names that are kept: about as many as the shortest lines of a catalog of 8 000 tokens. */
const RANKED_MAX = 300;

/** Nothing without a task. The text itself is not kept: it may be private, and the ranking is all that is needed. */
export async function taskOptions(
  skills: Pick<SkillsService, 'generation' | 'search'>,
  worldOf: (state: Pick<SessionState, 'generation' | 'options'>) => World,
  { plain, task = '' }: { readonly plain: SessionOptions; readonly task?: string | undefined },
): Promise<Pick<SessionOptions, 'task'>> {
  if (task.trim() === '') return {};
  await skills.search.prepare();
  const world = worldOf({ generation: skills.generation(), options: plain });
  const winners = world.match(task, RANKED_MAX).hits.map(({ name }) => name);
  const others = world.search(task, RANKED_MAX).hits.map(({ name }) => name);
  return {
    task: { ranked: [...new Set([...winners, ...others])].slice(0, RANKED_MAX), winner: winners[0] ?? null },
  };
}
