/** What one command of the installer works with: its place, the lock, and sources fetched at most once. */
import { ColibriError } from '../../../lib/errors.ts';
import { nearest, printable } from '../../../lib/text.ts';
import type { SourceVerdict } from '../../policy/source-rules.ts';
import type { Candidate, Scan } from './candidate.ts';
import { type Asking, type Consent, createConsent } from './consent.ts';
import { exclusively } from './exclusive.ts';
import { type FetchWish, fetchSource } from './fetch-source.ts';
import type { Git } from './git.ts';
import { type Lock, type LockEntry, lockLocation } from './lock.ts';
import { readLock } from './lock-file.ts';
import type { Place } from './place.ts';
import type { Source } from './source.ts';
import type { SourceTree } from './source-tree.ts';
import { makeScratch } from './transaction.ts';

export interface InstallParts {
  /** Skills of the workspace, and skills of the user. */
  readonly places: { readonly workspace: Place; readonly global: Place };
  readonly cwd: string;
  readonly home: string;
  readonly git: Git;
  readonly decide: (identity: string) => Promise<SourceVerdict>;
  readonly scan: Scan;
  /** Called when skills on the disk have changed. */
  readonly reload: () => Promise<unknown>;
}

export interface Scope extends Asking {
  /** Skills of the user instead of the workspace's. */
  readonly global?: boolean | undefined;
}

export interface InstallSession {
  readonly place: Place;
  readonly lock: Lock;
  readonly consent: Consent;
  /** Asks the policy first. */
  fetch(source: Source, wish?: FetchWish): Promise<SourceTree>;
}

/** Alone on its place from beginning to end, so that what was planned still holds when it is done. */
export function inSession<T>(
  parts: InstallParts,
  scope: Scope,
  work: (session: InstallSession) => Promise<T>,
): Promise<T> {
  const place = parts.places[scope.global === true ? 'global' : 'workspace'];
  return exclusively(place, async () => {
    const scratch = makeScratch(place);
    const consent = createConsent(parts.decide, scope);
    const fetched = new Map<string, Promise<SourceTree>>();
    const fetch = async (source: Source, wish: FetchWish = {}): Promise<SourceTree> => {
      const folder = `${scratch}/${fetched.size}`;
      await consent.admit(source.identity);
      return fetchSource(source, { git: parts.git, gate: consent.gate, scratch: folder }, wish);
    };
    return work({
      place,
      lock: readLock(place),
      consent,
      fetch(source, wish = {}) {
        const key = JSON.stringify([
          source.kind,
          source.location,
          source.ref,
          wish.commit ?? null,
          wish.names ?? null,
        ]);
        const known = fetched.get(key) ?? fetch(source, wish);
        fetched.set(key, known);
        return known;
      },
    });
  });
}

export function entryOf(
  { folder, accepted, digest, pinned }: Candidate,
  { source, tree, base }: { readonly source: Source; readonly tree: SourceTree; readonly base: string },
): LockEntry {
  return {
    kind: source.kind,
    source: lockLocation(source.location, base),
    ref: source.ref,
    commit: tree.commit,
    // An index has skills, not folders.
    subpath: source.kind === 'well-known' ? '' : folder,
    artifact: tree.artifact(folder),
    accepted,
    digest,
    files: pinned,
  };
}

/** The folder of an installed skill inside its source. */
export function folderOf(name: string, { kind, subpath }: LockEntry): string {
  return kind === 'well-known' ? name : subpath;
}

export function notInstalled(name: string, known: readonly string[]): ColibriError {
  const [near] = nearest(name, known);
  const hint = near === undefined ? '`colibri verify` lists what is' : `did you mean ${near}?`;
  return new ColibriError('NOT_INSTALLED', `${printable(name)} was not installed by colibri; ${hint}`, {
    name,
  });
}
