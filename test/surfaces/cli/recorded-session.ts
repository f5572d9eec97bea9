/** A workspace in which an agent has worked with skills, through the library. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { openColibri, type Session } from '../../../src/library.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { skillText, workspaceWith } from './harness.ts';

export const SKILLS = {
  'pdf-tools': skillText(
    { name: 'pdf-tools', description: 'Fill in and merge PDF files.' },
    '# PDF tools\n\nMerge them in order.\n',
  ),
  'release-notes': skillText({ name: 'release-notes', description: 'Write release notes from commits.' }),
  secret: skillText({
    name: 'secret',
    description: 'Only for people.',
    'disable-model-invocation': 'true',
  }),
};

export interface Recorded {
  readonly cwd: string;
  readonly home: string;
  readonly id: string;
}

/** Opens a session, lets it be used and, unless told otherwise, closes it. */
export async function recordedSession(
  use: (session: Session) => Promise<unknown> = searchAndLoad,
  { close = true, skills = SKILLS }: { close?: boolean; skills?: Readonly<Record<string, string>> } = {},
): Promise<Recorded> {
  const cwd = workspaceWith(skills);
  const home = temporaryDirectory();
  const references = path.join(cwd, '.agents/skills/pdf-tools/references');
  mkdirSync(references, { recursive: true });
  writeFileSync(path.join(references, 'forms.md'), 'One form a page.\n');
  const colibri = await openColibri({ workspace: cwd, home });
  try {
    const session = await colibri.sessions.open({ agent_id: 'ada' });
    await use(session);
    if (close) await session.close();
    return { cwd, home, id: session.id };
  } finally {
    await colibri.close();
  }
}

export async function searchAndLoad(session: Session): Promise<void> {
  await session.handleToolCall({ name: 'skill_search', input: { query: 'pdf' } });
  await session.handleToolCall({ name: 'skill_load', input: { name: 'pdf-tools' }, id: 'toolu_1' });
}

/** Opens a session in the same workspace and leaves it open. */
export async function openAnother({ cwd, home }: Recorded): Promise<string> {
  const colibri = await openColibri({ workspace: cwd, home });
  try {
    return (await colibri.sessions.open()).id;
  } finally {
    await colibri.close();
  }
}
