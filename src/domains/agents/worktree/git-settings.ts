/** What the configuration of a repository may not say, because git would run it. Pure. */

/**
 * Filters run when files are checked out or compared, drivers when they are merged, signing programs when a merge is
 * committed. What is read only on some branch or in some folder cannot be seen before git is there.
 */
const FOREIGN =
  /^(?:filter\..*\.(?:clean|smudge|process)|merge\..*\.driver|gpg\.(?:.*\.)?(?:program|defaultkeycommand)|hook\..*\.command|includeif\..*\.path)$/;

/** Keys of the repository itself, of `git config --list --show-scope --name-only -z`. Those of the user and the system are trusted. */
export function ownSettings(listed: string): readonly string[] {
  const fields = listed.split('\0');
  return fields.filter((_, at) => {
    const scope = fields[at - 1];
    return at % 2 === 1 && (scope === 'local' || scope === 'worktree');
  });
}

/** Those by which a repository would choose what is run. */
export function foreignSettings(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => FOREIGN.test(key));
}
