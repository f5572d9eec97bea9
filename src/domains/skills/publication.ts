/** Skills as the MCP skills extension serves them: those that pass the publish profile, file by file. */

import path from 'node:path';

import { sha256Hex } from '../../lib/digest.ts';
import { ColibriError } from '../../lib/errors.ts';
import { realPathOf } from '../../lib/real-path.ts';
import { regularBytes } from '../../lib/regular-file.ts';
import { hashFiles, type ManifestFile, walkTree } from './manifest.ts';
import { parseSkill } from './parse.ts';
import type { SkillFrontmatter } from './schema.ts';
import { SKILL_BYTES_MAX } from './skill-file.ts';
import { TREE_BYTES_MAX } from './skill-tree.ts';

export interface PublishedSkill {
  readonly name: string;
  readonly description: string;
  /** Exactly the file's, as JSON. */
  readonly frontmatter: SkillFrontmatter;
  /** Sorted by path, SKILL.md among them. */
  readonly files: readonly ManifestFile[];
  /** The bytes of SKILL.md that all of the above was read from. */
  readonly skillFile: Buffer;
}

export interface Publication {
  /** The present state of a skill; null when it may not be published (`colibri validate --publish` tells why). */
  publish(skill: SkillPlace): PublishedSkill | null;
  /** The real path of a directory that lies inside a root, else null. */
  inside(directory: string): string | null;
  /** A file as it was when the skill was last listed, or null. Refuses when the disk has something else by now. */
  read(skill: SkillPlace, file: string): Buffer | null;
}

export interface SkillPlace {
  readonly name: string;
  /** Absolute. */
  readonly directory: string;
}

/** Listings kept in memory; the one made first goes first. */
const KEPT_MAX = 5_000;

/** `roots` are absolute; a directory that leads out of all of them is never read. */
export function createPublication(roots: readonly string[]): Publication {
  const kept = new Map<string, { readonly fingerprint: string; readonly skill: PublishedSkill | null }>();

  const publish = ({ name, directory }: SkillPlace): PublishedSkill | null => {
    const real = realPathInside(directory, roots);
    const tree = real === null ? null : walkTree(real);
    if (real === null || !tree?.ok) return null;
    const known = kept.get(real);
    if (known?.fingerprint === tree.fingerprint) return known.skill;
    const skill = readPublished({ name, directory: path.basename(directory) }, real, tree.files);
    const after = walkTree(real);
    // Something moved while it was read, perhaps a folder became a link out: this state must not be handed out.
    if (!after.ok || after.fingerprint !== tree.fingerprint) return null;
    kept.delete(real);
    kept.set(real, { fingerprint: tree.fingerprint, skill });
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    return skill;
  };

  return {
    publish,
    inside: (directory) => realPathInside(directory, roots),
    read(place, file) {
      const real = realPathInside(place.directory, roots);
      if (real === null) return null;
      const skill = kept.get(real)?.skill ?? publish(place);
      const listed = skill?.files.find((candidate) => candidate.path === file);
      if (listed === undefined) return null;
      const bytes = regularBytes(`${real}/${file}`, TREE_BYTES_MAX);
      if (bytes !== null && sha256Hex(bytes) === listed.digest) return bytes;
      // The next listing tells the new state; until then nothing that was not listed leaves the disk.
      kept.delete(real);
      const message = `${place.name}/${file} has changed since the skill was listed; list it again`;
      throw new ColibriError('FILE_CHANGED', message, { skill: place.name, file });
    },
  };
}

interface PublishedName {
  readonly name: string;
  /** The name of the directory as it is found, not where a link leads. */
  readonly directory: string;
}

function readPublished(
  { name, directory }: PublishedName,
  from: string,
  paths: readonly string[],
): PublishedSkill | null {
  const manifest = hashFiles(from, paths);
  if (!manifest.ok) return null;
  const skillFile = regularBytes(`${from}/SKILL.md`, SKILL_BYTES_MAX);
  if (skillFile === null) return null;
  const listed = manifest.files.find((file) => file.path === 'SKILL.md');
  // It may have changed between the two reads; then this state is not one that ever was.
  if (listed?.digest !== sha256Hex(skillFile)) return null;
  const { skill } = parseSkill(skillFile, { file: 'SKILL.md', directory }, { profile: 'publish' });
  if (skill?.name !== name) return null;
  const { description, frontmatter } = skill;
  return { name, description, frontmatter, files: manifest.files, skillFile };
}

function realPathInside(directory: string, roots: readonly string[]): string | null {
  const real = realPathOf(directory);
  if (real === null) return null;
  const inside = roots.some((root) => real.startsWith(`${realPathOf(root) ?? root}${path.sep}`));
  return inside ? real : null;
}
