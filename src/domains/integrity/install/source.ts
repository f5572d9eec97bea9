/** Where skills can come from, and how a user writes it. Pure. */
import path from 'node:path';

import { ColibriError } from '../../../lib/errors.ts';
import { hasHiddenCharacters, printable } from '../../../lib/text.ts';
import { nameProblem } from './entry-name.ts';

export type SourceKind = 'git' | 'path' | 'archive' | 'well-known';

export interface Source {
  readonly kind: SourceKind;
  /** A URL without credentials, or an absolute path. */
  readonly location: string;
  /** What the patterns of the policy are held against. */
  readonly identity: string;
  /** A branch, a tag or a commit; null takes what the repository points to. */
  readonly ref: string | null;
  /** The folder to look in; empty for all of it. */
  readonly subpath: string;
  /** `user:password` of the URL; sent to that host alone, never stored or shown. */
  readonly credentials: string | null;
}

export interface SourceOptions {
  readonly cwd: string;
  readonly home: string;
  readonly ref?: string | undefined;
  readonly subpath?: string | undefined;
}

const ARCHIVE_NAME = /\.(?:zip|skill|tgz|tar\.gz)$/i;
const SHORT = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;
const LOCAL = /^(?:\.{1,2}(?:\/|$)|\/|~(?:\/|$))/;
const SCP =
  /^(?:[\w.-]+@[A-Za-z0-9][\w.-]*:(?![/-])[\w./~+-]+|[A-Za-z0-9][\w.-]*:(?![/-])[\w.~+-]+\/[\w./~+-]+)$/;
/** Hosts whose plain web addresses are repositories. */
const FORGES: ReadonlySet<string> = new Set(['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org']);
/** `https://github.com/o/r/tree/main/skills/x`, and GitLab's `/-/tree/`. */
const TREE_PAGE = /^(.+?)\/(?:-\/)?tree\/([^/]+)(?:\/(.+))?$/;
const INDEX_PATH = '/.well-known/agent-skills/index.json';
const REF = /^[A-Za-z0-9][\w./+-]{0,199}$/;

/** Reads what a user typed after `colibri add`. */
export function parseSource(text: string, options: SourceOptions): Source {
  if (text === '' || hasHiddenCharacters(text) || /\s/.test(text))
    throw invalid(text, 'it is empty or holds blanks');
  const { ref, subpath = '' } = options;
  if (ref !== undefined && (!REF.test(ref) || ref.includes('..')))
    throw invalid(text, `${JSON.stringify(printable(ref))} is no branch, tag or commit`);
  const folder = subpath.replace(/^\.\/|\/+$/g, '');
  const problem = folder === '' ? null : nameProblem(folder);
  if (problem !== null) throw invalid(text, `the path ${JSON.stringify(printable(folder))} ${problem}`);
  const found = locate(text, options);
  if (ref !== undefined && found.kind !== 'git' && found.kind !== 'path')
    throw invalid(text, 'only a repository has refs; leave --ref out');
  // A folder at some commit can only be a repository.
  const kind = found.kind === 'path' && ref !== undefined ? 'git' : found.kind;
  return makeSource({
    ...found,
    kind,
    ref: ref ?? found.ref ?? null,
    subpath: [found.subpath ?? '', folder].filter((part) => part !== '').join('/'),
  });
}

/** From its parts, as the lock keeps them. */
export function makeSource(
  parts: Omit<Source, 'identity' | 'credentials'> & { credentials?: string | null },
): Source {
  return { ...parts, credentials: parts.credentials ?? null, identity: identityOf(parts.location) };
}

/** One spelling for one place, so that a pattern cannot be passed by writing it in another way. */
export function identityOf(location: string): string {
  if (path.isAbsolute(location)) return `file://${location}`;
  const url = SCP.test(location) ? `ssh://${location.replace(':', '/')}` : location;
  return withoutEnd(new URL(url).href.replace(/^file:\/\/\/+/, 'file:///'));
}

function withoutEnd(url: string): string {
  return url.replace(/\/+$/, '').replace(/\.git$/, '');
}

type Found = Pick<Source, 'kind' | 'location'> & Partial<Source>;

function locate(text: string, { cwd, home }: SourceOptions): Found {
  if (LOCAL.test(text)) {
    const location = path.resolve(cwd, text.replace(/^~(?=\/|$)/, home));
    return { kind: ARCHIVE_NAME.test(location) ? 'archive' : 'path', location };
  }
  if (SHORT.test(text))
    return { kind: 'git', location: `https://github.com/${text.replace(/\.git$/, '')}.git` };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return locateUrl(text);
  if (SCP.test(text)) return { kind: 'git', location: text };
  throw invalid(text, 'write owner/repo, a URL, or a path that begins with ./');
}

function locateUrl(text: string): Found {
  const forced = /^git\+/i.test(text);
  const url = parseUrl(text.replace(/^git\+/i, ''), text);
  const credentials = credentialsOf(url);
  switch (url.protocol) {
    case 'file:':
      return ARCHIVE_NAME.test(url.pathname)
        ? { kind: 'archive', location: decodeURIComponent(url.pathname) }
        : { kind: 'git', location: url.href };
    case 'ssh:':
      return { kind: 'git', location: url.href };
    case 'http:':
    case 'https:':
      return { ...locateWeb(url, forced), credentials };
    default:
      throw invalid(text, `${url.protocol}// is not supported; use https://, ssh:// or file://`);
  }
}

function locateWeb(url: URL, forced: boolean): Found {
  const { pathname, href } = url;
  if (!forced && ARCHIVE_NAME.test(pathname)) return { kind: 'archive', location: href };
  if (forced || pathname.endsWith('.git')) return { kind: 'git', location: href };
  if (FORGES.has(url.hostname)) {
    const [, repository = href, ref, subpath] = TREE_PAGE.exec(href) ?? [];
    return {
      kind: 'git',
      location: `${withoutEnd(repository)}.git`,
      ...(ref === undefined ? {} : { ref: decodeURIComponent(ref) }),
      ...(subpath === undefined ? {} : { subpath: decodeURIComponent(subpath) }),
    };
  }
  if (pathname.endsWith('.json')) return { kind: 'well-known', location: href };
  return {
    kind: 'well-known',
    location: `${withoutEnd(href).replace(/\/\.well-known(?:\/agent-skills)?$/, '')}${INDEX_PATH}`,
  };
}

function parseUrl(text: string, written: string): URL {
  if (!URL.canParse(text)) throw invalid(written, 'it is no valid URL');
  const url = new URL(text);
  // What a server decodes on its own could lead to another place than the one that the policy looked at.
  if (/%(?:2f|5c|00|25)/i.test(url.pathname)) throw invalid(written, 'its path is encoded twice');
  url.hash = '';
  return url;
}

/** Takes them out of the URL. The name alone of an SSH user is part of the address. */
function credentialsOf(url: URL): string | null {
  if (url.protocol === 'ssh:') {
    url.password = '';
    return null;
  }
  const { username, password } = url;
  url.username = '';
  url.password = '';
  return username === '' && password === ''
    ? null
    : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
}

function invalid(text: string, why: string): ColibriError {
  // A URL may hold a password.
  const shown = printable(text.replace(/\/\/[^/@]*@/, '//'));
  return new ColibriError('SOURCE_INVALID', `${JSON.stringify(shown)} cannot be a source: ${why}`, {
    source: shown,
  });
}
