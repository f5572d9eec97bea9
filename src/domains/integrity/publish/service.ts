/** Publishes the skills of the registry: file by file for a server, or as a folder for any web host. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { ColibriError, messageOf, systemCodeOf } from '../../../lib/errors.ts';
import { requireInside } from '../../../lib/inside.ts';
import { type PublishedFile, type PublishedSkills, publishedTree } from './published-tree.ts';

export interface PublishRequest {
  /** The folder of the site; `.well-known/agent-skills` is made inside. */
  readonly out: string;
  /** Where the site will be; absent: at the root of its host. */
  readonly baseUrl?: string | undefined;
  /** Names, or `*`; absent takes those of the workspace, because a user's own are rarely meant for everybody. */
  readonly skills?: readonly string[] | undefined;
}

export interface PublishReport {
  readonly folder: string;
  readonly skills: readonly string[];
  readonly files: number;
  readonly bytes: number;
}

export interface PublishService {
  /** By its path below `/.well-known/agent-skills/`; null when there is no such file. */
  get(file: string): Promise<PublishedFile | null>;
  /** Replaces the tree of an earlier run as a whole. */
  write(request: PublishRequest): Promise<PublishReport>;
}

const BELOW = '.well-known/agent-skills';

/** A folder in the workspace is not left through a link that came with it; elsewhere links are the user's own. */
export function createPublishService(skills: PublishedSkills, workspace: string): PublishService {
  const live = publishedTree(skills, { base: `/${BELOW}/` });
  return {
    get: live.get,
    async write({ out, baseUrl, skills: wanted }) {
      const base = baseUrl === undefined ? `/${BELOW}/` : `${siteUrl(baseUrl)}/${BELOW}/`;
      const tree = publishedTree(skills, { base, includes: choice(skills, wanted) });
      const paths = await tree.paths();
      const folder = path.join(out, BELOW);
      requireInside(folder, workspace);
      refuseForeign(folder);
      let bytes = 0;
      try {
        const next = `${folder}.next`;
        rmSync(next, { recursive: true, force: true });
        for (const file of paths) bytes += writeOne(path.join(next, file), await tree.get(file));
        rmSync(folder, { recursive: true, force: true });
        renameSync(next, folder);
      } catch (error) {
        if (systemCodeOf(error) === undefined) throw error;
        throw unwritable(folder, messageOf(error), error);
      }
      const names = [
        ...new Set(paths.filter((file) => file.includes('/')).map((file) => file.split('/')[0] ?? '')),
      ];
      return { folder, skills: names, files: paths.length, bytes };
    },
  };
}

function choice(skills: PublishedSkills, wanted: readonly string[] | undefined): (name: string) => boolean {
  if (wanted === undefined) return (name) => skills.get(name)?.source === 'workspace';
  if (wanted.includes('*')) return () => true;
  for (const name of wanted) {
    skills.require(name);
    if (skills.published(name) !== null) continue;
    const message = `${name} may not be published; \`colibri validate --publish\` tells why`;
    throw new ColibriError('SKILL_REFUSED', message, { name });
  }
  return (name) => wanted.includes(name);
}

function writeOne(file: string, content: PublishedFile | null): number {
  if (content === null) throw unwritable(file, 'a skill changed while it was published; try again');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content.bytes, { flag: 'wx' });
  return content.bytes.length;
}

/** Only what an earlier run has made is replaced. */
function refuseForeign(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).length === 0 || existsSync(path.join(folder, 'index.json')))
    return;
  throw unwritable(folder, 'it is there already and has no index.json, so it was not published by anybody');
}

function siteUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw new ColibriError(
    'USAGE',
    `the base URL ${JSON.stringify(text)} is no address of a site; write https://…`,
  );
}

function unwritable(folder: string, why: string, cause?: unknown): ColibriError {
  const message = `${folder} cannot be published to: ${why}`;
  return new ColibriError('INSTALL_PLACE', message, { folder }, { cause });
}
