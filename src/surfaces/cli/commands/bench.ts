import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { type Measured, measureRegistry } from '../../../domains/skills/measure.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { debugLogger, placesOf } from '../runtime.ts';
import { rowLines } from '../table.ts';

/** On a database of its own, so that nothing of the workspace's is touched. */
export async function run(context: CommandContext): Promise<ExitCode> {
  const { flags, host, out } = context;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'colibri-bench-'));
  try {
    const { startup } = await host.boot();
    const runtime = await startup({
      ...placesOf(context),
      dbPath: path.join(folder, 'bench.db'),
      logger: debugLogger(host),
      transport: 'none',
      exit: () => undefined,
    });
    try {
      const { skills, ctx, elapsedMs: firstMs } = runtime;
      const measured = await measureRegistry({ skills, clock: ctx.clock, firstMs });
      if (flags.switches.has('json')) out.json({ skills: skills.counts().skills, measured });
      else out.lines(rowLines({ header: ['WHAT', 'TIME', 'FLOOR', 'RATIO'], rows: measured.map(row) }, out));
      if (skills.counts().skills === 0) out.note('there are no skills here, so there was little to measure');
    } finally {
      await runtime.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return EXIT.ok;
}

function row({ what, ms, floor }: Measured): readonly string[] {
  if (floor === null) return [what, duration(ms), '-', '-'];
  return [what, duration(ms), `${duration(floor.ms)} (${floor.what})`, `${(ms / floor.ms).toFixed(1)}x`];
}

const MICROSECONDS = 1_000;

function duration(ms: number): string {
  return ms < 1 ? `${(ms * MICROSECONDS).toFixed(0)} µs` : `${ms.toFixed(1)} ms`;
}
