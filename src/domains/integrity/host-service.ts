/** What each known host would see from the workspace. Reads the disk, not the index: hosts have rules of their own. */
import { ColibriError } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { nearest } from '../../lib/text.ts';
import { type HostDifference, hostDifferences } from './host-differences.ts';
import { findNested, readHostFolder, repositoryTop } from './host-disk.ts';
import { placesOf, type Standpoint } from './host-places.ts';
import { HOSTS, type HostId, type HostRule } from './host-rules.ts';
import { type HostFolder, type ReadPlace, type Sighting, viewHost } from './host-view.ts';

export interface HostReport {
  readonly id: HostId;
  readonly name: string;
  /** What its rules were read from. */
  readonly source: string;
  /** Who wins there when two skills have one name. */
  readonly precedence: string;
  /** In the host's order. */
  readonly folders: readonly HostFolderReport[];
  readonly skills: readonly Sighting[];
}

export interface HostFolderReport {
  /** As displayed. */
  readonly path: string;
  readonly scope: 'system' | 'user' | 'project';
  readonly exists: boolean;
  readonly fact: string;
}

export interface HostsReport {
  readonly hosts: readonly HostReport[];
  /** Between all hosts, also when one was asked for. */
  readonly differences: readonly HostDifference[];
}

export interface HostService {
  view(host?: string): Promise<HostsReport>;
}

export interface HostParts {
  readonly workspace: string;
  readonly home: string;
  readonly display: (absolute: string) => string;
  readonly logger: Logger;
}

export function createHostService({ workspace, home, display, logger }: HostParts): HostService {
  return {
    async view(host) {
      const wanted = host === undefined ? null : requireHost(host);
      const standpoint: Standpoint = {
        here: workspace,
        top: repositoryTop(workspace),
        home,
        nested: findNested(workspace, nestedSuffixes(), logger),
      };
      const places = new Map(HOSTS.map((rule) => [rule.id, placesOf(rule, standpoint)]));
      const folders = readFolders([...places.values()].flat(), logger);
      const all = HOSTS.map((rule) => reportOf(rule, places.get(rule.id) ?? [], { folders, display }));
      return {
        hosts: wanted === null ? all : all.filter(({ id }) => id === wanted),
        differences: hostDifferences(all),
      };
    },
  };
}

function requireHost(host: string): HostId {
  const ids = HOSTS.map(({ id }) => id);
  const found = ids.find((id) => id === host);
  if (found !== undefined) return found;
  const near = nearest(host, ids);
  const hint = near.length === 0 ? `known are ${ids.join(', ')}` : `did you mean ${near.join(', ')}?`;
  throw new ColibriError('USAGE', `no host named ${JSON.stringify(host)}; ${hint}`, { host, known: ids });
}

function nestedSuffixes(): readonly string[] {
  const nested = HOSTS.flatMap(({ places }) => places.filter(({ reach }) => reach === 'below'));
  return [...new Set(nested.map(({ path }) => path))];
}

/** Every folder that any host reads and that exists, each read once. */
function readFolders(places: readonly ReadPlace[], logger: Logger): ReadonlyMap<string, HostFolder> {
  const folders = new Map<string, HostFolder>();
  for (const { path } of places) {
    if (folders.has(path)) continue;
    const folder = readHostFolder(path, logger);
    if (folder !== null) folders.set(path, folder);
  }
  return folders;
}

function reportOf(
  rule: HostRule,
  places: readonly ReadPlace[],
  {
    folders,
    display,
  }: { readonly folders: ReadonlyMap<string, HostFolder>; readonly display: HostParts['display'] },
): HostReport {
  return {
    id: rule.id,
    name: rule.name,
    source: rule.source,
    precedence: rule.collisions.fact,
    folders: places.map(({ path, place }) => ({
      path: display(path),
      scope: place.scope,
      exists: folders.has(path),
      fact: place.fact,
    })),
    skills: viewHost(rule, places, folders).map((sighting) => displayed(sighting, display)),
  };
}

function displayed(sighting: Sighting, display: HostParts['display']): Sighting {
  const { path, folder, reason } = sighting;
  // The reason may name the copy that won.
  const words = reason.replace(/^\/\S+(?= wins: )/, (winner) => display(winner));
  return { ...sighting, path: display(path), folder: display(folder), reason: words };
}
