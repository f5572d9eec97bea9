/** Vouching for skills and for the files that steer the policy. Each change is one transaction with its event. */
import { existsSync } from 'node:fs';
import path from 'node:path';

import type { ColibriDatabase, RecordTransaction } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import { realPathOf } from '../../lib/real-path.ts';
import type { SkillsService } from '../skills/service.ts';
import type { PolicyEventDraft } from './decision-event.ts';
import { type LoadedPolicy, POLICY_FILE } from './policy-file.ts';
import { putTrust, readTrust, removeTrust, type TrustSchema } from './repository.ts';
import {
  changesBetween,
  type FileChange,
  isGenuine,
  isMarkedTrusted,
  judgeTrust,
  sealOf,
  type TrustMarks,
  type TrustRecord,
  type TrustSettings,
  type TrustSubject,
  type TrustTree,
  type TrustVerdict,
  treeDigest,
} from './trust.ts';
import type { TrustKey } from './trust-key.ts';
import { readTrustTree } from './trust-tree.ts';

/** What trust has to know of a skill. */
export interface SkillPlace {
  readonly name: string;
  readonly source: string;
  /** As displayed. */
  readonly directory: string;
}

export interface TrustState extends TrustVerdict, TrustSubject {}

export interface TrustReport {
  readonly done: readonly { readonly subject: TrustSubject; readonly changes: readonly FileChange[] }[];
  /** What cannot be vouched for, and why. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
}

/** Trust as it is at this moment, for many skills at once. */
export interface TrustView {
  skill(skill: SkillPlace): TrustVerdict;
  /** Whether the very bytes that were read as the policy are vouched for. */
  policy(loaded: Pick<LoadedPolicy, 'path' | 'digest'>): TrustVerdict;
  /** The same for another file of the workspace that says what is run. */
  file(loaded: { readonly path: string; readonly digest: string }): TrustVerdict;
}

export interface TrustService {
  /** Vouches for skills and files of the workspace by name, or for all that are not trusted. */
  trust(
    names: readonly string[] | 'all',
    options: { readonly actor: string; readonly dryRun?: boolean },
  ): Promise<TrustReport>;
  untrust(names: readonly string[] | 'all', options: { readonly actor: string }): Promise<TrustReport>;
  /** Files first, then skills by name. */
  list(): Promise<readonly TrustState[]>;
  /** For the skills that will be asked for, or for any. */
  view(skills?: readonly SkillPlace[] | null): Promise<TrustView>;
  isTrusted(skill: SkillPlace): Promise<boolean>;
  /** For lists: without a look at the disk, by the index alone. What decides on a call is `view`. */
  marks(): Promise<TrustMarks>;
  /** Whether a skill of the registry is marked as trusted. */
  trustedSkills: () => Promise<(skill: { readonly name: string }) => boolean>;
}

/** Where the policy's events go: the event log. */
export interface PolicyEvents {
  append(transaction: RecordTransaction, drafts: readonly PolicyEventDraft[]): Promise<unknown>;
  wake(): void;
}

export interface TrustParts {
  readonly db: ColibriDatabase;
  readonly skills: Pick<SkillsService, 'list' | 'require' | 'get' | 'roots'>;
  readonly events: PolicyEvents;
  readonly clock: Clock;
  readonly key: TrustKey;
  /** Absolute. */
  readonly workspace: string;
  readonly home: string;
  /** `COLIBRI_TRUST_WORKSPACE=1`. */
  readonly trustWorkspace: boolean;
  /** Absolute paths of roots with `trust: path`. */
  readonly pathRoots: readonly string[];
  /** The configuration file, if it lies in the workspace: `trust: path` counts only once the file is trusted itself. */
  readonly configFile: string | null;
  /** Further files of the workspace that say what is run; absolute paths. */
  readonly moreFiles?: (() => readonly string[]) | undefined;
}

export function createTrustService(parts: TrustParts): TrustService {
  const { db, events, clock, key } = parts;
  const subjects = createSubjects(parts);
  const records = async (paths: readonly string[] | null) =>
    readTrust(await db.records<TrustSchema>(), paths);
  /** Null: all that may be asked for. */
  const judging = async (skills: readonly SkillPlace[] | null): Promise<Judge> => {
    const wanted = skills === null ? null : [...subjects.files(), ...skills.map(subjects.ofSkill)];
    return createJudge(parts, await records(wanted?.map((subject) => subject.path) ?? null));
  };

  const marks = async () => marksOf(parts, await records(null), subjects);

  return {
    marks,
    trustedSkills: async () => markedBy(await marks(), parts.skills),
    async trust(names, { actor, dryRun = false }) {
      const wanted = names === 'all' ? subjects.all() : names.map(subjects.named);
      const plan = planTrust(wanted, await judging(null), await records(null));
      if (dryRun || plan.done.length === 0) return plan;
      const mark = { secret: key.require(), at: isoNow(clock), actor };
      await db.transact(async (transaction) => {
        for (const { subject, tree } of plan.done) await putTrust(transaction, recordOf(subject, tree, mark));
        await events.append(
          transaction,
          plan.done.map(({ subject, tree, changes }) =>
            trustEvent('trust', { ...subject, changes, digest: tree.digest }, actor),
          ),
        );
      });
      events.wake();
      return plan;
    },
    async untrust(names, { actor }) {
      const all = [...(await records(null)).values()];
      // What is trusted may be gone from the disk and from the index; its name is enough.
      const gone = names === 'all' ? all : all.filter(({ name }) => names.includes(name));
      const known = new Set(gone.map(({ name }) => name));
      for (const name of names === 'all' ? [] : names) if (!known.has(name)) subjects.named(name);
      await db.transact(async (transaction) => {
        for (const record of gone) await removeTrust(transaction, record.path);
        await events.append(
          transaction,
          gone.map((record) => trustEvent('untrust', { ...record, changes: [] }, actor)),
        );
      });
      events.wake();
      return {
        done: gone.map(({ kind, name, path: where }) => ({
          subject: { kind, name, path: where },
          changes: [],
        })),
        refused: [],
      };
    },
    async list() {
      const judge = await judging(null);
      return subjects.all().map((subject) => ({ ...judge(subject), ...subject }));
    },
    view: async (skills = null) => viewOf(await judging(skills), subjects),
    isTrusted: async (skill) => (await judging([skill]))(subjects.ofSkill(skill)).trusted,
  };
}

function viewOf(judge: Judge, subjects: Subjects): TrustView {
  const ofFile = (where: string, digest: string | null): TrustVerdict =>
    judge(fileSubject(where), () => treeOfFile(where, digest));
  return {
    skill: (skill) => judge(subjects.ofSkill(skill)),
    policy: ({ path: where, digest }) => (where === null ? EMBEDDED : ofFile(where, digest)),
    file: ({ path: where, digest }) => ofFile(where, digest),
  };
}

function marksOf(parts: TrustParts, known: ReadonlyMap<string, TrustRecord>, subjects: Subjects): TrustMarks {
  const judge = createJudge(parts, known);
  return {
    roots: parts.skills.roots
      .filter(({ path: where, source }) => judge(rootSubject(where, source), nothing).trusted)
      .map(({ display }) => display),
    skills: [...known.values()]
      .filter((record) => isAsRecorded(record, parts, subjects))
      .map(({ name }) => name),
  };
}

function markedBy(
  marks: TrustMarks,
  skills: TrustParts['skills'],
): (skill: { readonly name: string }) => boolean {
  return ({ name }) => {
    const skill = skills.get(name);
    return skill !== null && isMarkedTrusted(skill, marks);
  };
}

/** A root stands for any skill in it: trusted only by where it lies. */
function rootSubject(where: string, source: string): TrustSubject {
  return { kind: 'skill', name: '', path: realPathOf(where) ?? where, source };
}

function nothing(): TrustTree {
  return { ok: false, reason: 'not read' };
}

/** As far as the index knows: the skill is still at its place, with the SKILL.md that was vouched for. */
function isAsRecorded(record: TrustRecord, { skills, key }: TrustParts, subjects: Subjects): boolean {
  const skill = record.kind === 'skill' ? skills.get(record.name) : null;
  if (skill === null || !isGenuine(record, key.read())) return false;
  const { name, source, source_dir, digest } = skill;
  return (
    subjects.ofSkill({ name, source, directory: source_dir }).path === record.path &&
    record.files.some((file) => file.path === 'SKILL.md' && file.digest === digest)
  );
}

const EMBEDDED: TrustVerdict = {
  trusted: true,
  why: 'global',
  changes: [],
  reason: 'there is no policy file; the profile comes with Colibri',
  files: null,
};

function treeOfFile(file: string, digest: string | null): TrustTree {
  if (digest === null) return { ok: false, reason: 'it cannot be read' };
  const files = [{ path: path.basename(file), digest, executable: false }];
  return { ok: true, files, digest: treeDigest(files) };
}

type Judge = (subject: TrustSubject, tree?: () => TrustTree) => TrustVerdict;

function createJudge(parts: TrustParts, records: ReadonlyMap<string, TrustRecord>): Judge {
  const base: TrustSettings = {
    everything: parts.trustWorkspace,
    workspace: realPathOf(parts.workspace) ?? parts.workspace,
    pathRoots: [],
    key: parts.key.read(),
  };
  const judgeBy =
    (settings: TrustSettings): Judge =>
    (subject, tree = () => readTrustTree(subject)) =>
      judgeTrust(subject, settings, { record: records.get(subject.path) ?? null, tree });
  // A workspace must not vouch for itself by the configuration that it brings along.
  const config = parts.configFile === null ? null : judgeBy(base)(fileSubject(parts.configFile));
  const pathRoots = parts.pathRoots.map((root) => realPathOf(root) ?? root);
  return judgeBy(config === null || config.trusted ? { ...base, pathRoots } : base);
}

interface Subjects {
  /** Of the workspace: they steer trust and policy. */
  files(): readonly TrustSubject[];
  all(): readonly TrustSubject[];
  /** A skill, or a file of the workspace by its name. */
  named(name: string): TrustSubject;
  ofSkill(skill: SkillPlace): TrustSubject;
}

function createSubjects({ skills, workspace, home, configFile, moreFiles }: TrustParts): Subjects {
  const ofSkill = ({ name, source, directory }: SkillPlace): TrustSubject => {
    const shown = directory.startsWith('~/') ? path.join(home, directory.slice(2)) : directory;
    const where = path.resolve(workspace, shown);
    return { kind: 'skill', name, path: realPathOf(where) ?? where, source };
  };
  const files = (): readonly TrustSubject[] => {
    const policy = path.join(workspace, POLICY_FILE);
    const steering = [...(existsSync(policy) ? [policy] : []), ...(configFile === null ? [] : [configFile])];
    return [...steering, ...(moreFiles?.() ?? [])].map(fileSubject);
  };
  return {
    files,
    ofSkill,
    all: () => [
      ...files(),
      ...skills
        .list()
        .map(({ name, source, source_dir }) => ofSkill({ name, source, directory: source_dir })),
    ],
    named(name) {
      const file = files().find((candidate) => candidate.name === name);
      if (file !== undefined) return file;
      const { source, source_dir } = skills.require(name);
      return ofSkill({ name, source, directory: source_dir });
    },
  };
}

function fileSubject(file: string): TrustSubject {
  return { kind: 'file', name: path.basename(file), path: realPathOf(file) ?? file };
}

type ReadTree = Extract<TrustTree, { ok: true }>;

interface TrustPlan {
  readonly done: readonly {
    readonly subject: TrustSubject;
    readonly tree: ReadTree;
    readonly changes: readonly FileChange[];
  }[];
  readonly refused: TrustReport['refused'];
}

/** What is trusted already stays as it is; the rest is read now, and these bytes are what is vouched for. */
function planTrust(
  subjects: readonly TrustSubject[],
  judge: Judge,
  records: ReadonlyMap<string, TrustRecord>,
): TrustPlan {
  const done: TrustPlan['done'][number][] = [];
  const refused: TrustReport['refused'][number][] = [];
  for (const subject of subjects) {
    const { why } = judge(subject);
    if (why === 'recorded' || why === 'global') continue;
    const tree = readTrustTree(subject);
    if (!tree.ok) {
      refused.push({ name: subject.name, reason: tree.reason });
      continue;
    }
    const before = why === 'forged' ? [] : (records.get(subject.path)?.files ?? []);
    done.push({ subject, tree, changes: changesBetween(before, tree.files) });
  }
  return { done, refused };
}

interface TrustMark {
  readonly secret: string;
  /** ISO-8601 UTC. */
  readonly at: string;
  readonly actor: string;
}

function recordOf(
  { kind, name, path: where }: TrustSubject,
  { digest, files }: ReadTree,
  { secret, at, actor }: TrustMark,
): TrustRecord {
  const facts = { kind, name, path: where, digest };
  return { ...facts, files, trusted_at: at, trusted_by: actor, seal: sealOf(secret, facts) };
}

interface TrustFacts extends Pick<TrustRecord, 'kind' | 'name' | 'path' | 'digest'> {
  readonly changes: readonly FileChange[];
}

function trustEvent(kind: 'trust' | 'untrust', facts: TrustFacts, actor: string): PolicyEventDraft {
  const { kind: subject, name, path: where, digest, changes } = facts;
  return {
    type: 'policy.decision',
    stream: 'policy',
    actor,
    sensitivity: 'pseudonymous',
    payload: { kind, subject, name, path: where, digest, changed: changes.map((change) => change.path) },
  };
}
