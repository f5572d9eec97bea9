// A throw-away workspace with two skills, so that each example runs on a clean machine and leaves nothing behind.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const SKILLS = {
  'code-review':
    'Review a change in order: intent, correctness, tests, names. Use when asked to review code.',
  'release-notes': 'Write release notes from merged changes. Use when a release is due.',
};

export function demoWorkspace(): { workspace: string; home: string; dbPath: string } {
  const workspace = mkdtempSync(path.join(tmpdir(), 'colibri-example-'));
  for (const [name, description] of Object.entries(SKILLS)) {
    const folder = path.join(workspace, '.agents', 'skills', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      path.join(folder, 'SKILL.md'),
      `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n# ${name}\n\nDo it step by step.\n`,
    );
  }
  process.on('exit', () => rmSync(workspace, { recursive: true, force: true }));
  return { workspace, home: workspace, dbPath: ':memory:' };
}
