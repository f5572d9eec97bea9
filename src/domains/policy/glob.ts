/** Globs: `*` stands for any text without a slash, `**` for any text at all. Pure. */

export interface GlobOptions {
  /** `*` crosses slashes, too: command lines are not paths. */
  readonly flat?: boolean;
}

/** Follows all ways through the glob at once, so that no glob takes longer than its length times the text's. */
export function matchesGlob(glob: string, text: string, { flat = false }: GlobOptions = {}): boolean {
  if (!glob.includes('*')) return glob === text;
  const tokens = glob.match(/\*+|[^*]/gu) ?? [];
  let reached = skipStars(tokens, new Set([0]));
  for (const character of text) {
    const next = new Set<number>();
    for (const index of reached) {
      const token = tokens[index];
      if (token === undefined) continue;
      if (!token.startsWith('*')) {
        if (token === character) next.add(index + 1);
      } else if (flat || token !== '*' || character !== '/') {
        next.add(index);
      }
    }
    reached = skipStars(tokens, next);
    if (reached.size === 0) return false;
  }
  return reached.has(tokens.length);
}

/** A star may stand for nothing. */
function skipStars(tokens: readonly string[], from: ReadonlySet<number>): ReadonlySet<number> {
  const all = new Set(from);
  // A set hands out what is added while it is walked through.
  for (const index of all) if (tokens[index]?.startsWith('*')) all.add(index + 1);
  return all;
}
