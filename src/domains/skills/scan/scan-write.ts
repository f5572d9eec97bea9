/** Carries out a planned scan inside its transaction. */
import path from 'node:path';

import type { EventDraft } from '../../events/schema.ts';
import { Role } from './root-snapshot.ts';
import { rootKey } from './roots.ts';
import type { PlannedRoot, ScanPlan, StoredRoot } from './scan-plan.ts';
import { type Scan, type ScanParts, type Settled, startScan } from './scan-state.ts';
import { forget, settleRoot } from './settle.ts';

/** What a scan did to the catalog. */
export interface ScanChanges {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Copies that now stand in another's shadow. */
  readonly shadowed: number;
}

/** Null when only fingerprints, or nothing at all, had to be written. */
export function applyScan(plan: ScanPlan, parts: ScanParts): ScanChanges | null {
  const scan = startScan(plan, parts);
  // First, because a directory may have gone from one root and be found by another under the same path.
  for (const { path: gone, before } of plan.removed) forget(scan, parts.display(gone), before.role);
  const settled = plan.roots.map((planned) => settleRoot(scan, planned));
  dropLostNames(scan);
  if (plan.rootsChanged) dropUnknown(scan, plan);
  if (!scan.wrote && !scan.touched && !plan.rootsChanged && plan.removed.length === 0) return null;
  parts.repository.putRoots(
    plan.roots.map((planned, position) => snapshotOf(planned, position, settled[position] ?? [])),
  );
  parts.repository.skills.nextGeneration();
  if (!scan.wrote) return null;
  parts.events.append([...scan.drafts, ...catalogUpdated(scan, plan, settled)]);
  return scan.counts;
}

function dropLostNames(scan: Scan): void {
  for (const name of scan.winnersBefore) {
    if (scan.taken.has(name)) continue;
    scan.repository.skills.delete(name);
    scan.counts.removed++;
    scan.wrote = true;
  }
}

/** Without a record of every root, rows of unknown origin may be left, for example from the single-root loader. */
function dropUnknown(scan: Scan, plan: ScanPlan): void {
  scan.counts.removed += scan.repository.skills.prune([...scan.taken.keys()]);
  const places = plan.roots.flatMap(({ walked, directories }) =>
    directories.map(({ relative }) => scan.display(`${walked.root.path}/${relative}`)),
  );
  if (scan.repository.pruneRecords(places) + scan.counts.removed > 0) scan.wrote = true;
}

function snapshotOf(
  { walked, directories }: PlannedRoot,
  position: number,
  settled: readonly Settled[],
): StoredRoot {
  const names = new Map<number, string>();
  settled.forEach(({ name }, index) => {
    if (name !== null && name !== path.posix.basename(directories[index]?.relative ?? ''))
      names.set(index, name);
  });
  const snapshot = {
    directories: directories.map(({ relative }) => relative),
    fingerprints: walked.fingerprints,
    roles: Uint8Array.from(settled, ({ role }) => role),
    names,
  };
  const { path: root, display } = walked.root;
  return { path: root, position, key: rootKey(walked.root), display, snapshot };
}

function catalogUpdated(
  scan: Scan,
  plan: ScanPlan,
  settled: readonly (readonly Settled[])[],
): readonly EventDraft[] {
  const { added, changed, removed, shadowed } = scan.counts;
  if (added + changed + removed + shadowed === 0) return [];
  const roots = plan.roots.map(({ walked }, position) => ({
    path: walked.root.display,
    source: walked.root.source,
    count: (settled[position] ?? []).filter(({ role }) => role === Role.winner).length,
  }));
  const collisions = scan.repository.shadowedCount();
  return [
    {
      type: 'skill.catalog_updated',
      stream: 'catalog',
      actor: 'registry',
      sensitivity: 'pseudonymous',
      payload: { count: scan.taken.size, roots, collisions, added, changed, removed },
    },
  ];
}
