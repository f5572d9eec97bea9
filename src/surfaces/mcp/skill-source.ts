/** The registry as the source of the MCP skills extension (SEP-2640). */
import type { ListResourcesResult, Resource } from '@modelcontextprotocol/server';
import { type Skill, type SkillSource, skillEntry } from '@modelcontextprotocol/server/ext/skills';

import type { PublishedSkill } from '../../domains/skills/publication.ts';
import type { SkillsService } from '../../domains/skills/service.ts';
import { sha256Hex } from '../../lib/digest.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

const BASE = 'skill://';
const PAGE_SKILLS = 100;

export function createSkillSource(registry: () => Promise<SkillsService>, logger: Logger): SkillSource {
  const entries = async (page: readonly PublishedSkill[]): Promise<Skill[]> => {
    const made = await Promise.all(page.map((skill) => entryOf(skill, logger)));
    return made.filter((entry) => entry !== null);
  };
  return {
    async list({ cursor }) {
      const skills = await registry();
      const after = cursor === undefined ? undefined : decodeCursor(cursor);
      const page = skills.publishedPage({ after, limit: PAGE_SKILLS });
      const listed = await entries(page.skills);
      return page.next === null
        ? { skills: listed }
        : { skills: listed, nextCursor: encodeCursor(page.next) };
    },
    async get(uri) {
      const place = parseUri(uri);
      if (place?.file !== 'SKILL.md') return undefined;
      const skill = (await registry()).published(place.name);
      return skill === null ? undefined : ((await entryOf(skill, logger)) ?? undefined);
    },
    async read(uri) {
      const place = parseUri(uri);
      if (place === null) return undefined;
      const skills = await registry();
      const bytes = skills.readPublished(place.name, place.file);
      if (bytes === null || !(await isServed(skills, place.name, logger))) return undefined;
      return contentOf(place.file, bytes);
    },
    async readDirectory(uri) {
      const place = parseUri(uri);
      const skill = place === null ? null : (await registry()).published(place.name);
      if (place === null || skill === null || (await entryOf(skill, logger)) === null) return undefined;
      const resources = childrenOf(skill, place.file);
      return resources.length === 0 ? undefined : { resources };
    },
  };
}

/** A page of `resources/list`: the SKILL.md of each skill. The extension could only list all of them at once. */
export async function listSkillResources(
  skills: SkillsService,
  cursor: string | undefined,
  logger: Logger,
): Promise<ListResourcesResult> {
  const page = skills.publishedPage({
    after: cursor === undefined ? undefined : decodeCursor(cursor),
    limit: PAGE_SKILLS,
  });
  const fit = await Promise.all(page.skills.map(async (skill) => (await entryOf(skill, logger)) !== null));
  const resources = page.skills.filter((_, at) => fit[at]).map((skill) => fileResource(skill, 'SKILL.md'));
  return page.next === null ? { resources } : { resources, nextCursor: encodeCursor(page.next) };
}

const checked = new WeakMap<PublishedSkill, Promise<Skill | null>>();

/** Checked once per state of a skill: the registry hands out the same object until the files change. */
function entryOf(skill: PublishedSkill, logger: Logger): Promise<Skill | null> {
  let entry = checked.get(skill);
  if (entry === undefined) {
    entry = checkEntry(skill, logger);
    checked.set(skill, entry);
  }
  return entry;
}

/** Verdicts by name and digest of SKILL.md. The same bytes always get the same one, so it may be kept for the process. */
const verdicts = new Map<string, boolean>();
const VERDICTS_MAX = 10_000;

/** Whether the skill, as it was listed, may be read. Does not list it anew, which would make a change pass unnoticed. */
async function isServed(skills: SkillsService, name: string, logger: Logger): Promise<boolean> {
  const skillFile = skills.readPublished(name, 'SKILL.md');
  if (skillFile === null) return false;
  const known = verdicts.get(verdictKey(name, skillFile));
  if (known !== undefined) return known;
  const skill = skills.published(name);
  return skill !== null && (await entryOf(skill, logger)) !== null;
}

