/** Paths as users know them. */
import path from 'node:path';

/** A path as users know it: relative to the workspace, else from `~`, else absolute; always with forward slashes. */
export function displayPath(
  absolute: string,
  where: { readonly workspace: string; readonly home: string },
): string {
  const inWorkspace = path.relative(where.workspace, absolute);
  if (isInside(inWorkspace)) return toPosix(inWorkspace);
  const inHome = path.relative(where.home, absolute);
  if (isInside(inHome)) return `~/${toPosix(inHome)}`;
  return toPosix(absolute);
}

/** `displayPath` for many paths: it remembers the folder of the last one, because neighbours come together. */
export function createDisplay(where: {
  readonly workspace: string;
  readonly home: string;
}): (absolute: string) => string {
  let folder = '';
  let shown = '';
  return (absolute) => {
    const end = absolute.lastIndexOf(path.sep);
    if (end === folder.length && end > 0 && absolute.startsWith(folder)) return shown + absolute.slice(end);
    const display = displayPath(absolute, where);
    const parent = absolute.slice(0, end);
    // In a folder that holds the workspace or the home, siblings are not shown alike.
    const holds = [where.workspace, where.home].some((place) =>
      `${place}${path.sep}`.startsWith(`${parent}${path.sep}`),
    );
    const name = absolute.slice(end + 1);
    if (!holds && path.sep === '/' && display.endsWith(`/${name}`)) {
      folder = parent;
      shown = display.slice(0, -name.length - 1);
    }
    return display;
  };
}

function isInside(relative: string): boolean {
  return (
    relative !== '' &&
    relative !== '..' &&
    !relative.startsWith(`..${path.sep}`) &&
    !path.isAbsolute(relative)
  );
}

function toPosix(value: string): string {
  return path.posix.normalize(path.sep === '/' ? value : value.split(path.sep).join('/'));
}
