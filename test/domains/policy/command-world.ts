/** Runs the commands of policy and trust on a world's own services. */
import type { BootedRuntime, CommandContext, CommandModule } from '../../../src/surfaces/cli/command.ts';
import { createOutput } from '../../../src/surfaces/cli/output.ts';
import { recordedStream } from '../../surfaces/cli/harness.ts';
import type { PolicyWorld } from './policy-world.ts';

interface Line {
  readonly args?: readonly string[];
  readonly switches?: readonly string[];
  readonly values?: Readonly<Record<string, string>>;
  readonly terminal?: number;
}

/** Runs one command on the world's own services. */
export async function runCommand(world: PolicyWorld, run: CommandModule['run'], line: Line = {}) {
  const { args = [], switches = [], values = {}, terminal } = line;
  const [stdout, stderr] = [recordedStream(terminal), recordedStream(terminal)];
  const runtime: BootedRuntime = {
    ...world.runtime,
    policy: world.policy,
    close: async () => undefined,
  } as BootedRuntime;
  const host: CommandContext['host'] = {
    argv: [],
    env: {},
    stdout,
    stderr,
    cwd: world.workspace,
    version: '1',
    boot: async () => ({
      startup: async () => runtime,
      readSettings: () => Promise.reject(new Error('not used here')),
      recover: () => Promise.reject(new Error('not here')),
    }),
  };
  const out = createOutput({ streams: { stdout, stderr }, env: {}, noColor: true, quiet: false });
  const flags = { values: new Map(Object.entries(values)), switches: new Set(switches) };
  const code = await run({ args, flags, out, host, commands: [], globals: [] });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}
