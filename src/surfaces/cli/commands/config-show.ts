import { statSync } from 'node:fs';

import type { Config, SettingOrigin } from '../../../config.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import type { Output } from '../output.ts';
import { placesOf } from '../runtime.ts';
import { tabLines, tableLines } from '../table.ts';

type Root = Config['roots'][number] & { readonly exists: boolean };

/** Opens no database, so that it can be used to find out why one does not open. */
export async function run(context: CommandContext): Promise<ExitCode> {
  const { flags, host, out } = context;
  const { readSettings } = await host.boot();
  const config = await readSettings(placesOf(context));
  const settings = config.origins.map((origin) => withWholePath(origin, config));
  const roots = config.roots.map((root): Root => ({ ...root, exists: isFolder(root.path) }));
  if (flags.switches.has('json')) out.json({ settings, roots });
  else out.lines(out.terminal ? tables(settings, roots, out) : tabs(settings, roots));
  return EXIT.ok;
}

/** What was written may be relative; what counts is where it leads. */
function withWholePath(origin: SettingOrigin, { workspace, database }: Config): SettingOrigin {
  if (origin.key === 'workspace') return { ...origin, value: workspace };
  return origin.key === 'database' ? { ...origin, value: database } : origin;
}

function tables(settings: readonly SettingOrigin[], roots: readonly Root[], out: Output): string[] {
  const table = (header: readonly string[], rows: readonly (readonly string[])[]) => {
    const [first = '', ...lines] = tableLines({ header, rows, width: out.width });
    return [out.paint('bold', first), ...lines];
  };
  return [
    ...table(['SETTING', 'FROM', 'VALUE'], settings.map(settingRow)),
    '',
    ...table(['ROOT', 'PROFILE', 'DEPTH', 'EXISTS', 'PATH'], roots.map(rootRow)),
  ];
}

/** The first word tells settings from roots. */
function tabs(settings: readonly SettingOrigin[], roots: readonly Root[]): string[] {
  return tabLines([
    ...settings.map((setting) => ['setting', ...settingRow(setting)]),
    ...roots.map((root) => ['root', ...rootRow(root)]),
  ]);
}

function settingRow({ key, from, value }: SettingOrigin): string[] {
  return [key, printable(from), value === '' ? '-' : printable(value)];
}

function rootRow({ source, profile, depth, exists, path }: Root): string[] {
  return [source, profile, String(depth), exists ? 'yes' : 'no', printable(path)];
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // Closed to us, or below a file: a scan would not get in either.
    return false;
  }
}
