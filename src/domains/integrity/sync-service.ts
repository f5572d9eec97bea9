/** Brings mirrors in line: read, plan, apply. Nothing that sync did not write is overwritten unless it is forced to. */
import path from 'node:path';

import type { RecordTransaction } from '../../db/database.ts';
import { isoNow } from '../../lib/clock.ts';
import { ColibriError, messageOf, systemCodeOf } from '../../lib/errors.ts';
import { nearest } from '../../lib/text.ts';
import { type RefuseRoot, type RootRefusals, refusalError, type SkillRoot } from '../skills/scan/roots.ts';
import type { SkillsService } from '../skills/service.ts';
import { digestOf, type SkillCopy } from './drift-manifest.ts';
import { canonicalRoots, type MirrorPairs, readPairs } from './drift-pairs.ts';
import { standsAt } from './drift-reader.ts';
import { type DriftSchema, putState, readStates, removeState } from './drift-repository.ts';
import type { DriftParts } from './drift-service.ts';
import { openRoot, type RootWriter } from './sync-apply.ts';
import { isWork, planSkill, type SyncAction, type SyncStep } from './sync-plan.ts';

export interface SyncRequest {
  /** Names of skills; none means all. */
  readonly skills?: readonly string[];
  readonly force?: boolean;
  readonly collect?: boolean;
  readonly dryRun?: boolean;
  readonly actor?: string;
}

export interface SyncedSkill {
  readonly skill: string;
  readonly action: SyncAction;
  readonly reason: string;
  /** False where the step was only planned, or has failed. */
  readonly done: boolean;
  readonly error: string | null;
}

export interface SyncedMirror {
  /** As displayed. */
  readonly root: string;
  readonly linked: boolean;
  /** Why nothing may be written here at all. */
  readonly refused: string | null;
  readonly skills: readonly SyncedSkill[];
}

export interface SyncReport {
  readonly dry_run: boolean;
  readonly mirrors: readonly SyncedMirror[];
  /** Skills that were changed, or would be. */
  readonly changed: number;
  /** Skills that still differ. */
  readonly kept: number;
}

export interface SyncService {
  sync(request?: SyncRequest): Promise<SyncReport>;
}

export interface SyncParts extends DriftParts {
  readonly skills: Pick<SkillsService, 'reload'>;
  readonly refusals: RootRefusals;
}

export function createSyncService(parts: SyncParts): SyncService {
  const { db, roots, reader } = parts;
  return {
    async sync(request = {}) {
      const states = async (mirror: string) => readStates(await db.records<DriftSchema>(), mirror);
      const mirrors = await readPairs({ roots, reader, states }, ({ linked }) => !linked);
      checkNames(request.skills ?? [], mirrors);
      const done: SyncedMirror[] = [];
      for (const mirror of mirrors) done.push(await syncMirror(parts, mirror, request));
      const all = done.flatMap(({ skills }) => skills);
      const dryRun = request.dryRun ?? false;
      const isChange = ({ action }: SyncedSkill) => !['none', 'linked', 'keep'].includes(action);
      const changed = all.filter((each) => isChange(each) && (dryRun || each.done)).length;
      if (!dryRun && changed > 0) await parts.skills.reload();
      const kept = all.filter(({ action, error }) => action === 'keep' || error !== null).length;
      const refused = done.filter((mirror) => mirror.refused !== null).length;
      return { dry_run: dryRun, mirrors: done, changed, kept: kept + refused };
    },
  };
}

function checkNames(wanted: readonly string[], mirrors: readonly MirrorPairs[]): void {
  const known = new Set(mirrors.flatMap(({ pairs }) => pairs.map(({ name }) => name)));
  for (const name of wanted) {
    if (known.has(name)) continue;
    const near = nearest(name, known);
    const hint =
      near.length === 0 ? '`colibri drift` shows what differs' : `did you mean ${near.join(', ')}?`;
    const message = `no skill folder named ${JSON.stringify(name)} in a canonical root or a mirror; ${hint}`;
    throw new ColibriError('SKILL_NOT_FOUND', message, { name, nearest: near });
  }
}

async function syncMirror(
  parts: SyncParts,
  { mirror, linked, pairs }: MirrorPairs,
  request: SyncRequest,
): Promise<SyncedMirror> {
  const choices = {
    force: request.force ?? false,
    collect: request.collect ?? false,
    canonicalMissing: !canonicalRoots(parts.roots).some((root) => standsAt(root.path)),
  };
  const wanted = request.skills ?? [];
  const chosen = pairs.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const steps = chosen.map((pair) => planSkill(pair, choices));
  const refusal = await parts.refusals();
  const refused = refusal(mirror);
  const place = {
    ...{ root: mirror.display, linked },
    refused: refused === null ? null : refusalError(refused).message,
  };
  if (place.refused !== null) return { ...place, skills: [] };
  if (request.dryRun === true) return { ...place, skills: steps.map((step) => outcomeOf(step, null, false)) };
  const outcomes = applySteps({ parts, mirror, refusal }, steps);
  await record(parts, { mirror, steps, outcomes, actor: request.actor ?? 'integrity' });
  return { ...place, skills: outcomes };
}

