import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';
import { withTasks } from '../task-id.ts';
import { followTasks, progressLine } from '../task-progress.ts';

const LANES_MAX = 64;

/** A second signal ends the process the hard way; whoever comes next finds what was left. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, host, out } = context;
  const lanes = wholeNumber(flags, 'lanes', { min: 1, max: LANES_MAX });
  const stopped = new Promise<void>((resolve) => host.onStopSignal?.(resolve));
  return withTasks(context, async (tasks, { events }) => {
    const follower = await followTasks(events, { tell: out.note });
    const worker = await tasks.work({
      lanes,
      onProgress: (task, progress) => {
        const line = progressLine(progress);
        if (line !== null) out.note(`${task.slice(-6)} ${line}`);
      },
    });
    out.note('working; stop with Ctrl+C');
    await Promise.race([stopped, ...(flags.switches.has('drain') ? [worker.drained()] : [])]);
    await worker.stop({ drainMs: 0 });
    await follower.end();
    return EXIT.ok;
  });
}
