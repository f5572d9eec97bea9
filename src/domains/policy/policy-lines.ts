/** Finds the line of a policy file that an issue is about. Pure. */
import { FAILSAFE_SCHEMA, load, type State } from 'js-yaml';

type Path = readonly PropertyKey[];

/** 1-based; `unknownKey` is a key below the path. The text has been parsed before, so it is valid YAML. */
export function lineOfIssue(text: string, path: Path, unknownKey: string | null): number {
  const lines = new Map<unknown, number>();
  const opened: number[] = [];
  const note = (event: 'open' | 'close', state: State): void => {
    if (event === 'open') opened.push(state.line + 1);
    else rememberLine(lines, state.result, opened.pop());
  };
  const root: unknown = load(text, {
    schema: FAILSAFE_SCHEMA,
    listener: (event, state) => note(event, state),
  });
  const wanted = unknownKey === null ? path : [...path, unknownKey];
  let node = root;
  let line = 1;
  for (const step of wanted) {
    const child = memberOf(node, step);
    // A scalar has no identity to find it by; its key stands at or below the line of its map.
    line = lines.get(child) ?? lineOfKey(text, line, String(step));
    node = child;
  }
  return line;
}

/** The outermost node that gives a value begins where the reader sees it begin. */
function rememberLine(lines: Map<unknown, number>, value: unknown, line: number | undefined): void {
  if (typeof value === 'object' && value !== null && line !== undefined) lines.set(value, line);
}

function memberOf(node: unknown, step: PropertyKey): unknown {
  if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step)) return undefined;
  // Own members of a parsed YAML map or list.
  return (node as Record<PropertyKey, unknown>)[step];
}

function lineOfKey(text: string, from: number, key: string): number {
  const rest = text.split('\n').slice(from - 1);
  const found = rest.findIndex((line) => [`${key}:`, `"${key}":`, `'${key}':`].some((k) => hasKey(line, k)));
  return found === -1 ? from : from + found;
}

function hasKey(line: string, key: string): boolean {
  const at = line.indexOf(key);
  return at !== -1 && /^$|[\s{,-]$/.test(line.slice(0, at));
}