interface Place {
  readonly parts: SyncParts;
  readonly mirror: SkillRoot;
  readonly refusal: RefuseRoot;
}

function applySteps({ parts, mirror, refusal }: Place, steps: readonly SyncStep[]): readonly SyncedSkill[] {
  const writers = new Map<string, RootWriter>();
  const writerOf = (root: SkillRoot): RootWriter => {
    const known = writers.get(root.path);
    if (known !== undefined) return known;
    const refused = refusal(root);
    if (refused !== null) throw refusalError(refused);
    const opened = openRoot(root.path);
    writers.set(root.path, opened);
    return opened;
  };
  try {
    return steps.map((step) => {
      if (!isWork(step)) return outcomeOf(step, null, true);
      try {
        applyStep(step, { parts, mirror, writerOf });
        return outcomeOf(step, null, true);
      } catch (error) {
        // What is wrong with one skill must not keep the others from their copies; a bug must not hide.
        const expected = error instanceof ColibriError || systemCodeOf(error) !== undefined;
        if (!expected || (error instanceof ColibriError && error.code === 'SYNC_BUSY')) throw error;
        return outcomeOf(step, messageOf(error), false);
      }
    });
  } finally {
    for (const writer of writers.values()) writer.close();
  }
}

interface Applying {
  readonly parts: SyncParts;
  readonly mirror: SkillRoot;
  readonly writerOf: (root: SkillRoot) => RootWriter;
}

function applyStep(step: SyncStep, { parts, mirror, writerOf }: Applying): void {
  const { action, skill } = step;
  const [from, to] = action === 'collect' ? [step.mirror, step.canonical] : [step.canonical, step.mirror];
  if (action === 'collect') {
    const root = homeOf(to, parts.roots);
    const writer = writerOf(root);
    checkUnchanged(parts, to, path.join(root.path, skill));
    writer.put(to?.relative ?? skill, treeOf(from));
    return;
  }
  const writer = writerOf(mirror);
  checkUnchanged(parts, to, path.join(mirror.path, skill));
  if (action === 'remove') writer.remove(to?.relative ?? skill);
  else writer.put(to?.relative ?? skill, treeOf(from));
}

/** Where a collected skill belongs: to the root that has it, else to the first canonical one. */
function homeOf(copy: SkillCopy | null, roots: readonly SkillRoot[]): SkillRoot {
  const canonical = canonicalRoots(roots);
  const own = canonical.find(
    (root) => copy !== null && path.join(root.path, copy.relative) === copy.directory,
  );
  const home = own ?? canonical[0];
  if (home !== undefined) return home;
  throw new ColibriError('SYNC_REFUSED', 'no canonical root is configured; enable roots.workspace', {});
}

/** Between the plan and its step somebody may have edited what would be replaced. */
function checkUnchanged({ reader }: SyncParts, copy: SkillCopy | null, place: string): void {
  if (copy === null) {
    if (!standsAt(place)) return;
    const message = `${place} is in the way and no skill folder; move it, and sync again`;
    throw new ColibriError('SYNC_REFUSED', message, { file: place });
  }
  // A link is replaced itself; where it leads does not matter.
  if (copy.link !== undefined) return;
  const now: SkillCopy = { ...copy, read: reader.readTree(copy.directory) };
  if (digestOf(now) === digestOf(copy)) return;
  const message = `${place} has changed since it was compared; sync again`;
  throw new ColibriError('FILE_CHANGED', message, { file: place });
}

function treeOf(copy: SkillCopy | null) {
  if (copy?.read.ok) return copy.read.tree;
  throw new Error('a step without a source was planned');
}

function outcomeOf({ skill, action, reason }: SyncStep, error: string | null, done: boolean): SyncedSkill {
  return { skill, action, reason, done: done && action !== 'keep', error };
}

interface Recording {
  readonly mirror: SkillRoot;
  readonly steps: readonly SyncStep[];
  readonly outcomes: readonly SyncedSkill[];
  readonly actor: string;
}

/** What was written is remembered with the event that tells of it. A crash before this is made good by the next sync. */
async function record(parts: SyncParts, recording: Recording): Promise<void> {
  const { db, events, clock } = parts;
  const { mirror, steps, outcomes, actor } = recording;
  const done = steps.filter((_, index) => outcomes[index]?.error === null);
  const names = (action: SyncAction) =>
    outcomes.flatMap((each) => (each.action === action && each.error === null ? [each.skill] : []));
  const payload = {
    mirror: mirror.display,
    copied: [...names('copy'), ...names('update')].sort(),
    removed: names('remove'),
    collected: names('collect'),
    kept: names('keep'),
  };
  const didAnything = payload.copied.length + payload.removed.length + payload.collected.length > 0;
  await db.transact(async (transaction: RecordTransaction) => {
    for (const { skill: name, state } of done) {
      const key = { mirror: mirror.display, name };
      if (state === null) await removeState(transaction, key);
      else await putState(transaction, { ...key, files: state }, isoNow(clock));
    }
    if (!didAnything) return;
    await events.append(transaction, [
      { type: 'mirror.synced', stream: 'catalog', actor, sensitivity: 'pseudonymous', payload },
    ]);
  });
  if (didAnything) events.wake();
}
