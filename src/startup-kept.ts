/** The part of the composition root that answers with the last list, if that is still what a list would be. */
import path from 'node:path';

import type { Config } from './config.ts';
import { databaseFile, databaseMark } from './db/database-file.ts';
import { SWITCH_FILE } from './domains/sessions/switches.ts';
import { createDisplay } from './domains/skills/display-path.ts';
import {
  type KeptList,
  type ListForm,
  type PrintedList,
  readKeptList,
  writeKeptList,
} from './domains/skills/kept-list.ts';
import type { SkillRoot } from './domains/skills/scan/roots.ts';
import type { RootBytes } from './domains/skills/scan/snapshot-layout.ts';
import { looksUnchanged } from './domains/skills/scan/unchanged.ts';
import { systemClock } from './lib/clock.ts';
import { fileMark } from './lib/file-mark.ts';
import { loadSettings, type SettingsOptions } from './startup-settings.ts';

/** Null when only a look at the database can answer. */
export async function findKeptList(
  options: SettingsOptions,
  { form, build }: { readonly form: ListForm; readonly build: string },
): Promise<KeptList | null> {
  const config = await loadSettings(options);
  if (config.surface === 'phase-0') return null;
  const state = listState(config, build);
  const kept = state === null ? null : readKeptList(keptListFile(config, form), state);
  return kept !== null && looksUnchanged(kept.seen, rootsOf(config)) ? kept : null;
}

export interface ListKeeper {
  take(list: PrintedList, roots: readonly RootBytes[]): void;
  /** To be called when the database is closed: keeps what was taken, if nobody has changed anything meanwhile. */
  settle(): void;
}

/** To be made before the database is opened. */
export function createListKeeper(config: Config, build: string): ListKeeper {
  const state = listState(config, build);
  let taken: { readonly list: PrintedList; readonly roots: readonly RootBytes[] } | null = null;
  return {
    take(list, roots) {
      taken = { list, roots };
    },
    settle() {
      if (taken === null || state === null || listState(config, build) !== state) return;
      const { list, roots } = taken;
      const file = keptListFile(config, list.form);
      // It may have been asked for in a way that is not answered from there.
      if (readKeptList(file, state) === null) writeKeptList(file, list, { state, roots });
    },
  };
}

/** Everything besides the roots that a list depends on. Null when it takes the database to tell. */
function listState({ database, workspace }: Config, build: string): string | null {
  const mark = databaseMark(databaseFile(database), systemClock.now());
  if (mark === null) return null;
  return [build, workspace, mark, fileMark(path.join(workspace, SWITCH_FILE))].join('\n');
}

function keptListFile({ database }: Config, form: ListForm): string {
  return `${databaseFile(database)}-list${form === 'json' ? '-json' : ''}`;
}

export function rootsOf(config: Config): readonly SkillRoot[] {
  const display = createDisplay(config);
  return config.roots.map((root) => ({ ...root, display: display(root.path) }));
}
