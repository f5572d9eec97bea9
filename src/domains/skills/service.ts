/** The skill registry (ε): what the doors may ask of it. */
import path from 'node:path';

import type { ColibriDatabase } from '../../db/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { ColibriError, messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { readRegularFile } from '../../lib/regular-file.ts';
import { nearest } from '../../lib/text.ts';
import type { EventLog } from '../events/schema.ts';
import { keepBodies, keepsBodies } from './body-repository.ts';
import { currentGeneration } from './generation-repository.ts';
import { findOverview, type OverviewPage, type SkillOverview } from './overview-repository.ts';
import { createPublication, type Publication, type PublishedSkill } from './publication.ts';
import {
  findAliases,
  findCommand,
  findCommands,
  findDetail,
  findRecords,
  findRejections,
  findShadowed,
  type SkillCommand,
  type SkillDetail,
  type StoredRecords,
} from './registry-repository.ts';
import type { SkillRoot } from './scan/roots.ts';
import type { RejectedSkill, ShadowedSkill, SkillAlias } from './scan/scan-repository.ts';
import type { ScanChanges } from './scan/scan-write.ts';
import { createSkillSearch, type SkillSearch } from './search/search-service.ts';
import { listSkillFiles, type SkillFile } from './skill-files.ts';
import type { SnapshotDetail, SnapshotSkill } from './snapshot.ts';
import { snapshotHead, snapshotSkill, snapshotSkills } from './snapshot-repository.ts';
import {
  allNames,
  countSkills,
  findSummaries,
  findSummary,
  type RegistryCounts,
  registryCounts,
  rootsWithSkills,
  type SkillFilters,
  type SkillPageFilters,
  type SkillSummary,
} from './summary-repository.ts';

export interface SkillsService {
  readonly roots: readonly SkillRoot[];
  /** Finds skills by their text. */
  readonly search: SkillSearch;
  list(filters?: SkillPageFilters): readonly SkillSummary[];
  count(filters?: SkillFilters): number;
  /** One line per skill with what a person sorts and filters by. */
  overview(page: OverviewPage): readonly SkillOverview[];
  get(name: string): SkillDetail | null;
  /** Like `get`, but an unknown name is an error that names the nearest ones. */
  require(name: string): SkillDetail;
  names(): readonly string[];
  /** Copies that lost their name to another, of one name or of all. */
  shadowed(name?: string): readonly ShadowedSkill[];
  rejections(): readonly RejectedSkill[];
  aliases(): readonly SkillAlias[];
  counts(): RegistryCounts;
  /** Everything that a report on the registry is made from, read at one moment. */
  records(): StoredRecords & Pick<SkillsService, 'roots'>;
  /** Roots that have indexed skills, as displayed, in order of precedence. */
  usedRoots(): readonly string[];
  /** Brings the index in line with the disk; null when nothing had changed. A root that cannot be read is thrown. */
  reload(): Promise<ScanChanges | null>;
  /** Calls back after every change of the catalog; the answer ends it. */
  onChange(listener: (changes: ScanChanges) => void): () => void;
  /** The state of the catalog that a session opened now would keep. */
  generation(): number;
  /** Makes sure that the state of now can be looked at for good, also after its files have changed. */
  keep(): Promise<void>;
  /** The catalog at a generation, by name. */
  snapshot(generation: number): readonly SnapshotSkill[];
  /** One skill of it without its text. */
  snapshotHead(generation: number, name: string): SnapshotSkill | null;
  snapshotSkill(generation: number, name: string): SnapshotDetail | null;
  /** Everything in a skill's directory, as displayed, that may be looked at; empty when it is gone. */
  filesOf(directory: string): readonly SkillFile[];
  /** The bytes of a plain file in it; null when it is none. */
  readFileOf(directory: string, file: string): Buffer | null;
  /** Where such a directory really is; null when it is gone or leads out of its root. */
  placeOf(directory: string): string | null;
  /** Skills that a person may invoke, by name. */
  commandPage(page: { readonly after?: string | undefined; readonly limit: number }): CommandPage;
  command(name: string): SkillCommand | null;
  /** Skills fit for the MCP skills extension, by name; `next` is where the following page starts after. */
  publishedPage(page: { readonly after?: string | undefined; readonly limit: number }): PublishedPage;
  published(name: string): PublishedSkill | null;
  /** The bytes of a file of a published skill, or null when it lists no such file. */
  readPublished(name: string, file: string): Buffer | null;
}

