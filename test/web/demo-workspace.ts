/** A workspace that looks like somebody's: for the tests of the page and for its pictures. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Runtime } from '../../src/startup.ts';
import { writeSkill, writeSkillFile } from '../support/skill-files.ts';

interface DemoSkill {
  readonly description: string;
  readonly capabilities?: string;
  readonly tools?: string;
  readonly tier?: number;
  /** Paragraphs of text. */
  readonly length: number;
}

const SKILLS: Readonly<Record<string, DemoSkill>> = {
  'accessibility-audit': {
    description: 'Check a page for barriers and mend them. Use before a release or when a user reports one.',
    capabilities: 'web, review',
    tools: 'Read Grep Bash(npx axe:*)',
    length: 14,
  },
  'api-design': {
    description:
      'Design an HTTP interface that lasts. Use when a new endpoint or a breaking change is planned.',
    capabilities: 'design',
    length: 22,
  },
  'commit-message': {
    description: 'Write a commit message from the staged changes. Use before every commit.',
    capabilities: 'git',
    tools: 'Bash(git diff:*) Bash(git log:*)',
    tier: 1,
    length: 4,
  },
  'data-migration': {
    description: 'Move data between schemas without losing a row. Use when a table changes its shape.',
    capabilities: 'database',
    tools: 'Read Bash(psql:*)',
    tier: 3,
    length: 40,
  },
  'incident-review': {
    description: 'Write what happened, why, and what changes. Use after an outage.',
    capabilities: 'writing, review',
    length: 18,
  },
  'load-test': {
    description:
      'Find out how much a service can take. Use before a launch or after a change of the hot path.',
    capabilities: 'performance',
    tools: 'Bash(k6:*)',
    length: 26,
  },
  'pdf-forms': {
    description: 'Fill in, merge and split PDF files. Use when a PDF has to be changed.',
    capabilities: 'pdf, documents',
    tools: 'Read Write Bash(python3:*)',
    tier: 1,
    length: 12,
  },
  'release-notes': {
    description: 'Write release notes from a list of commits. Use before a release.',
    capabilities: 'git, writing',
    tools: 'Bash(git log:*) Write',
    tier: 1,
    length: 6,
  },
  'review-changes': {
    description: 'Read a change as its next maintainer would. Use before it is merged.',
    capabilities: 'review',
    tools: 'Read Grep Glob',
    length: 30,
  },
  'secret-rotation': {
    description: 'Replace a leaked or old secret everywhere. Use at once when one was seen in a log.',
    capabilities: 'security',
    tier: 3,
    length: 9,
  },
  spreadsheets: {
    description:
      'Read, mend and build spreadsheets with formulas that still work. Use for xlsx and csv files.',
    capabilities: 'documents',
    length: 33,
  },
  'sql-tuning': {
    description: 'Make a slow query fast and prove it. Use when a query plan shows a scan.',
    capabilities: 'database, performance',
    tools: 'Read Bash(psql:*)',
    length: 20,
  },
  'test-first': {
    description: 'Write the test that fails, then the code. Use for every new behaviour and every bug.',
    capabilities: 'testing',
    tier: 1,
    length: 8,
  },
  'translate-interface': {
    description:
      'Translate the words of an interface without breaking their placeholders. Use for new languages.',
    capabilities: 'writing, web',
    length: 11,
  },
};

export function writeDemoWorkspace(workspace: string): void {
  const root = path.join(workspace, '.agents/skills');
  for (const [name, skill] of Object.entries(SKILLS)) {
    const lines = [
      'version: "1.2.0"',
      'license: Apache-2.0',
      `tier: ${skill.tier ?? 2}`,
      ...(skill.capabilities === undefined ? [] : [`capabilities: [${skill.capabilities}]`]),
      ...(skill.tools === undefined ? [] : [`allowed-tools: ${skill.tools}`]),
    ];
    writeSkill(root, name, { description: skill.description, lines, body: bodyOf(name, skill.length) });
  }
  const pdf = path.join(root, 'pdf-forms');
  mkdirSync(path.join(pdf, 'scripts'));
  mkdirSync(path.join(pdf, 'references'));
  writeFileSync(path.join(pdf, 'scripts/merge.py'), 'import sys\n\nprint("merging", *sys.argv[1:])\n');
  writeFileSync(path.join(pdf, 'references/fields.md'), '# Fields\n\nEvery field has a name and a kind.\n');
  writeSkill(path.join(workspace, '.claude/skills'), 'release-notes', {
    description: 'Write release notes. Use before a release.',
    lines: ['version: "1.1.0"'],
    body: bodyOf('release-notes', 5).replace('Say what changed', 'List what changed'),
  });
  writeSkill(path.join(workspace, '.claude/skills'), 'only-here', { description: 'Only in the mirror.' });
  writeSkillFile(root, 'half-written', '---\nname: half-written\n---\nNo description yet.\n');
  writeSkill(root, 'wide-open', {
    description: 'Asks for more than it needs.',
    lines: ['allowed-tools: [Bash, Read]', 'colour: green'],
  });
  writeProfiles(workspace);
  writeFileSync(
    path.join(workspace, 'colibri.policy.yaml'),
    [
      'use: team',
      'profiles:',
      '  team:',
      '    rules:',
      '      - { effect: deny, tool: "Bash(rm:*)", reason: "nothing is deleted by an agent" }',
      '      - { effect: allow, tool: Read }',
      '      - { effect: allow, tool: Grep }',
      '      - { effect: allow, tool: "Bash(git log:*)", agent_tier: [T0, T1, T2, T3] }',
      '      - { effect: ask, tool: "Bash(git push:*)", reason: "a person looks at what is pushed" }',
      '',
    ].join('\n'),
  );
}

