/** The part of the composition root that installs skills from elsewhere and publishes those that are here. */
import path from 'node:path';

import type { Config } from './config.ts';
import type { InstallService } from './domains/integrity/install/service.ts';
import type { PublishService } from './domains/integrity/publish/service.ts';
import type { PolicyService } from './domains/policy/service.ts';
import { type RootRefusals, refusalError } from './domains/skills/scan/roots.ts';
import type { SkillsService } from './domains/skills/service.ts';

interface InstallSurroundings {
  readonly config: Config;
  readonly skills: SkillsService;
  readonly policy: Pick<PolicyService, 'source'>;
  readonly refusals: RootRefusals;
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
  const load = once(() => loadInstall(surroundings));
  const install = async ({ global = false }: { readonly global?: boolean | undefined } = {}) => {
    await requireOpen(surroundings, global ? 'global' : 'workspace');
    return load();
  };
  const publish = once(() => loadPublish(surroundings));
  return {
    install: {
      add: async (request) => (await install(request)).add(request),
      remove: async (request) => (await install(request)).remove(request),
      update: async (request) => (await install(request)).update(request),
      verify: async (scope) => (await install(scope)).verify(scope),
      outdated: async (scope) => (await install(scope)).outdated(scope),
    },
    publish: {
      get: async (file) => (await publish()).get(file),
      write: async (request) => (await publish()).write(request),
    },
  };
}

/** The installer writes to its root whatever it is asked for: first of all it ends what a killed one has left. */
async function requireOpen(
  { config, skills, refusals }: InstallSurroundings,
  source: 'workspace' | 'global',
): Promise<void> {
  const root = config.roots.find((each) => each.source === source);
  if (root === undefined) return;
  const display = skills.roots.find(({ path: place }) => place === root.path)?.display ?? root.path;
  const refused = (await refusals())({ path: root.path, display });
  if (refused !== null) throw refusalError(refused);
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
