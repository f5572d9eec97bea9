/** The part of the composition root that installs skills from elsewhere and publishes those that are here. */
import path from 'node:path';

import type { Config } from './config.ts';
import type { InstallService } from './domains/integrity/install/service.ts';
import type { PublishService } from './domains/integrity/publish/service.ts';
import type { PolicyService } from './domains/policy/service.ts';
import type { SkillsService } from './domains/skills/service.ts';

interface InstallSurroundings {
  readonly config: Config;
  readonly skills: SkillsService;
  readonly policy: Pick<PolicyService, 'source'>;
  /** Where and with which variables the caller was started; git gets a few of them. */
  readonly options: {
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string | undefined>>;
  };
}

export interface InstallServices {
  readonly install: InstallService;
  readonly publish: PublishService;
}

/** Loaded when they are used: a list must not pay for the readers of archives. */
export function openInstall(surroundings: InstallSurroundings): InstallServices {
  const install = once(() => loadInstall(surroundings));
  const publish = once(() => loadPublish(surroundings));
  return {
    install: {
      add: async (request) => (await install()).add(request),
      remove: async (request) => (await install()).remove(request),
      update: async (request) => (await install()).update(request),
      verify: async (scope) => (await install()).verify(scope),
      outdated: async (scope) => (await install()).outdated(scope),
    },
    publish: {
      get: async (file) => (await publish()).get(file),
      write: async (request) => (await publish()).write(request),
    },
  };
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () => (loading ??= load());
}

async function loadInstall({
  config,
  skills,
  policy,
  options,
}: InstallSurroundings): Promise<InstallService> {
  const [{ createInstallService }, { createGit }, { installPlace }, { scanSkill }] = await Promise.all([
    import('./domains/integrity/install/service.ts'),
    import('./domains/integrity/install/git.ts'),
    import('./domains/integrity/install/place.ts'),
    import('./domains/integrity/scan/scan-skill.ts'),
  ]);
  const { workspace, home } = config;
  const agents = path.join(home, '.agents');
  const rootOf = (source: 'workspace' | 'global', fallback: string): string =>
    config.roots.find((root) => root.source === source)?.path ?? fallback;
  return createInstallService({
    places: {
      workspace: installPlace(workspace, rootOf('workspace', path.join(workspace, '.agents/skills'))),
      global: installPlace(agents, rootOf('global', path.join(agents, 'skills'))),
    },
    cwd: options.cwd ?? process.cwd(),
    home,
    git: createGit({ home, env: options.env ?? {} }),
    decide: policy.source,
    scan: scanSkill,
    reload: skills.reload,
  });
}

async function loadPublish({ skills, config }: InstallSurroundings): Promise<PublishService> {
  const { createPublishService } = await import('./domains/integrity/publish/service.ts');
  return createPublishService(skills, config.workspace);
}
