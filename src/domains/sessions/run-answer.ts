/** What a run answers: a text for models, facts for programs, and everything it wrote as artifacts. Pure. */
import { printableBlock } from '../../lib/text.ts';
import type { Artifact } from './engine.ts';
import type { Captured } from './run/capture.ts';
import type { RunResult } from './run/run-script.ts';

export interface RunAnswer {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly artifacts: readonly Artifact[];
}

export function runAnswer(
  { name, script }: { readonly name: string; readonly script: string },
  result: RunResult,
  { asked }: { readonly asked: boolean },
): RunAnswer {
  const { stdout, stderr, files, skipped } = result;
  return {
    text: textOf(result),
    data: {
      name,
      script,
      exit_code: result.exitCode,
      signal: result.signal,
      stopped: result.stopped,
      timed_out: result.timedOut,
      truncated: result.truncated,
      asked,
      sandbox: result.sandbox,
      argv: result.argv,
      digests: result.digests,
      stdout: streamFacts(stdout),
      stderr: streamFacts(stderr),
      files: files.map(({ path, bytes, digest }) => ({ path, size: bytes.length, digest })),
      skipped,
    },
    artifacts: [stdout, stderr, ...files].map(({ digest, bytes }) => ({ digest, bytes })),
  };
}

function streamFacts({ digest, total, truncated }: Captured): object {
  return { digest, bytes: total, truncated };
}

/** stdout as it is; everything else only where there is something to say. */
function textOf({ stdout, stderr, exitCode, stopped, signal }: RunResult): string {
  const parts = [printableBlock(stdout.bytes.toString('utf8'))];
  if (stderr.total > 0) parts.push(`[stderr]\n${printableBlock(stderr.bytes.toString('utf8'))}`);
  if (stopped !== null) parts.push(`[ended by Colibri: ${stopped}]`);
  else if (signal !== null) parts.push(`[ended by ${signal}]`);
  else if (exitCode !== 0) parts.push(`[exit code ${exitCode}]`);
  return parts.filter((part) => part !== '').join('\n');
}
