/** A project in which hosts disagree about everything that is known to divide them. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { createHostService, type HostReport } from '../../../src/domains/integrity/host-service.ts';
import type { SightState } from '../../../src/domains/integrity/host-view.ts';
import { displayPath } from '../../../src/domains/skills/display-path.ts';
import { skillText } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

export interface HostWorld {
  readonly here: string;
  /** The root of the repository around it. */
  readonly top: string;
  readonly home: string;
  readonly service: ReturnType<typeof createHostService>;
}

/** `here` is a folder of a repository, so that there is something above and below it. */
export function hostWorld(): HostWorld {
  const base = temporaryDirectory();
  const [top, home] = [path.join(base, 'repo'), path.join(base, 'home')];
  const here = path.join(top, 'app');
  mkdirSync(path.join(top, '.git'), { recursive: true });
  const text = (folder: string, content: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'SKILL.md'), content);
  };
  const skill = (root: string, name: string, body?: string) =>
    text(path.join(root, name), skillText(name, body === undefined ? {} : { body }));

  // One name in every place, each with a text of its own.
  const own = (folder: string) => [path.join(here, folder), path.join(home, folder)] as const;
  for (const folder of ['.agents/skills', '.claude/skills', '.gemini/skills', '.codex/skills']) {
    for (const [index, root] of own(folder).entries()) skill(root, 'shared', `${folder} ${index}\n`);
  }
  skill(path.join(home, '.config/agents/skills'), 'shared', 'config agents\n');
  // Folders that few hosts read.
  const few = [
    '.opencode/skill',
    '.opencode/skills',
    '.cursor/skills',
    '.github/skills',
    '.goose/skills',
    '.pi/skills',
  ];
  for (const folder of few) skill(path.join(here, folder), `of-${folder.slice(1).replace('/', '-')}`);
  for (const folder of [
    '.config/opencode/skills',
    '.config/amp/skills',
    '.config/goose/skills',
    '.copilot/skills',
  ])
    skill(path.join(home, folder), `of-${folder.slice(1).replaceAll('/', '-').replaceAll('.', '')}`);
  skill(path.join(home, '.pi/agent/skills'), 'of-pi-agent');
  writeFileSync(path.join(here, '.pi/skills/note.md'), '# A note\n');

  const agents = path.join(here, '.agents/skills');
  skill(path.join(agents, 'group'), 'deep');
  text(agents, skillText('skills'));
  text(path.join(agents, 'no-name'), '---\ndescription: Without a name.\n---\nx\n');
  text(path.join(agents, 'no-description'), '---\nname: no-description\n---\nx\n');
  text(path.join(agents, 'folder-name'), skillText('other-name'));
  text(path.join(agents, 'colon'), '---\nname: colon\ndescription: Use when: always\n---\nx\n');
  text(path.join(agents, 'unclosed'), '---\nname: unclosed\n');
  text(path.join(here, '.claude/skills/bare'), '# No frontmatter at all\n');
  const lines = ['disable-model-invocation: true'];
  text(path.join(agents, 'for-people'), skillText('for-people', { lines, body: 'Do $1.\n' }));
  skill(path.join(base, 'store'), 'linked');
  symlinkSync(path.join(base, 'store/linked'), path.join(agents, 'linked'));
  symlinkSync(path.join(base, 'store/linked'), path.join(here, '.claude/skills/linked'));

  skill(path.join(top, '.agents/skills'), 'above');
  skill(path.join(top, '.claude/skills'), 'above');
  skill(path.join(here, 'packages/web/.agents/skills'), 'below');
  skill(path.join(here, 'packages/web/.claude/skills'), 'below');

  const display = (absolute: string) => displayPath(absolute, { workspace: here, home });
  return {
    here,
    top,
    home,
    service: createHostService({ workspace: here, home, display, logger: () => undefined }),
  };
}

/** `name path` of the skills in a state; of `ignored` with the reason. */
export function sights({ skills }: HostReport, state: SightState): readonly string[] {
  return skills
    .filter((skill) => skill.state === state)
    .map(({ name, path: place, reason }) =>
      state === 'ignored' ? `${place}: ${reason}` : `${name} ${place}`,
    );
}
