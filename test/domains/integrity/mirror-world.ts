/** A workspace with a canonical root and a mirror, and the services over it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { onTestFinished } from 'vitest';

import { type Runtime, startup } from '../../../src/startup.ts';
import { skillText } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

export interface MirrorWorld {
  readonly workspace: string;
  readonly home: string;
  readonly canonical: string;
  readonly mirror: string;
  readonly runtime: Runtime;
  /** Writes a file below the workspace and gives its path. */
  write(relative: string, text: string | Uint8Array, mode?: number): string;
  /** Writes a valid skill into a root. */
  skill(root: 'canonical' | 'mirror', name: string, body?: string): void;
  /** `kind skill`, for every finding. */
  drift(): Promise<readonly string[]>;
  events(type: string): Promise<readonly Record<string, unknown>[]>;
}

export interface MirrorOptions {
  readonly config?: unknown;
  readonly workspace?: string;
}

export async function mirrorWorld(options: MirrorOptions = {}): Promise<MirrorWorld> {
  const base = options.workspace ?? temporaryDirectory();
  const workspace = path.join(base, 'work');
  const home = path.join(base, 'home');
  const canonical = path.join(workspace, '.agents/skills');
  const mirror = path.join(workspace, '.claude/skills');
  for (const folder of [canonical, mirror, home]) mkdirSync(folder, { recursive: true });
  const write = (relative: string, text: string | Uint8Array, mode = 0o644): string => {
    const file = path.join(workspace, relative);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode });
    return file;
  };
  if (options.config !== undefined) write('colibri.config.json', JSON.stringify(options.config));
  const runtime = await startup({ workspace, home, dbPath: ':memory:', env: {}, logger: () => undefined });
  onTestFinished(() => runtime.close());
  return {
    ...{ workspace, home, canonical, mirror, runtime, write },
    skill(root, name, body = `# ${name}\n`) {
      const folder = root === 'canonical' ? '.agents/skills' : '.claude/skills';
      write(`${folder}/${name}/SKILL.md`, skillText(name, { body }));
    },
    async drift() {
      const { mirrors } = await runtime.drift.check();
      return mirrors.flatMap(({ findings }) => findings.map(({ kind, skill }) => `${kind} ${skill}`));
    },
    async events(type) {
      const rows = await runtime.events.read({ types: [type] });
      return rows.map(({ payload }) => JSON.parse(payload));
    },
  };
}
