/** Whether somebody vouched for the very bytes that are there now. Pure. */
import { createHmac } from 'node:crypto';

import { sha256Hex } from '../../lib/digest.ts';

/** A skill, or a file of the workspace that steers trust and policy. */
export interface TrustSubject {
  readonly kind: 'skill' | 'file';
  readonly name: string;
  /** Absolute, links resolved. */
  readonly path: string;
  /** What kind of root a skill is from. */
  readonly source?: string | undefined;
}

export interface TrustedFile {
  readonly path: string;
  readonly digest: string;
  readonly executable: boolean;
}

/** Everything in a skill's directory, hidden files too: a script can read those as well. */
export type TrustTree =
  | { readonly ok: true; readonly digest: string; readonly files: readonly TrustedFile[] }
  | { readonly ok: false; readonly reason: string };

export interface TrustRecord {
  readonly kind: 'skill' | 'file';
  readonly name: string;
  readonly path: string;
  readonly digest: string;
  readonly files: readonly TrustedFile[];
  readonly trusted_at: string;
  readonly trusted_by: string;
  /** Made with the user's key: a database that came with a workspace vouches for nothing. */
  readonly seal: string;
}

export interface FileChange {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed' | 'mode';
}

export interface TrustSettings {
  /** `COLIBRI_TRUST_WORKSPACE=1`: whoever started the process vouches for all of the workspace. */
  readonly everything: boolean;
  /** Absolute. Skills of a global root inside it are not the user's own. */
  readonly workspace: string;
  /** Absolute paths of roots that are trusted whatever they hold (`trust: path`). */
  readonly pathRoots: readonly string[];
  /** Null while the user has none, and so has vouched for nothing. */
  readonly key: string | null;
}

export interface TrustVerdict {
  readonly trusted: boolean;
  readonly why:
    | 'environment'
    | 'global'
    | 'config'
    | 'recorded'
    | 'never'
    | 'changed'
    | 'unreadable'
    | 'forged';
  /** What differs from what was trusted; empty unless it changed. */
  readonly changes: readonly FileChange[];
  readonly reason: string;
  /** The files that were vouched for; null when it is trusted whatever it holds, or not at all. */
  readonly files: readonly TrustedFile[] | null;
}

/** What is shown as trusted: whole roots, as displayed, and single skills by name. */
export interface TrustMarks {
  readonly roots: readonly string[];
  readonly skills: readonly string[];
}

export function isMarkedTrusted(
  { name, root }: { readonly name: string; readonly root: string },
  { roots, skills }: TrustMarks,
): boolean {
  return roots.includes(root) || skills.includes(name);
}

export interface TrustEvidence {
  readonly record: TrustRecord | null;
  /** Read only when it matters: most skills were never vouched for. */
  readonly tree: () => TrustTree;
}

export function judgeTrust(
  subject: TrustSubject,
  settings: TrustSettings,
  { record, tree }: TrustEvidence,
): TrustVerdict {
  const yes = (
    why: TrustVerdict['why'],
    reason: string,
    files: TrustVerdict['files'] = null,
  ): TrustVerdict => ({ trusted: true, why, changes: [], reason, files });
  const no = (why: TrustVerdict['why'], reason: string, changes: readonly FileChange[] = []) => ({
    trusted: false,
    why,
    changes,
    reason,
    files: null,
  });
  if (settings.everything) return yes('environment', 'COLIBRI_TRUST_WORKSPACE is set');
  if (subject.source === 'global' && !isInside(subject.path, settings.workspace))
    return yes('global', 'it is in your own root');
  if (settings.pathRoots.some((root) => isInside(subject.path, root)))
    return yes('config', 'its root has `trust: path`');
  if (record === null) return no('never', 'nobody has trusted it yet');
  if (!isGenuine(record, settings.key))
    return no('forged', 'its trust was not given on this machine by this user');
  const now = tree();
  if (!now.ok) return no('unreadable', now.reason);
  if (now.digest === record.digest) return yes('recorded', `trusted by ${record.trusted_by}`, record.files);
  return no('changed', 'it is not what was trusted', changesBetween(record.files, now.files));
}

/** The seal covers the digest, and the digest the list of files, so that no part of a record can be slipped in. */
export function isGenuine(record: TrustRecord, key: string | null): boolean {
  return key !== null && record.seal === sealOf(key, record) && treeDigest(record.files) === record.digest;
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Covers names, contents and which files can be executed. */
export function treeDigest(files: readonly TrustedFile[]): string {
  const lines = files.map(({ path, digest, executable }) => JSON.stringify([path, digest, executable]));
  return sha256Hex(lines.sort().join('\n'));
}

export function sealOf(
  key: string,
  { kind, name, path, digest }: Pick<TrustRecord, 'kind' | 'name' | 'path' | 'digest'>,
): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([kind, name, path, digest]))
    .digest('hex');
}

/** In order of their paths. */
export function changesBetween(
  before: readonly TrustedFile[],
  after: readonly TrustedFile[],
): readonly FileChange[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const now = new Map(after.map((file) => [file.path, file]));
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  return paths.flatMap((path) => {
    const change = changeOf(old.get(path), now.get(path));
    return change === null ? [] : [{ path, change }];
  });
}

function changeOf(
  before: TrustedFile | undefined,
  after: TrustedFile | undefined,
): FileChange['change'] | null {
  if (before === undefined) return 'added';
  if (after === undefined) return 'removed';
  if (before.digest !== after.digest) return 'changed';
  return before.executable === after.executable ? null : 'mode';
}
