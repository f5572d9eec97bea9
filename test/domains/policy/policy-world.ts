/** A workspace with skills, its index and its policy service, all real; gone when the test ends. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { onTestFinished } from 'vitest';

import { type ColibriDatabase, openDatabase } from '../../../src/db/database.ts';
import { checkPayload } from '../../../src/domains/events/schema.ts';
import type { PolicyEventDraft } from '../../../src/domains/policy/decision-event.ts';
import { createPolicyService, type PolicyService } from '../../../src/domains/policy/service.ts';
import { createTrustKey } from '../../../src/domains/policy/trust-key.ts';
import type { TrustParts } from '../../../src/domains/policy/trust-service.ts';
import type { SkillsService } from '../../../src/domains/skills/service.ts';
import { type Runtime, startup } from '../../../src/startup.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

export interface PolicyWorld {
  readonly workspace: string;
  readonly home: string;
  readonly db: ColibriDatabase;
  readonly runtime: Runtime;
  readonly skills: SkillsService;
  readonly policy: PolicyService;
  /** What was recorded, in order. */
  readonly events: PolicyEventDraft[];
  /** The same world, seen by a process that was started in another way. */
  service(more?: Partial<TrustParts>): PolicyService;
  write(file: string, text: string): void;
}

export const SKILL = (name: string, ...lines: readonly string[]): string =>
  ['---', `name: ${name}`, `description: About ${name}.`, ...lines, '---', `# ${name}`, ''].join('\n');

/** `files` are relative to the workspace; those that begin with `~/` lie in the home. */
export async function policyWorld(files: Readonly<Record<string, string>>): Promise<PolicyWorld> {
  const base = temporaryDirectory();
  const [workspace, home] = [path.join(base, 'work'), path.join(base, 'home')];
  const write = (file: string, text: string): void => {
    const target = file.startsWith('~/') ? path.join(home, file.slice(2)) : path.join(workspace, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  };
  for (const folder of [workspace, home]) mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) write(file, text);
  const runtime = await startup({ workspace, home, env: {}, logger: () => undefined });
  onTestFinished(() => runtime.close());
  const db = openDatabase(path.join(workspace, 'data/colibri.db'));
  onTestFinished(() => db.close());
  addTrustTable(db);
  const events: PolicyEventDraft[] = [];
  const parts: TrustParts = {
    db,
    skills: runtime.skills,
    clock: fixedClock(),
    key: createTrustKey(home, () => randomBytes(32).toString('hex')),
    workspace,
    home,
    trustWorkspace: false,
    pathRoots: [],
    configFile: null,
    events: {
      append: async (_, drafts) => {
        for (const draft of drafts) checkPayload(draft);
        events.push(...drafts);
      },
      wake: () => undefined,
    },
  };
  const service = (more: Partial<TrustParts> = {}) => createPolicyService({ ...parts, ...more });
  return { workspace, home, db, runtime, skills: runtime.skills, policy: service(), events, service, write };
}

/** While the migration is a draft, the tests apply it themselves. */
function addTrustTable({ handle }: ColibriDatabase): void {
  const draft = path.resolve(import.meta.dirname, '../../../src/db/migrations/policy.sql.draft');
  if (existsSync(draft)) handle.exec(readFileSync(draft, 'utf8'));
}