/** Largest file of a skill that is handed out at once. */
const FILE_BYTES_MAX = 1024 * 1024;

export interface CommandPage {
  readonly commands: readonly Omit<SkillCommand, 'body'>[];
  readonly next: string | null;
}

export interface PublishedPage {
  readonly skills: readonly PublishedSkill[];
  readonly next: string | null;
}

export interface SkillsServiceParts {
  readonly db: ColibriDatabase;
  readonly roots: readonly SkillRoot[];
  /** Compares the disk with the index and writes what differs; null when nothing did. */
  readonly rescan: () => ScanChanges | null;
  readonly events: EventLog;
  readonly workspace: string;
  readonly home: string;
  readonly logger: Logger;
  readonly clock: Clock;
}

export function createSkillsService(parts: SkillsServiceParts): SkillsService {
  const { handle } = parts.db;
  const publication = createPublication(parts.roots.map((root) => root.path));
  const reload = reloading(parts);
  const absolute = (shown: string) =>
    path.resolve(parts.workspace, shown.startsWith('~/') ? path.join(parts.home, shown.slice(2)) : shown);
  return {
    roots: parts.roots,
    search: createSkillSearch(parts),
    records: () => ({ roots: parts.roots, ...findRecords(handle) }),
    usedRoots: () => inOrder(rootsWithSkills(handle), parts.roots),
    ...indexReads(handle),
    ...snapshotReads(handle),
    ...reload,
    async keep() {
      if (keepsBodies(handle)) return;
      const changed = await parts.db.write(() => keepBodies(handle));
      // From now on a scan keeps what it reads, so those files are not missed twice.
      if (changed > 0) await reload.reload();
    },
    ...fileReads(publication, absolute),
    ...publishing(handle, publication, absolute),
  };
}

type IndexReads =
  | 'list'
  | 'count'
  | 'overview'
  | 'get'
  | 'require'
  | 'names'
  | 'shadowed'
  | 'rejections'
  | 'aliases'
  | 'counts'
  | 'commandPage'
  | 'command';

function indexReads(handle: ColibriDatabase['handle']): Pick<SkillsService, IndexReads> {
  return {
    list: (filters) => findSummaries(handle, filters),
    count: (filters) => countSkills(handle, filters),
    overview: (page) => findOverview(handle, page),
    get: (name) => findDetail(handle, name),
    require: (name) => findDetail(handle, name) ?? unknownSkill(name, allNames(handle)),
    names: () => allNames(handle),
    shadowed: (name) => findShadowed(handle, name),
    rejections: () => findRejections(handle),
    aliases: () => findAliases(handle),
    counts: () => registryCounts(handle),
    commandPage: ({ after, limit }) => {
      const rows = findCommands(handle, { after, limit: limit + 1 });
      const commands = rows.slice(0, limit);
      return { commands, next: rows.length > limit ? (commands.at(-1)?.name ?? null) : null };
    },
    command: (name) => findCommand(handle, name),
  };
}

function snapshotReads(
  handle: ColibriDatabase['handle'],
): Pick<SkillsService, 'generation' | 'snapshot' | 'snapshotHead' | 'snapshotSkill'> {
  return {
    generation: () => currentGeneration(handle),
    snapshot: (generation) => snapshotSkills(handle, generation),
    snapshotHead: (generation, name) => snapshotHead(handle, generation, name),
    snapshotSkill: (generation, name) => snapshotSkill(handle, generation, name),
  };
}

