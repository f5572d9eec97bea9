/** Reads `git worktree list --porcelain -z`. Pure. */
export interface ListedWorktree {
  readonly path: string;
  /** `refs/heads/…`; null when HEAD is detached. */
  readonly branch: string | null;
  readonly locked: boolean;
  /** Why it is locked, where somebody said so. */
  readonly reason: string | null;
}

export function parseWorktrees(text: string): readonly ListedWorktree[] {
  return text
    .split('\0\0')
    .map((block) => block.split('\0').filter((line) => line !== ''))
    .filter((lines) => lines.length > 0)
    .map((lines) => ({
      path: fieldOf(lines, 'worktree') ?? '',
      branch: fieldOf(lines, 'branch') ?? null,
      locked: lines.some((line) => line === 'locked' || line.startsWith('locked ')),
      reason: fieldOf(lines, 'locked') ?? null,
    }));
}

function fieldOf(lines: readonly string[], key: string): string | undefined {
  return lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1);
}
