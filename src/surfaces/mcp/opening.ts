/**
 * The opening exchange of MCP. A client waits for its answer with everything else, and the SDK takes longer to load than
 * the rest of a start: where the request is one that the SDK would answer without a doubt, its answer is given here.
 */

import { hasOnly, isObject, type RawRequest, type RequestId, rawRequest } from './raw-request.ts';

/** What the server says of itself. */
export interface Introduction {
  readonly version: string;
  /** `phase-0` offers tools alone. */
  readonly surface: 'full' | 'phase-0';
}

export interface OpeningAnswer {
  readonly id: RequestId;
  /** The message, without the end of its line. */
  readonly text: string;
}

export const INSTRUCTIONS =
  'Colibri indexes the skills (SKILL.md folders) of this workspace. Call skill_list to see them; each entry names its folder.';

/** Without those that extensions of the SDK add by themselves. */
export function ownCapabilities({ surface }: Introduction): {
  tools: { listChanged: boolean };
  prompts?: { listChanged: boolean };
  resources?: { listChanged: boolean };
} {
  // Tools are registered before the first of them can be called, and stay.
  const tools = { listChanged: false };
  if (surface === 'phase-0') return { tools };
  return { tools, prompts: { listChanged: true }, resources: { listChanged: true } };
}

export function ownIdentity({ version }: Introduction): { name: string; title: string; version: string } {
  return { name: 'colibri', title: 'Colibri', version };
}

/** Null when the line is no plain request of these two: the SDK then has the first word, as it has every later one. */
export function openingAnswer(line: string, introduction: Introduction): OpeningAnswer | null {
  const request = rawRequest(line);
  if (request === null) return null;
  const { id, method, params } = request;
  const result = resultOf(method, params, introduction);
  return result === null ? null : { id, text: JSON.stringify({ result, jsonrpc: '2.0', id }) };
}

type Params = RawRequest['params'];

function resultOf(method: unknown, params: Params, introduction: Introduction): object | null {
  if (method === 'initialize') return initialized(params, introduction);
  return method === 'server/discover' ? discovered(params, introduction) : null;
}

/** How a client of the older protocols begins. */
function initialized(params: Params, introduction: Introduction): object | null {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (!hasOnly(params, PARAMS_MEMBERS) || !PROTOCOL_VERSIONS.includes(protocolVersion)) return null;
  if (!areCapabilities(capabilities) || !isIdentity(clientInfo)) return null;
  return {
    protocolVersion,
    capabilities: allCapabilities(introduction),
    serverInfo: ownIdentity(introduction),
    instructions: INSTRUCTIONS,
  };
}

/** How one of the protocol of 2026-07-28 does, which says with every request what the older ones say once. */
function discovered(params: Params, introduction: Introduction): object | null {
  const { _meta: meta } = params;
  if (!hasOnly(params, DISCOVER_MEMBERS) || !isObject(meta) || !hasOnly(meta, META_MEMBERS)) return null;
  if (meta[META.version] !== STATELESS_VERSION) return null;
  if (!areCapabilities(meta[META.capabilities]) || !isIdentity(meta[META.client])) return null;
  return {
    supportedVersions: [STATELESS_VERSION],
    capabilities: allCapabilities(introduction),
    instructions: INSTRUCTIONS,
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': ownIdentity(introduction) },
  };
}

const STATELESS_VERSION = '2026-07-28';
const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
} as const;

/** Of the SDK, those that begin with `initialize`. A client that asks for another is told by the SDK which it can have. */
const PROTOCOL_VERSIONS: readonly unknown[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];
const PARAMS_MEMBERS: ReadonlySet<string> = new Set(['protocolVersion', 'capabilities', 'clientInfo']);
const DISCOVER_MEMBERS: ReadonlySet<string> = new Set(['_meta']);
const META_MEMBERS: ReadonlySet<string> = new Set(Object.values(META));
const IDENTITY_MEMBERS: ReadonlySet<string> = new Set([
  'name',
  'title',
  'version',
  'websiteUrl',
  'description',
]);

function allCapabilities(introduction: Introduction): object {
  const own = ownCapabilities(introduction);
  if (introduction.surface === 'phase-0') return own;
  return { ...own, extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } } };
}

function isIdentity(value: unknown): boolean {
  if (!isObject(value) || !hasOnly(value, IDENTITY_MEMBERS)) return false;
  const texts = Object.values(value).every((each) => typeof each === 'string');
  return texts && 'name' in value && 'version' in value;
}

/** Maps of maps; the one switch among them is that of the roots. */
function areCapabilities(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(
    ([capability, settings]) =>
      isObject(settings) &&
      Object.entries(settings).every(([name, setting]) =>
        capability === 'roots' && name === 'listChanged' ? typeof setting === 'boolean' : isObject(setting),
      ),
  );
}
