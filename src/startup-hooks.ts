/** The part of the composition root that runs the user's hooks. */
import type { Config } from './config.ts';
import { readHooks } from './domains/sessions/hook-file.ts';
import { type HooksParts, type RunningHooks, runHooks } from './domains/sessions/hooks-service.ts';

/** A file that cannot be used is said in the log and runs nothing; the server itself is not to blame. */
export function openHooks(
  parts: Omit<HooksParts, 'home'>,
  { home, workspace }: Config,
): Promise<RunningHooks> {
  const read = readHooks(home, workspace);
  if (!read.ok) parts.logger('[colibri] no hooks:', read.problem);
  return runHooks({ ...parts, home }, read.ok ? read.hooks : []);
}
