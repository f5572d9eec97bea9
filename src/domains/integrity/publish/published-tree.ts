/** `/.well-known/agent-skills/…` as a tree of files that are made when they are asked for. */
import type { PublishedSkill } from '../../skills/publication.ts';
import type { SkillsService } from '../../skills/service.ts';
import { type Artifact, packSkill } from './artifact.ts';
import { indexText } from './discovery-index.ts';

export interface PublishedFile {
  readonly bytes: Buffer;
  /** Its media type. */
  readonly type: string;
}

export interface PublishedTree {
  /** By its path below `/.well-known/agent-skills/`; null when there is no such file. */
  get(file: string): Promise<PublishedFile | null>;
  /** Every path, sorted. */
  paths(): Promise<readonly string[]>;
}

export type PublishedSkills = Pick<
  SkillsService,
  'publishedPage' | 'published' | 'readPublished' | 'get' | 'require' | 'placeOf'
>;

const INDEX = 'index.json';
const PAGE_SKILLS = 200;
const TYPES: ReadonlyMap<string, string> = new Map([
  ['.md', 'text/markdown; charset=utf-8'],
  ['.json', 'application/json'],
  ['.gz', 'application/gzip'],
]);

export interface TreeOptions {
  /** Put before every address in the index. */
  readonly base: string;
  /** Which skills are part of it; absent takes all that may be published. */
  readonly includes?: (name: string) => boolean;
}

export function publishedTree(
  skills: PublishedSkills,
  { base, includes = () => true }: TreeOptions,
): PublishedTree {
  // The registry hands out the same object until a file of the skill changes.
  const packed = new WeakMap<PublishedSkill, Promise<Artifact>>();
  const artifactOf = (skill: PublishedSkill): Promise<Artifact> => {
    const known = packed.get(skill) ?? pack(skills, skill);
    packed.set(skill, known);
    // What failed once may work the next time.
    known.catch(() => packed.delete(skill));
    return known;
  };
  const all = (): readonly PublishedSkill[] => {
    const found: PublishedSkill[] = [];
    let after: string | undefined;
    for (;;) {
      const page = skills.publishedPage({ after, limit: PAGE_SKILLS });
      found.push(...page.skills.filter(({ name }) => includes(name)));
      if (page.next === null) return found;
      after = page.next;
    }
  };
  return {
    async get(file) {
      if (file === INDEX) {
        const entries = [];
        for (const skill of all()) entries.push({ skill, artifact: await artifactOf(skill) });
        return { bytes: Buffer.from(indexText(entries, base)), type: typeOf(INDEX) };
      }
      const archive = /^([^/]+)\.tar\.gz$/.exec(file)?.[1];
      const skill = archive === undefined ? null : skills.published(archive);
      if (skill !== null && skill.files.length > 1)
        return { bytes: (await artifactOf(skill)).bytes, type: typeOf(file) };
      const [, name = '', inner = ''] = /^([^/]+)\/(.+)$/.exec(file) ?? [];
      const bytes = inner === '' ? null : skills.readPublished(name, inner);
      return bytes === null ? null : { bytes, type: typeOf(inner) };
    },
    async paths() {
      const files = all().flatMap((skill) => [
        ...skill.files.map(({ path }) => `${skill.name}/${path}`),
        ...(skill.files.length > 1 ? [`${skill.name}.tar.gz`] : []),
      ]);
      return [INDEX, ...files].sort();
    },
  };
}

async function pack(skills: PublishedSkills, skill: PublishedSkill): Promise<Artifact> {
  const directory = skills.placeOf(skills.get(skill.name)?.source_dir ?? '');
  if (directory === null) throw new Error(`${skill.name} went away while it was packed`);
  return packSkill({ skill, directory, read: (file) => skills.readPublished(skill.name, file) });
}

/** What is not known is handed out as bytes: a page of somebody's skill must not run as one of ours. */
function typeOf(file: string): string {
  return TYPES.get(/\.[^./]+$/.exec(file)?.[0] ?? '') ?? 'application/octet-stream';
}
