/** What a SKILL.md tells a host that is less strict than the standard. Pure. */
import { isUtf8 } from 'node:buffer';

import { createFindings } from '../skills/format/findings.ts';
import { splitFrontmatter } from '../skills/format/frontmatter.ts';
import { readFrontmatter } from '../skills/format/frontmatter-yaml.ts';
import type { DiskFrontmatter } from './host-view.ts';

const NOTHING = { name: null, description: null, repaired: false, modelHidden: false } as const;

/** Null when the frontmatter cannot be read, not even with its colons repaired. A file without any says nothing. */
export function hostFrontmatter(bytes: Uint8Array): DiskFrontmatter | null {
  if (!isUtf8(bytes)) return null;
  const fences = splitFrontmatter(
    Buffer.from(bytes)
      .toString('utf8')
      .replace(/^\ufeff/, ''),
  );
  if (fences.kind === 'unclosed') return null;
  if (fences.kind === 'missing') return { ...NOTHING, numbered: false };
  const findings = createFindings('SKILL.md', 'lenient', () => null);
  const read = readFrontmatter(findings, fences.yaml);
  if (read === null) return null;
  const { name, description, 'disable-model-invocation': hidden } = read.frontmatter;
  return {
    name: textOf(name),
    description: textOf(description),
    repaired: findings.all.some(({ code }) => code === 'yaml-repaired'),
    modelHidden:
      hidden === true || (typeof hidden === 'string' && /^(?:yes|on)$/i.test(hidden)) || hidden === 1,
    numbered: /\$1\b/.test(fences.body),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
