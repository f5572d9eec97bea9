/** The doors that a server opens. */
import { setImmediate } from 'node:timers/promises';

import type { Config } from './config.ts';
import type { PublishService } from './domains/integrity/publish/service.ts';
import type { CustomCommands } from './domains/sessions/custom-commands.ts';
import { offerOnly } from './domains/skills/offered.ts';
import type { SkillsService } from './domains/skills/service.ts';
import { type HttpEndpoint, openHttpDoor } from './lib/http-door.ts';
import { readVersion } from './lib/version.ts';
import type { ColibriServerContext } from './server.ts';
import { createOffered } from './startup-care.ts';
import type { ApiServices } from './surfaces/http/services.ts';
import type { RequestId } from './surfaces/mcp/raw-request.ts';

/** `http` is MCP alone, `up` is MCP, the API and the page on one server. */
export type Transport = 'none' | 'stdio' | 'http' | 'up';

export interface Door {
  /** Where MCP is; null on stdio. */
  readonly url: string | null;
  readonly closed: Promise<void>;
  catalogChanged(): void;
  close(): Promise<void>;
}

interface DoorParts {
  readonly transport: Transport;
  readonly ready: Promise<ApiServices & { readonly publish: PublishService }>;
  readonly commands: CustomCommands;
  /** The opening request that was answered before; null: none. */
  readonly greeted: RequestId | null;
}

// The doors are imported here and not above: the command line must not pay for the MCP SDK.
export async function openDoor(
  ctx: ColibriServerContext,
  config: Config,
  { transport, ready, commands, greeted }: DoorParts,
): Promise<Door | null> {
  if (transport === 'none') return null;
  const skills = ready.then((services) => services.skills);
  // Whoever waits for it hears of a failed start; that nobody does must not count as an unhandled rejection.
  skills.catch(() => undefined);
  const offered = async () => offeredSkills(await ready, config);
  const options = { version: readVersion(), surface: config.surface, ready: skills, offered, commands };
  if (transport === 'stdio') {
    const { openStdio } = await import('./surfaces/mcp/stdio.ts');
    return { ...openStdio(ctx, { ...options, greeted }), url: null };
  }
  const { createMcpEndpoint } = await import('./surfaces/mcp/http.ts');
  const mcp = createMcpEndpoint(ctx, options);
  const others = transport === 'up' ? await openApi(ctx, config, { version: options.version, ready }) : [];
  const { createPublishedEndpoint } = await import('./surfaces/well-known/endpoint.ts');
  const door = await openHttpDoor([createPublishedEndpoint(ready), mcp, ...others], {
    ...config.http,
    logger: ctx.logger,
  });
  return {
    url: `${door.origin}${mcp.path}`,
    // Clients come and go on HTTP; only a signal ends the server.
    closed: new Promise<void>(() => undefined),
    catalogChanged: mcp.catalogChanged,
    close: door.close,
  };
}

async function openApi(
  ctx: ColibriServerContext,
  config: Config,
  { version, ready }: { readonly version: string; readonly ready: Promise<ApiServices> },
): Promise<readonly HttpEndpoint[]> {
  const { createApiEndpoint } = await import('./surfaces/http/endpoint.ts');
  return [createApiEndpoint({ version, ready, config, logger: ctx.logger, clock: ctx.clock })];
}

/** What clients may see: all, or what somebody vouched for. */
async function offeredSkills({ skills, policy }: ApiServices, config: Config): Promise<SkillsService> {
  const offered = await createOffered({ config, skills, policy })();
  return offered === null ? skills : offerOnly(skills, offered);
}

// One turn of the event loop starts the reading, the next one reads and answers; the others are to spare.
const ANSWER_TURNS = 4;

/** Answers what is in the pipe already. Without it, `initialize` would wait for the scan, which blocks the thread. */
export async function letDoorAnswer(): Promise<void> {
  for (let turn = 0; turn < ANSWER_TURNS; turn++) await setImmediate();
}
