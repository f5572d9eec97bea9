/** Runs a script in a process of its own, which tests can kill or give to another user. Prints the result as JSON. */
import { createScriptRuntime } from '../../../../src/domains/sessions/run/probe.ts';
import { type RunRequest, runScript } from '../../../../src/domains/sessions/run/run-script.ts';
import { cleanScratch } from '../../../../src/domains/sessions/run/scratch.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { createIds } from '../../../../src/lib/ids.ts';

export interface ChildOrder {
  readonly scratch: string;
  readonly request: RunRequest;
  /** Whom to become first; everything is loaded by then, so that user needs no way to our files. */
  readonly user: number | null;
}

const { scratch, request, user } = JSON.parse(process.argv[2] ?? '') as ChildOrder;
if (user !== null) {
  process.setgroups?.([]);
  process.setgid?.(user);
  process.setuid?.(user);
}
const runtime = createScriptRuntime({
  scratchRoot: scratch,
  clock: systemClock,
  ids: createIds(systemClock),
});
const { stdout, stderr, files, skipped, exitCode, stopped } = await runScript(request, runtime);
const text = { stdout: stdout.bytes.toString(), stderr: stderr.bytes.toString() };
const names = files.map((file) => file.path);
const result = { ...text, files: names, skipped, exitCode, stopped, cleaned: cleanScratch(scratch) };
process.stdout.write(`${JSON.stringify(result)}\n`);