function reloading(parts: SkillsServiceParts): Pick<SkillsService, 'reload' | 'onChange'> {
  const listeners = new Set<(changes: ScanChanges) => void>();
  let lastFailure = '';
  return {
    async reload() {
      try {
        const changes = await parts.db.write(parts.rescan);
        lastFailure = '';
        if (changes !== null) notify(listeners, changes, parts.logger);
        return changes;
      } catch (error) {
        // The same trouble at every look is recorded once.
        if (messageOf(error) !== lastFailure) await recordFailure(parts, error);
        lastFailure = messageOf(error);
        throw error;
      }
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function fileReads(
  publication: Publication,
  absolute: (shown: string) => string,
): Pick<SkillsService, 'filesOf' | 'readFileOf' | 'placeOf'> {
  return {
    placeOf: (directory) => publication.inside(absolute(directory)),
    filesOf(directory) {
      const real = publication.inside(absolute(directory));
      return real === null ? [] : listSkillFiles(real, FILE_BYTES_MAX);
    },
    readFileOf(directory, file) {
      const real = publication.inside(absolute(directory));
      const read = real === null ? null : readRegularFile(`${real}/${file}`, FILE_BYTES_MAX);
      return read?.ok ? read.bytes : null;
    },
  };
}

function publishing(
  handle: ColibriDatabase['handle'],
  publication: Publication,
  absolute: (shown: string) => string,
): Pick<SkillsService, 'publishedPage' | 'published' | 'readPublished'> {
  const placeOf = ({ name, source_dir }: Pick<SkillSummary, 'name' | 'source_dir'>) => ({
    name,
    directory: absolute(source_dir),
  });
  return {
    publishedPage({ after, limit }) {
      const skills: PublishedSkill[] = [];
      let last = after;
      // One row more than fits tells whether there is a next page; unfit skills make a page shorter, never the listing.
      const rows = findSummaries(handle, { after, limit: limit + 1 });
      for (const row of rows.slice(0, limit)) {
        const published = publication.publish(placeOf(row));
        if (published !== null) skills.push(published);
        last = row.name;
      }
      return { skills, next: rows.length > limit ? (last ?? null) : null };
    },
    published(name) {
      const skill = findSummary(handle, name);
      return skill === null ? null : publication.publish(placeOf(skill));
    },
    readPublished(name, file) {
      const skill = findSummary(handle, name);
      return skill === null ? null : publication.read(placeOf(skill), file);
    },
  };
}

function inOrder(used: readonly string[], roots: readonly SkillRoot[]): readonly string[] {
  return roots.flatMap(({ display }) => (used.includes(display) ? [display] : []));
}

async function recordFailure({ db, events }: SkillsServiceParts, error: unknown): Promise<void> {
  if (!(error instanceof ColibriError) || error.code !== 'ROOT_UNREADABLE') return;
  const detail = { root: String(error.details?.['root']), reason: String(error.details?.['reason']) };
  await db.write(() =>
    events.appendAlone([
      {
        type: 'skill.warning',
        stream: 'catalog',
        actor: 'registry',
        sensitivity: 'private',
        payload: { kind: 'scan-aborted', detail },
      },
    ]),
  );
}

function unknownSkill(name: string, names: readonly string[]): never {
  const near = nearest(name, names);
  const hint = near.length === 0 ? 'colibri list shows all' : `did you mean ${near.join(', ')}?`;
  const message = `no skill named ${JSON.stringify(name)}; ${hint}`;
  throw new ColibriError('SKILL_NOT_FOUND', message, { name, nearest: near });
}

/** A listener that fails must not keep the others from hearing. */
function notify(
  listeners: ReadonlySet<(changes: ScanChanges) => void>,
  changes: ScanChanges,
  logger: Logger,
): void {
  for (const listener of listeners) {
    try {
      listener(changes);
    } catch (error) {
      logger('[colibri] a listener failed:', messageOf(error));
    }
  }
}