function verdictKey(name: string, skillFile: Buffer): string {
  return `${name} ${sha256Hex(skillFile)}`;
}

async function checkEntry(skill: PublishedSkill, logger: Logger): Promise<Skill | null> {
  const problem = await problemOf(skill);
  if (verdicts.size >= VERDICTS_MAX) verdicts.clear();
  verdicts.set(verdictKey(skill.name, skill.skillFile), problem === null);
  if (problem !== null) {
    logger(`[colibri] not published: ${skill.name}:`, problem);
    return null;
  }
  return {
    uri: uriOf(skill.name, 'SKILL.md'),
    // The publish profile has checked that both are strings.
    frontmatter: skill.frontmatter as Skill['frontmatter'],
    resources: skill.files.map(({ path, size, digest }) => ({
      uri: uriOf(skill.name, path),
      digest: `sha256:${digest}`,
      size,
    })),
  };
}

/** Clients read the frontmatter with the SDK's own parser and refuse a skill when it sees anything else than we do. */
async function problemOf(skill: PublishedSkill): Promise<string | null> {
  try {
    const { frontmatter } = await skillEntry(skill.name, { 'SKILL.md': skill.skillFile });
    const same = JSON.stringify(frontmatter) === JSON.stringify(skill.frontmatter);
    return same ? null : 'MCP clients would read its frontmatter differently';
  } catch (error) {
    return messageOf(error);
  }
}

function uriOf(name: string, file: string): string {
  return `${BASE}${name}/${file.split('/').map(encodeURIComponent).join('/')}`;
}

/**
 * `skill://name/path/of/file`, decoded once; null for anything else. Files are looked up in a manifest, never on disk;
 * spellings that no manifest has are refused all the same, so that a file has one URI.
 */
function parseUri(uri: string): { readonly name: string; readonly file: string } | null {
  if (!uri.startsWith(BASE)) return null;
  const [name = '', ...encoded] = uri.slice(BASE.length).split('/');
  try {
    const segments = encoded.map(decodeURIComponent);
    if (segments.some((segment) => /^\.{0,2}$|[/\0]/.test(segment))) return null;
    return { name, file: segments.join('/') };
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function childrenOf(skill: PublishedSkill, directory: string): Resource[] {
  const prefix = directory === '' ? '' : `${directory}/`;
  const children = new Map<string, Resource>();
  for (const { path } of skill.files) {
    if (!path.startsWith(prefix)) continue;
    const [child = '', ...deeper] = path.slice(prefix.length).split('/');
    if (deeper.length === 0) children.set(child, fileResource(skill, path));
    else if (!children.has(child)) {
      const uri = uriOf(skill.name, prefix + child);
      children.set(child, { uri, name: child, mimeType: 'inode/directory' });
    }
  }
  return [...children.values()];
}

function fileResource(skill: PublishedSkill, file: string): Resource {
  const uri = uriOf(skill.name, file);
  if (file === 'SKILL.md') {
    return { uri, name: skill.name, description: skill.description, mimeType: 'text/markdown' };
  }
  const mimeType = mimeTypeOf(file);
  const name = file.slice(file.lastIndexOf('/') + 1);
  return mimeType === undefined ? { uri, name } : { uri, name, mimeType };
}

function contentOf(
  file: string,
  bytes: Buffer,
): { text: string; mimeType?: string } | { bytes: Uint8Array; mimeType?: string } {
  const mimeType = mimeTypeOf(file);
  const type = mimeType === undefined ? {} : { mimeType };
  const text = bytes.toString('utf8');
  // Text only where it is the same bytes again: clients check digests.
  return Buffer.from(text, 'utf8').equals(bytes) ? { text, ...type } : { bytes, ...type };
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  txt: 'text/plain',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  py: 'text/x-python',
  js: 'text/javascript',
  ts: 'text/x-typescript',
  sh: 'application/x-sh',
  html: 'text/html',
  csv: 'text/csv',
  png: 'image/png',
  jpg: 'image/jpeg',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
};

function mimeTypeOf(file: string): string | undefined {
  return MIME_TYPES[file.slice(file.lastIndexOf('.') + 1).toLowerCase()];
}
