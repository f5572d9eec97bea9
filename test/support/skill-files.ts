import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes `<root>/<directory>/SKILL.md` with exactly this content and returns its path. */
export function writeSkillFile(root: string, directory: string, content: string | Uint8Array): string {
  const folder = path.join(root, directory);
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'SKILL.md');
  writeFileSync(file, content);
  return file;
}

export interface SkillText {
  readonly description?: string;
  readonly body?: string;
  /** More frontmatter, for example `version: "1.0"`. */
  readonly lines?: readonly string[];
}

/** Writes a valid skill of that name and returns the path of its SKILL.md. */
export function writeSkill(root: string, name: string, text: SkillText = {}): string {
  return writeSkillFile(root, name, skillText(name, text));
}

export function skillText(name: string, text: SkillText = {}): string {
  const { description = `About ${name}.`, body = `# ${name}\n`, lines = [] } = text;
  return ['---', `name: ${name}`, `description: ${JSON.stringify(description)}`, ...lines, '---', body].join(
    '\n',
  );
}
