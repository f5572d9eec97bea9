/** The part of the composition root that answers a waiting client before the rest of the program is loaded. */
import { readVersion } from './lib/version.ts';
import { loadSettings, type SettingsOptions } from './startup-settings.ts';
import { greetWaiting, type Pipes } from './surfaces/mcp/greeting.ts';
import type { RequestId } from './surfaces/mcp/raw-request.ts';

/** Throws what is wrong with the settings, so that nobody is greeted by a server that cannot start. */
export async function greetClient(options: SettingsOptions, pipes: Pipes): Promise<RequestId | null> {
  const { surface } = await loadSettings(options);
  return greetWaiting(pipes, { version: readVersion(), surface });
}
