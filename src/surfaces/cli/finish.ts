import { EXIT, type ExitCode } from './command.ts';
import type { Output } from './output.ts';

/** Waits until everything is out; that it could not be written counts more than how the command went. */
export async function finish(out: Output, code: ExitCode): Promise<ExitCode> {
  const end = await out.flush();
  if (end.failure !== null) {
    out.error(`stdout could not be written: ${end.failure.message}`);
    return EXIT.failure;
  }
  return end.closed ? EXIT.ok : code;
}
