/**
 * What brings a mirror in line with the canonical skills, decided from three states: the canonical copy, the mirror's
 * copy, and what both were when they were last in step. Pure.
 */
import { type CopyPair, compareCopies } from './drift.ts';
import { digestOf, type SkillCopy, type SyncedFile, syncedFiles, treeDigest } from './drift-manifest.ts';

export type SyncAction =
  /** Nothing differs. */
  | 'none'
  /** The copy is a link; there is nothing to copy. */
  | 'linked'
  /** Canonical → mirror: a new copy, or a newer one. */
  | 'copy'
  | 'update'
  /** The canonical skill is gone, and the copy is what was written for it. */
  | 'remove'
  /** Mirror → canonical. */
  | 'collect'
  /** Left alone, for a reason. */
  | 'keep';

export interface SyncStep {
  readonly skill: string;
  readonly action: SyncAction;
  /** Why, in words; says what would help where a copy is left alone. */
  readonly reason: string;
  readonly canonical: SkillCopy | null;
  readonly mirror: SkillCopy | null;
  /** What to remember as the common state; null: forget it. */
  readonly state: readonly SyncedFile[] | null;
}

export interface SyncChoices {
  /** Overwrites and deletes what would be kept. */
  readonly force: boolean;
  /** Takes edits of the mirror back. */
  readonly collect: boolean;
  /** No canonical root is there at all: deleted by mistake, or on a branch that has none. */
  readonly canonicalMissing: boolean;
}

export function planSkill(pair: CopyPair, choices: SyncChoices): SyncStep {
  const { name: skill, canonical, mirror, base } = pair;
  const step = (action: SyncAction, reason: string): SyncStep => {
    return { skill, action, reason, canonical, mirror, state: stateAfter(action, pair) };
  };
  if (canonical === null && mirror === null) return step('none', 'gone from both sides');
  const verdict = compareCopies(pair);
  if (verdict.state !== 'drift')
    return verdict.state === 'linked' ? step('linked', 'the copy is a link') : step('none', 'in step');
  if (verdict.finding.kind === 'unreadable') return unreadable(pair, choices, step);
  const unfit = unfitReason(pair, choices);
  if (unfit !== null) return step('keep', unfit);
  const [now, then] = [digestOf(mirror), base === null ? null : treeDigest(base)];
  const edited = now !== then;
  if (mirror === null) {
    return step('copy', base === null ? 'new in the canonical root' : 'the copy was deleted');
  }
  if (canonical === null) return planOrphan({ base, edited }, choices, step);
  const moved = digestOf(canonical) !== then;
  return planChanged({ base, edited, moved }, choices, step);
}

type MakeStep = (action: SyncAction, reason: string) => SyncStep;

interface Changes {
  readonly base: readonly SyncedFile[] | null;
  /** The mirror is not what it was. */
  readonly edited: boolean;
}

/** Only the mirror has it. */
function planOrphan(
  { base, edited }: Changes,
  { force, collect, canonicalMissing }: SyncChoices,
  step: MakeStep,
): SyncStep {
  if (base !== null && canonicalMissing && !force) {
    if (collect) return step('collect', 'the canonical root is gone; restored from the mirror');
    const options = '--collect restores it from the mirror, --force removes the copies';
    return step('keep', `the canonical root does not exist; ${options}`);
  }
  if (base !== null && !edited) return step('remove', 'gone from the canonical root');
  if (collect) return step('collect', base === null ? 'only in the mirror' : 'edited in the mirror');
  if (force) return step('remove', 'not in the canonical root, by --force');
  const what =
    base === null ? 'only in the mirror' : 'gone from the canonical root, but edited in the mirror since';
  return step('keep', `${what}; --collect takes it over, --force removes it`);
}

/** Both have it, and they differ. */
function planChanged(
  { base, edited, moved }: Changes & { readonly moved: boolean },
  { force, collect }: SyncChoices,
  step: MakeStep,
): SyncStep {
  if (base !== null && !edited) return step('update', 'changed in the canonical root');
  if (base !== null && !moved) {
    if (collect) return step('collect', 'edited in the mirror');
    if (force) return step('update', 'edited in the mirror, overwritten by --force');
    return step('keep', 'edited in the mirror; --collect takes the edit over, --force drops it');
  }
  const what =
    base === null
      ? 'different, and not a copy that sync has made'
      : 'edited on both sides since the last sync';
  if (!force) {
    const options = '--force takes the canonical side, --collect --force the mirror';
    return step('keep', `${what}; merge by hand, or ${options}`);
  }
  return collect
    ? step('collect', `${what}; the mirror wins by --force`)
    : step('update', `${what}; the canonical side wins by --force`);
}

/** A copy of the mirror that cannot be read, such as a broken link, may be replaced; nothing else can be done. */
function unreadable(
  { canonical, mirror }: CopyPair,
  { force, collect }: SyncChoices,
  step: MakeStep,
): SyncStep {
  const broken = mirror !== null && !mirror.read.ok;
  const reason = broken ? mirror.read.reason : canonical?.read.ok === false ? canonical.read.reason : '';
  const side = broken ? 'mirror' : 'canonical';
  if (broken && force && !collect && canonical?.read.ok && mirror.link !== undefined) {
    return step('update', `the mirror's copy: ${reason}; replaced by --force`);
  }
  return step('keep', `the ${side} copy cannot be used: ${reason}`);
}

/** Links and special files are compared but never copied: a link may lead anywhere on the other side. */
function unfitReason({ canonical, mirror }: CopyPair, { collect }: SyncChoices): string | null {
  const sources = collect ? [canonical, mirror] : [canonical];
  for (const copy of sources) {
    if (!copy?.read.ok) continue;
    const odd = copy.read.tree.entries.find(({ kind }) => kind !== 'file');
    if (odd !== undefined)
      return `${odd.path} is a ${odd.kind === 'link' ? 'link' : 'special file'}; replace it by a file`;
    if (!copy.read.tree.entries.some(({ path }) => path === 'SKILL.md')) return 'it has no SKILL.md';
  }
  return null;
}

function stateAfter(action: SyncAction, { canonical, mirror, base }: CopyPair): readonly SyncedFile[] | null {
  switch (action) {
    case 'none':
    case 'copy':
    case 'update':
      return canonical?.read.ok ? syncedFiles(canonical.read.tree) : null;
    case 'collect':
      return mirror?.read.ok ? syncedFiles(mirror.read.tree) : null;
    case 'keep':
      return base;
    case 'linked':
    case 'remove':
      return null;
  }
}

/** Steps that change files. */
export function isWork({ action }: SyncStep): boolean {
  return action === 'copy' || action === 'update' || action === 'remove' || action === 'collect';
}
