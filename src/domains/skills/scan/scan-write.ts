/** Carries out a planned scan inside its transaction. */
import type { EventDraft } from '../../events/schema.ts';
import { countWinners, EMPTY_SNAPSHOT, Role } from './root-snapshot.ts';
import { rootKey } from './roots.ts';
import type { ScanPlan, StoredRoot } from './scan-plan.ts';
import { type BegunScan, type Scan, type SettledRoot, startScan } from './scan-state.ts';
import { forget, settleRoot } from './settle.ts';
import type { WalkedRoot } from './walk.ts';

/** What a scan did to the catalog. */
export interface ScanChanges {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Copies that now stand in another's shadow. */
  readonly shadowed: number;
}

/** Null when only fingerprints, or nothing at all, had to be written. */
export function applyScan(plan: ScanPlan, parts: BegunScan): ScanChanges | null {
  const scan = startScan(plan, parts);
  // First, because a directory may have gone from one root and be found by another under the same path.
  for (const { path: gone, before } of plan.removed) {
    forget(scan, parts.display(gone), before.role);
    if (before.role === Role.winner) scan.lost.add(before.name);
  }
  const roots = plan.roots.map((planned, position) =>
    storedRoot(planned.walked, position, settleRoot(scan, planned)),
  );
  parts.repository.skills.flush();
  dropLostNames(scan);
  if (plan.rootsChanged) dropUnknown(scan, plan);
  parts.repository.skills.noteForSearch(scan.names.fresh.keys(), scan.names.fresh.size);
  if (!scan.wrote && !scan.touched && !plan.rootsChanged && plan.removed.length === 0) return null;
  parts.repository.putRoots(roots);
  parts.repository.skills.nextGeneration();
  if (!scan.wrote) return null;
  parts.events.append([...scan.drafts, ...catalogUpdated(scan, plan, roots)]);
  return scan.counts;
}

function dropLostNames(scan: Scan): void {
  for (const name of scan.lost) {
    if (scan.names.fresh.has(name)) continue;
    scan.repository.skills.delete(name);
    scan.counts.removed++;
    scan.wrote = true;
  }
}

/** Without a record of every root, rows of unknown origin may be left, for example from the single-root loader. */
function dropUnknown(scan: Scan, plan: ScanPlan): void {
  const { repository } = scan;
  // Every taken name has a row, so as many rows as names are those rows.
  if (repository.skills.count() > scan.names.count())
    scan.counts.removed += repository.skills.prune(scan.names.all());
  if (scan.counts.removed > 0) scan.wrote = true;
  if (!repository.hasRecords()) return;
  const places = plan.roots.flatMap(({ walked }) =>
    walked.directories.map((relative) => scan.display(`${walked.root.path}/${relative}`)),
  );
  if (repository.pruneRecords(places) > 0) scan.wrote = true;
}

function storedRoot(
  { root, directories, fingerprints, listed }: WalkedRoot,
  position: number,
  settled: SettledRoot,
): StoredRoot {
  const snapshot = { directories, fingerprints, listed, ...settled };
  return { path: root.path, position, key: rootKey(root), display: root.display, snapshot };
}

function catalogUpdated(scan: Scan, plan: ScanPlan, stored: readonly StoredRoot[]): readonly EventDraft[] {
  const { added, changed, removed, shadowed } = scan.counts;
  if (added + changed + removed + shadowed === 0) return [];
  const roots = plan.roots.map(({ walked }, position) => ({
    path: walked.root.display,
    source: walked.root.source,
    count: countWinners(stored[position]?.snapshot ?? EMPTY_SNAPSHOT),
  }));
  const collisions = scan.repository.shadowedCount();
  return [
    {
      type: 'skill.catalog_updated',
      stream: 'catalog',
      actor: 'registry',
      sensitivity: 'pseudonymous',
      payload: { count: scan.names.count(), roots, collisions, added, changed, removed },
    },
  ];
}
