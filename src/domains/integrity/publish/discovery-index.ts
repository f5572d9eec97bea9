/** The index of the discovery format, version 0.2. Pure. */
import type { PublishedSkill } from '../../skills/publication.ts';
import { INDEX_SCHEMA } from '../install/well-known.ts';

export interface IndexedSkill {
  readonly skill: Pick<PublishedSkill, 'name' | 'description' | 'files'>;
  readonly artifact: { readonly type: 'skill-md' | 'archive'; readonly sha256: string };
}

/** `files` is not part of 0.2, whose readers skip it; readers of the older format look for it. */
export function indexText(entries: readonly IndexedSkill[], base: string): string {
  const skills = [...entries]
    .sort((a, b) => (a.skill.name < b.skill.name ? -1 : 1))
    .map(({ skill: { name, description, files }, artifact }) => ({
      name,
      type: artifact.type,
      description,
      url: base + encodeURI(artifact.type === 'archive' ? `${name}.tar.gz` : `${name}/SKILL.md`),
      digest: `sha256:${artifact.sha256}`,
      files: files.map(({ path }) => path),
    }));
  return `${JSON.stringify({ $schema: INDEX_SCHEMA, skills }, null, 2)}\n`;
}
