import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { splitFrontmatter } from '../../src/domains/skills/format/frontmatter.ts';
import { parseSkill } from '../../src/domains/skills/parse.ts';
import { parseYaml } from '../../src/lib/yaml.ts';

// The data is not part of the project; the environment says where it is.
const unpacked = process.env['COLIBRI_DATA'];
const archive = path.resolve(import.meta.dirname, '../../../../shared/data/skills.tar.gz');
const available = unpacked !== undefined || fs.existsSync(archive);

describe('public skills', () => {
  let folder = '';
  let temporary: string | null = null;

  beforeAll(() => {
    if (!available) return;
    folder = unpacked ?? (temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'colibri-corpus-')));
    if (temporary !== null) execFileSync('tar', ['xzf', archive, '-C', temporary]);
  });

  afterAll(() => {
    if (temporary !== null) fs.rmSync(temporary, { recursive: true });
  });

  it(
    available
      ? 'read as the yaml package reads them, and none is refused that it takes'
      : 'are not on this machine: nothing to compare',
    () => {
      if (!available) return;
      const disagreements: string[] = [];
      let compared = 0;
      for (const file of skillFiles(folder)) {
        const bytes = fs.readFileSync(file);
        // Must not throw, whatever the file holds.
        parseSkill(bytes, { file, directory: path.basename(path.dirname(file)) });
        const fences = splitFrontmatter(bytes.toString('utf8').replace(/^\ufeff/, ''));
        if (fences.kind !== 'found') continue;
        compared++;
        const ours = parseYaml(fences.yaml);
        const text = ours.ok ? JSON.stringify(ours.value) : 'refused';
        if (text !== readWithYaml(fences.yaml)) disagreements.push(file);
      }
      expect(disagreements).toEqual([]);
      expect(compared).toBeGreaterThan(0);
    },
  );
});

function skillFiles(folder: string): string[] {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => path.basename(name) === 'SKILL.md').map((name) => path.join(folder, name));
}

function readWithYaml(source: string): string {
  try {
    return JSON.stringify(parse(source, { logLevel: 'error' }));
  } catch {
    return 'refused';
  }
}
