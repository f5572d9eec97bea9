/** A repository as a source: fetched bare and read object by object, so that git never writes a file of it. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { ColibriError } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { namesPrivateHost } from './address.ts';
import type { Git, GitRun } from './git.ts';
import { publicAddress, type UrlGate } from './http-get.ts';
import { EXPANDED_BYTES_MAX, REPOSITORY_ENTRIES_MAX } from './limits.ts';
import type { Source } from './source.ts';
import type { SourceEntry, SourceTree } from './source-tree.ts';

export interface GitParts {
  readonly git: Git;
  readonly gate: UrlGate;
  /** An empty folder of our own; whoever made it removes it. */
  readonly scratch: string;
}

const LISTING_BYTES_MAX = 64 * 1024 * 1024;
const ANSWER_BYTES_MAX = 1024 * 1024;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** `pinned` is the commit that the lock names; then exactly that one is taken. */
export async function fetchGitTree(
  source: Source,
  { git, gate, scratch }: GitParts,
  pinned: string | null = null,
): Promise<SourceTree> {
  const repository = path.join(scratch, 'repository.git');
  mkdirSync(repository, { recursive: true });
  const failed = (why: string): ColibriError => unreachable(source, why);
  const run = async (rest: Omit<GitRun, 'repository' | 'outputBytesMax'> & { outputBytesMax?: number }) => {
    const result = await git({ outputBytesMax: ANSWER_BYTES_MAX, repository, ...rest });
    if (!result.ok) throw failed(result.reason);
    return result.stdout;
  };
  await run({ args: ['init', '--bare', '--quiet', '--template='] });
  const wanted = pinned ?? source.ref ?? 'HEAD';
  const remote = await remoteOf(source, gate);
  const problem = await fetchRef(wanted, (refs, depth) =>
    git({
      repository,
      outputBytesMax: ANSWER_BYTES_MAX,
      ...remote.options,
      args: ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', ...depth, '--', remote.url, ...refs],
    }),
  );
  if (problem !== null) throw failed(problem);
  const name = COMMIT.test(wanted) ? wanted : 'refs/colibri/wanted';
  const commit = (await run({ args: ['rev-parse', '--verify', '--end-of-options', `${name}^{commit}`] }))
    .toString('utf8')
    .trim();
  const listed = await run({
    args: ['ls-tree', '-r', '-l', '-z', '--full-tree', commit],
    outputBytesMax: LISTING_BYTES_MAX,
  });
  const objects = parseListing(listed);
  if (objects.length > REPOSITORY_ENTRIES_MAX)
    throw failed(`it has more than ${REPOSITORY_ENTRIES_MAX} files`);
  const ids = new Map(objects.map(({ id, entry }) => [entry.path, id]));
  return {
    entries: objects.map(({ entry }) => entry),
    commit,
    artifact: () => null,
    async read(paths) {
      const input = paths.map((file) => `${ids.get(file)}\n`).join('');
      const answer = await run({
        args: ['cat-file', '--batch'],
        input,
        outputBytesMax: 2 * EXPANDED_BYTES_MAX,
      });
      return parseObjects(answer, paths);
    },
  };
}

type Fetch = (refs: readonly string[], depth: readonly string[]) => ReturnType<Git>;

/** Null when it is there; else why not. */
async function fetchRef(wanted: string, fetch: Fetch): Promise<string | null> {
  if (!COMMIT.test(wanted)) {
    const result = await fetch([`+${wanted}:refs/colibri/wanted`], ['--depth=1']);
    return result.ok ? null : result.reason;
  }
  const direct = await fetch([wanted], ['--depth=1']);
  if (direct.ok) return null;
  // Some servers hand out only what a branch or tag points to; then the history has to be searched.
  const all = await fetch(['+refs/heads/*:refs/colibri/heads/*', '+refs/tags/*:refs/colibri/tags/*'], []);
  return all.ok ? null : all.reason;
}

interface Remote {
  readonly url: string;
  readonly options: Pick<GitRun, 'protocol' | 'settings'>;
}

async function remoteOf({ location, credentials }: Source, gate: UrlGate): Promise<Remote> {
  if (path.isAbsolute(location)) return { url: `file://${location}`, options: { protocol: 'file' } };
  if (!URL.canParse(location) || !/^[a-z]+:\/\//.test(location))
    return { url: location, options: { protocol: 'ssh' } };
  const url = new URL(location);
  const protocol = url.protocol.slice(0, -1);
  if (protocol !== 'http' && protocol !== 'https') return { url: location, options: { protocol } };
  const { named } = await gate(url);
  const { address } = await publicAddress(url, { allowPrivate: named || namesPrivateHost(url.hostname) });
  const port = url.port || (protocol === 'https' ? '443' : '80');
  // The address that was looked at, not one that the name leads to a moment later.
  const settings = [`http.curloptResolve=${url.hostname}:${port}:${address}`];
  if (credentials !== null) {
    const [user = '', ...password] = credentials.split(':');
    url.username = encodeURIComponent(user);
    url.password = encodeURIComponent(password.join(':'));
  }
  return { url: url.href, options: { protocol, settings } };
}

interface GitObject {
  readonly id: string;
  readonly entry: SourceEntry;
}

/** Lines of `mode type id size<TAB>path`, each ended by a NUL. */
function parseListing(listed: Buffer): readonly GitObject[] {
  return listed
    .toString('utf8')
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', , id = '', size = '0'] = line.slice(0, tab).split(/ +/);
      const kind = mode.startsWith('100') ? 'file' : mode === '120000' ? 'link' : 'special';
      const entry = {
        path: line.slice(tab + 1),
        size: Number(size) || 0,
        kind,
        executable: mode === '100755',
      } as const;
      return { id, entry };
    });
}

/** `id type size<LF>content<LF>`, one after the other in the order that was asked for. */
function parseObjects(answer: Buffer, paths: readonly string[]): ReadonlyMap<string, Buffer> {
  const contents = new Map<string, Buffer>();
  let at = 0;
  for (const file of paths) {
    const end = answer.indexOf(0x0a, at);
    const [, type, size] = answer.toString('utf8', at, end).split(' ');
    if (type !== 'blob') throw new Error(`git has no content for ${file}`);
    const start = end + 1;
    contents.set(file, answer.subarray(start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return contents;
}

function unreachable({ identity }: Source, why: string): ColibriError {
  const message = `the repository ${printable(identity)} cannot be fetched: ${printable(why)}`;
  return new ColibriError('SOURCE_UNREACHABLE', message, { source: identity });
}
