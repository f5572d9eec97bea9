// A real repository with misspelled words, a skill that says how to mend them, and the profile of an agent that can.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const SKILL = `---
name: fix-typos
description: Correct misspelled words in Markdown files. Use when spelling is to be fixed.
metadata:
  colibri.triggers: typo, spelling
  colibri.verification: no listed word is left
---
# Fix typos

Replace each word on the left of \`references/words.txt\` by the one on its right, in every Markdown file. Change nothing else.
`;

const PROFILE = `agent_type: typo-fixer
description: Corrects spelling; knows nothing else.
skills: [fix-typos]
permissions:
  tools: ['skill_*']
  write_access: true
  admin_access: false
limits:
  max_concurrent_tasks: 1
  token_budget: 20000
  timeout_ms: 120000
runtime:
  command: [node, ${path.join(import.meta.dirname, 'agent.mjs')}]
`;

const FILES = {
  'README.md': '# Guide\n\nHere teh reader learns to recieve parcels, and to seperate them.\n',
  '.agents/skills/fix-typos/SKILL.md': SKILL,
  '.agents/skills/fix-typos/references/words.txt': 'teh the\nrecieve receive\nseperate separate\n',
  '.colibri/agents/typo-fixer.yaml': PROFILE,
  '.gitignore': 'data/\n.colibri/worktrees/\n',
};

/** Writes and commits it, and gives git for it. */
export function makeGuide(repo: string, env: NodeJS.ProcessEnv): (...args: readonly string[]) => string {
  for (const [file, text] of Object.entries(FILES)) {
    const target = path.join(repo, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  const person = ['-c', 'user.name=person', '-c', 'user.email=person@example.invalid'];
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [...person, ...args], { cwd: repo, env, encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'A guide, a skill, a profile');
  return git;
}
