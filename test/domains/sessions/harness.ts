/** Sessions over real folders and a real database, with the kernel around them and no door. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { onTestFinished } from 'vitest';

import type { EventRow } from '../../../src/domains/events/schema.ts';
import type { SessionRequest } from '../../../src/domains/sessions/schema.ts';
import type { Envelope, ToolRequest } from '../../../src/server.ts';
import { type Runtime, type StartupOptions, startup } from '../../../src/startup.ts';
import { callTool, REQUEST } from '../../support/kernel.ts';
import { type SkillText, writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

export interface TestSessions {
  readonly runtime: Runtime;
  readonly workspace: string;
  readonly home: string;
  /** `<workspace>/.agents/skills`. */
  readonly root: string;
  /** Writes a skill into the workspace root; the index hears of it at the next `reload`. */
  skill(name: string, text?: SkillText): string;
  /** Writes one file of a skill and returns its path. */
  file(skill: string, file: string, content: string | Uint8Array): string;
  reload(): Promise<unknown>;
  open(request?: SessionRequest): Promise<TestSession>;
}

export interface TestSession {
  readonly id: string;
  call(tool: string, input?: object, request?: Partial<ToolRequest>): Promise<Envelope>;
  load(name: string): Promise<Envelope>;
  read(name: string, file: string): Promise<Envelope>;
  catalog(format?: 'markdown' | 'xml'): Promise<string>;
  events(type?: string): Promise<readonly EventRow[]>;
}

export interface TestSessionsOptions extends StartupOptions {
  /** Called before the first scan. */
  readonly before?: (root: string, home: string) => void;
}

export async function testSessions(options: TestSessionsOptions = {}): Promise<TestSessions> {
  const { before, ...more } = options;
  const workspace = more.workspace ?? path.join(temporaryDirectory(), 'work');
  const home = path.join(path.dirname(workspace), 'home');
  const root = path.join(workspace, '.agents', 'skills');
  mkdirSync(root, { recursive: true });
  before?.(root, home);
  const runtime = await startup({
    workspace,
    home,
    env: {},
    dbPath: ':memory:',
    logger: () => undefined,
    exit: () => undefined,
    trace: true,
    ...more,
  });
  onTestFinished(() => runtime.close());
  return {
    runtime,
    workspace,
    home,
    root,
    skill: (name, text) => writeSkill(root, name, text),
    file(skill, file, content) {
      const place = path.join(root, skill, file);
      mkdirSync(path.dirname(place), { recursive: true });
      writeFileSync(place, content);
      return place;
    },
    reload: () => runtime.skills.reload(),
    open: async (request) => testSession(runtime, (await runtime.sessions.open(request)).id),
  };
}

export function testSession(runtime: Runtime, id: string): TestSession {
  const call = (tool: string, input: object = {}, request: Partial<ToolRequest> = {}) =>
    callTool(runtime.ctx, tool, { ...input, session_id: id }, { ...REQUEST, ...request });
  return {
    id,
    call,
    load: (name) => call('skill_load', { name }),
    read: (name, file) => call('skill_read', { name, path: file }),
    catalog: async (format) => (await runtime.sessions.catalog(id, format)).text,
    async events(type) {
      const rows = await runtime.events.ofSession(id);
      return type === undefined ? rows : rows.filter((row) => row.type === type);
    },
  };
}

/** The text that a model would read. */
export function textOf(envelope: Envelope): string {
  return envelope.ok ? (envelope.text ?? '') : `${envelope.error.code}: ${envelope.error.message}`;
}

/** The members beside the text. */
export function dataOf(envelope: Envelope): Readonly<Record<string, unknown>> {
  if (!envelope.ok) throw new Error(`${envelope.error.code}: ${envelope.error.message}`);
  return envelope.data as Record<string, unknown>;
}

export function codeOf(envelope: Envelope): string {
  return envelope.ok ? 'ok' : envelope.error.code;
}

export function payloadOf({ payload }: EventRow): Readonly<Record<string, unknown>> {
  return JSON.parse(payload) as Record<string, unknown>;
}

/** A body that counts as exactly this many tokens. */
export function bodyOf(tokens: number): string {
  return 'x'.repeat(tokens * 4);
}
