/** What sessions look at: the live registry and disk, or what was recorded of them. */
import { sha256Hex } from '../../lib/digest.ts';
import { ColibriError, systemCodeOf } from '../../lib/errors.ts';
import type { StoredArtifact } from '../events/schema.ts';
import { isMarkedTrusted } from '../policy/trust.ts';
import type { Ranking } from '../skills/search/search.ts';
import type { SkillsService } from '../skills/service.ts';
import type { SnapshotDetail, SnapshotSkill } from '../skills/snapshot.ts';
import type { CustomCommand } from './command-file.ts';
import { changed, type FileFact, type PolicyFacts, type World } from './engine.ts';
import type { Loaded, SessionState } from './schema.ts';
import { isSwitchedOn, isVisible, type Viewer } from './view.ts';

/** What differs from call to call. */
export interface WorldFacts {
  readonly pinned?: WorldParts['pinned'] | undefined;
  readonly policy?: WorldParts['policy'] | undefined;
  readonly ranking?: WorldParts['ranking'];
}

/** For looks at the catalog, which need no policy. */
export const NOT_ASKED: WorldParts['policy'] = () => ({ trusted: false, tools: [], overrides: [] });

export interface WorldParts {
  readonly skills: SkillsService;
  readonly generation: number;
  readonly viewer: Viewer;
  /** Files of loaded skills as they were pinned, by skill. */
  readonly pinned: ReadonlyMap<string, readonly FileFact[]>;
  readonly policy: (skill: SnapshotDetail) => PolicyFacts;
  readonly custom: (name: string) => CustomCommand | null;
  /** What a search or a match of the recording found: an index may change, and with it the order that it gives. */
  readonly ranking?: Ranking | undefined;
}

export function liveWorld({ skills, generation, viewer, pinned, policy, custom }: WorldParts): World {
  const { untrusted, trust } = viewer.view;
  const visible = (skill: SnapshotSkill) => isVisible(skill, viewer);
  const accepts = (name: string): boolean => {
    const skill = skills.snapshotHead(generation, name);
    return skill !== null && visible(skill);
  };
  return {
    search: (query, limit) => skills.search.search(query, { generation, limit, accepts }),
    match: (task, limit) => skills.search.match(task, { generation, limit, accepts }),
    policy,
    custom,
    hidesUntrusted: untrusted === 'hidden',
    isTrusted: (skill) => isMarkedTrusted(skill, trust),
    command: (name) => (isSwitchedOn(name, viewer.view) ? skills.snapshotSkill(generation, name) : null),
    configured: skills.roots.length > 0,
    skills: () => skills.snapshot(generation).filter(visible),
    head(name) {
      const skill = skills.snapshotHead(generation, name);
      return skill !== null && visible(skill) ? skill : null;
    },
    skill(name) {
      const skill = skills.snapshotSkill(generation, name);
      return skill !== null && visible(skill) ? skill : null;
    },
    files: (skill) => pinned.get(skill.name) ?? skills.filesOf(skill.directory),
    read(skill, path) {
      try {
        const bytes = skills.readFileOf(skill.directory, path);
        if (bytes !== null) return bytes;
      } catch (error) {
        if (systemCodeOf(error) === undefined) throw error;
      }
      throw changed(skill, path);
    },
  };
}

/** The same world out of records: the archived catalog, and artifacts in place of files. */
export function recordedWorld(
  parts: WorldParts,
  state: SessionState,
  artifacts: ReadonlyMap<string, StoredArtifact>,
): World {
  const live = liveWorld(parts);
  const loadOf = ({ name, digest }: SnapshotDetail) =>
    state.loaded.find((load) => load.name === name && load.digest === digest);
  const withBody = (skill: SnapshotDetail | null): SnapshotDetail | null => {
    const load = skill === null ? undefined : loadOf(skill);
    if (skill === null || load === undefined) return skill;
    return { ...skill, body: intact(artifacts, load.body).toString('utf8') };
  };
  const ranking = parts.ranking ?? { hits: [], total: 0 };
  return {
    ...live,
    search: () => ranking,
    match: () => ranking,
    skill: (name) => withBody(live.skill(name)),
    command: (name) => withBody(live.command(name)),
    files(skill) {
      const load = loadOf(skill);
      return parts.pinned.get(skill.name) ?? (load === undefined ? [] : recordedFiles(load, artifacts));
    },
    read(skill, path) {
      const fact = this.files(skill).find((file) => file.path === path);
      if (fact === undefined || !artifacts.has(fact.digest)) throw changed(skill, path);
      return intact(artifacts, fact.digest);
    },
  };
}

/** The files of a skill as they were when it was loaded. */
export function recordedFiles(
  { files }: Pick<Loaded, 'files'>,
  artifacts: ReadonlyMap<string, StoredArtifact>,
): readonly FileFact[] {
  return parseFiles(intact(artifacts, files));
}

/** A list of files that `load` stored as JSON. */
export function parseFiles(bytes: Uint8Array): readonly FileFact[] {
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as FileFact[];
}

/** The artifact's bytes, checked against its digest. */
function intact(artifacts: ReadonlyMap<string, StoredArtifact>, digest: string): Buffer {
  const artifact = artifacts.get(digest);
  if (artifact === undefined)
    throw new ColibriError('ARTIFACT_MISSING', `artifact ${digest} is gone`, { digest });
  const bytes = Buffer.from(artifact.bytes);
  const found = sha256Hex(bytes);
  if (found === digest) return bytes;
  const message = `artifact ${digest} was changed: its content now hashes to ${found}`;
  throw new ColibriError('ARTIFACT_DAMAGED', message, { digest, found });
}
