/** A session that has loaded a skill with scripts, in a workspace with a policy. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { type TestSessionsOptions, testSessions } from './harness.ts';

export const ALLOW =
  'use: mine\nprofiles:\n  mine:\n    rules:\n      - { effect: allow, tool: skill_run }\n';

interface RunWorld extends TestSessionsOptions {
  readonly policy?: string | null;
  readonly trusted?: boolean;
  readonly lines?: readonly string[];
}

/** A session that has loaded a skill with these scripts. */
export async function loadedSkill(scripts: Readonly<Record<string, string>>, options: RunWorld = {}) {
  const { policy = ALLOW, trusted = true, lines = [], ...more } = options;
  const scratch = temporaryDirectory();
  // As root, scripts run as another user, who has to get there.
  chmodSync(scratch, 0o755);
  const scratchRoot = path.join(scratch, 'scratch');
  const sessions = await testSessions({
    env: trusted ? { COLIBRI_TRUST_WORKSPACE: '1' } : {},
    scratchRoot,
    before: (root) => {
      writeSkill(root, 'tools', { lines, body: 'Use the scripts.\n' });
      for (const [name, text] of Object.entries(scripts)) {
        mkdirSync(path.join(root, 'tools', 'scripts'), { recursive: true });
        writeFileSync(path.join(root, 'tools', 'scripts', name), text);
      }
      if (policy !== null) writeFileSync(path.join(root, '..', '..', 'colibri.policy.yaml'), policy);
    },
    ...more,
  });
  const session = await sessions.open();
  await session.load('tools');
  const run = (script: string, input: object = {}, request: object = {}) =>
    session.call('skill_run', { name: 'tools', script: `scripts/${script}`, ...input }, request);
  return { sessions, session, run, scratchRoot };
}