/** Two profiles with a past. */
function writeProfiles(workspace: string): void {
  const folder = path.join(workspace, '.colibri/agents');
  mkdirSync(folder, { recursive: true });
  const profiles = [
    {
      name: 'fixer',
      does: 'Repairs small things.',
      skills: 'test-first, commit-message',
      history: [0.9, 42_000, 20],
    },
    { name: 'reviewer', does: 'Reads changes.', skills: 'review-changes', history: [0.75, 130_000, 8] },
  ];
  for (const { name, does, skills, history } of profiles) {
    const [success, duration, runs] = history;
    const lines = [
      `agent_type: ${name}`,
      `description: ${does}`,
      `pool: ${name === 'fixer' ? 'implementation' : 'review'}`,
      `skills: [${skills}]`,
      'permissions: { tools: ["skill_*", Read], write_access: true, admin_access: false }',
      'limits: { max_concurrent_tasks: 2, token_budget: 100000, timeout_ms: 300000 }',
      'runtime: { driver: stdio, command: [node, ./agent.mjs] }',
      `history: { success_rate: ${success}, avg_duration_ms: ${duration}, total_runs: ${runs} }`,
    ];
    writeFileSync(path.join(folder, `${name}.yaml`), `${lines.join('\n')}\n`);
  }
}

/** Tasks in several states; nobody works on them. */
export async function planInDemo({ tasks }: Pick<Runtime, 'tasks'>): Promise<void> {
  const service = await tasks();
  await service.create({ title: 'Rotate the staging secret', required_skills: ['secret-rotation'] }, 'demo');
  await service.create({ title: 'Fix the flaky login test', required_skills: ['test-first'] }, 'demo');
  const blocked = await service.create({ title: 'Tune the report query' }, 'demo');
  await service.block(blocked.id, { actor: 'demo', reason: 'waits for a copy of the data' });
  const dropped = await service.create({ title: 'Translate the sign-up page' }, 'demo');
  await service.cancel(dropped.id, { actor: 'demo', reason: 'no longer wanted' });
}

/** Two sessions that searched and loaded, one of them past its budget. */
export async function workInDemo({
  sessions,
  ctx,
}: Pick<Runtime, 'sessions' | 'ctx'>): Promise<readonly string[]> {
  const ids: string[] = [];
  const work = [
    { agent: 'ada', loads: ['pdf-forms', 'release-notes', 'commit-message', 'load-test'] },
    { agent: 'reviewer', loads: ['review-changes', 'release-notes'] },
  ];
  for (const { agent, loads } of work) {
    const { id } = await sessions.open({ agent_id: agent, agent_tier: 'T3' });
    const call = (name: string, input: object) =>
      ctx.tools.get(name)?.call({ ...input, session_id: id }, { door: 'library' });
    await call('skill_search', { query: loads[0] });
    for (const name of loads) await call('skill_load', { name });
    ids.push(id);
  }
  return ids;
}

function bodyOf(name: string, paragraphs: number): string {
  const title = name.replaceAll('-', ' ');
  return [
    `# ${title[0]?.toUpperCase()}${title.slice(1)}`,
    '',
    'Say what changed for the people who use it, not what was done.',
    '',
    '## Steps',
    '',
    '1. Read what is there before you change it.',
    '2. Run `npm test` and keep its output.',
    '3. See [the fields](references/fields.md) for the details.',
    '',
    '| when | then |',
    '|---|---|',
    '| it works | say how you know |',
    '| it does not | say what you tried |',
    '',
    ...Array.from(
      { length: paragraphs },
      (_, index) =>
        `${index + 1}. Look at one thing at a time, write down what you saw, and stop when the evidence is enough for somebody else to decide.`,
    ),
    '',
  ].join('\n');
}
