// From one sentence to a branch that can be reviewed: a real repository, a skill, a profile, and an agent that does the work.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const project = path.resolve(import.meta.dirname, '../..');
const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'colibri-example-')));
process.on('exit', () => rmSync(base, { recursive: true, force: true }));
const [repo, home] = [path.join(base, 'guide'), path.join(base, 'home')];
mkdirSync(home);

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
  command: [node, ${path.join(project, 'examples/agent-run/agent.mjs')}]
`;

function put(file: string, text: string): void {
  const target = path.join(repo, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
}

put('README.md', '# Guide\n\nHere teh reader learns to recieve parcels, and to seperate them.\n');
put('.agents/skills/fix-typos/SKILL.md', SKILL);
put('.agents/skills/fix-typos/references/words.txt', 'teh the\nrecieve receive\nseperate separate\n');
put('.colibri/agents/typo-fixer.yaml', PROFILE);
put('.gitignore', 'data/\n.colibri/worktrees/\n');
const env = { PATH: process.env['PATH'], HOME: home };
const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=person', '-c', 'user.email=person@example.invalid', ...args], {
    cwd: repo,
    env,
    encoding: 'utf8',
  }).trim();
git('init', '-q', '-b', 'main');
git('add', '.');
git('commit', '-qm', 'A guide, a skill, a profile');

/** The command line, as it was built. */
function colibri(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const words = [path.join(project, 'dist/cli.js'), ...args];
  return spawnSync(process.execPath, words, { cwd: repo, env, encoding: 'utf8' });
}

// A profile says what is run, and a skill what is done: both came with the repository, so a person vouches for them first.
assert.equal(colibri('trust', 'typo-fixer.yaml', 'fix-typos').status, 0);
const { status, stdout, stderr } = colibri(
  'run',
  'Fix the spelling in the guide',
  '--agent',
  'typo-fixer',
  '--json',
);
assert.equal(status, 0, `${stdout}\n${stderr}`);
const { state, branch } = JSON.parse(stdout);
assert.deepEqual({ state, branch }, { state: 'DONE', branch: 'feature/fix-the-spelling-in-the-guide' });
assert.equal(
  git('show', `${branch}:README.md`),
  '# Guide\n\nHere the reader learns to receive parcels, and to separate them.',
);
assert.match(git('show', 'main:README.md'), /recieve/);
console.log(`ok: ${branch} has ${git('log', '--format=%s', `main..${branch}`)}`);
