/** The tree of the code: what stands where, and the few files that may do what others may not. */
import path from 'node:path';

/** A domain may import those before it. A new domain takes its place in this list. */
export const DOMAIN_ORDER: readonly string[] = [
  'events',
  'skills',
  'policy',
  'sessions',
  'integrity',
  'agents',
  'tasks',
];

/**
 * A file of a domain is pure unless its name says otherwise (`repository.ts`, `service.ts`, `tools.ts`, `schema.ts`) or
 * it stands here with its reason. A file that no longer touches the world is taken off.
 */
export const IO_FILES: ReadonlyMap<string, string> = new Map([
  ['src/domains/integrity/propose/skill-writer.ts', 'writes the folder of a new or changed skill'],
  ['src/domains/integrity/doctor/fix-files.ts', 'reads SKILL.md files and writes mended ones'],
  [
    'src/domains/integrity/scan/scan-files.ts',
    'reads every file of a skill, and the accept-list of the scan',
  ],
  ['src/domains/integrity/drift-pairs.ts', 'reads the canonical roots and the mirrors'],
  ['src/domains/integrity/drift-reader.ts', 'reads the copies of skills below a root'],
  ['src/domains/integrity/drift-watch.ts', 'keeps the timer of the drift check'],
  ['src/domains/integrity/host-disk.ts', 'reads the folders of other hosts'],
  ['src/domains/integrity/sync-apply.ts', 'writes whole skills into a root'],
  ['src/domains/agents/process/end.ts', 'ends processes and waits for them'],
  ['src/domains/agents/process/launch.ts', 'starts the process of an agent'],
  ['src/domains/agents/process/scan.ts', 'looks through the table of processes'],
  ['src/domains/agents/process/watch.ts', 'keeps the timers of a run'],
  ['src/domains/agents/profile-files.ts', 'reads and writes the files of profiles'],
  ['src/domains/agents/worktree/git.ts', 'calls git'],
  ['src/domains/agents/worktree/stale-locks.ts', 'removes the lock files of a git that was killed'],
  ['src/domains/agents/worktree/worktree.ts', 'makes and removes worktrees'],
  ['src/domains/integrity/install/address.ts', 'compares addresses by the tables of node:net'],
  ['src/domains/integrity/install/candidate.ts', 'reads the files of a skill from its source'],
  ['src/domains/integrity/install/exclusive.ts', 'lets one command at a time work on a place'],
  ['src/domains/integrity/install/fetch-source.ts', 'reads archives and fetches indexes'],
  ['src/domains/integrity/install/folder-tree.ts', 'reads the files of folders'],
  ['src/domains/integrity/install/git.ts', 'starts git'],
  ['src/domains/integrity/install/git-tree.ts', 'fetches a repository'],
  ['src/domains/integrity/install/http-get.ts', 'speaks HTTP'],
  ['src/domains/integrity/install/lock-file.ts', 'reads colibri.lock.json'],
  ['src/domains/integrity/install/offers.ts', 'reads which skills a source has'],
  ['src/domains/integrity/install/pristine.ts', 'keeps installed files as they came'],
  ['src/domains/integrity/install/session.ts', 'holds what one command of the installer has fetched'],
  ['src/domains/integrity/install/transaction.ts', 'changes skills and the lock as one'],
  ['src/domains/integrity/publish/artifact.ts', 'reads the modes of the files it packs'],
  ['src/domains/integrity/publish/published-tree.ts', 'packs skills when they are asked for'],
  ['src/domains/policy/policy-file.ts', 'reads colibri.policy.yaml'],
  ['src/domains/policy/trust-key.ts', "keeps the user's key in the home"],
  ['src/domains/policy/trust-tree.ts', 'reads every file that trust is bound to'],
  ['src/domains/sessions/custom-commands.ts', 'reads the Markdown files of command folders'],
  ['src/domains/sessions/hook-file.ts', 'reads the file of the hooks'],
  ['src/domains/sessions/run/run-command.ts', 'makes the folder of a command and starts it'],
  ['src/domains/sessions/run/host.ts', 'looks for programs and for what the system can do'],
  ['src/domains/sessions/run/pinned-files.ts', 'copies the files of a skill for one run'],
  ['src/domains/sessions/run/probe.ts', 'tries once whether the sandbox holds'],
  ['src/domains/sessions/run/processes.ts', 'reads the table of processes and ends those of a run'],
  ['src/domains/sessions/run/run-script.ts', 'makes the folders of a run and starts it'],
  ['src/domains/sessions/run/scratch.ts', 'makes and removes the folders of runs'],
  ['src/domains/sessions/run/spawn-clean.ts', 'starts processes that inherit nothing'],
  ['src/domains/sessions/run/standard-streams.ts', 'connects the streams of a process'],
  ['src/domains/sessions/run/start-plain.ts', 'starts a run without a sandbox'],
  ['src/domains/sessions/run/start-sandboxed.ts', 'starts a run in bubblewrap'],
  ['src/domains/sessions/run/supervise.ts', 'watches a process and its limits'],
  ['src/domains/sessions/run/work-files.ts', 'collects the files that a run left'],
  [
    'src/domains/sessions/replay-run.ts',
    'runs recorded calls through the function of the service that ran them first',
  ],
  ['src/domains/skills/inspect.ts', 'looks at a folder the user names, for `colibri validate`'],
  ['src/domains/skills/manifest.ts', 'lists and hashes the files of one skill'],
  ['src/domains/skills/measure.ts', 'reads every SKILL.md to know what that alone takes'],
  ['src/domains/skills/kept-list.ts', 'keeps the last list in a file'],
  ['src/domains/skills/publication.ts', 'hands out files of skills, checked against their listing'],
  ['src/domains/skills/scan/disk.ts', 'lists the directories of a single root'],
  ['src/domains/skills/scan/scan.ts', 'walks the roots and applies the plan in one transaction'],
  ['src/domains/skills/scan/scan-state.ts', 'holds the storage and the clock that the parts of a scan share'],
  ['src/domains/skills/scan/scan-write.ts', 'carries a scan out inside its transaction'],
  ['src/domains/skills/scan/first-look.ts', 'looks at what a first scan could not read'],
  ['src/domains/skills/scan/settle.ts', 'reads the SKILL.md files that changed'],
  ['src/domains/skills/scan/unchanged.ts', 'looks at the times of the skills that a scan has seen'],
  ['src/domains/skills/scan/file-times.ts', 'asks which file system a folder is on'],
  ['src/domains/skills/scan/walk.ts', 'looks through one root for SKILL.md files and their times'],
  ['src/domains/skills/skill-file.ts', 'reads one SKILL.md without blocking and within its limits'],
  ['src/domains/skills/skill-files.ts', 'lists, hashes and reads the files of one skill'],
  ['src/domains/skills/skill-tree.ts', 'counts the files and bytes of a skill folder'],
  ['src/domains/tasks/engine.ts', 'the port of engines, whose calls take part in transactions'],
  ['src/domains/skills/watch.ts', 'listens to the file system and keeps timers'],
]);

/** `<file>` or `<file>#<function>` beyond the size limits. This list only shrinks. */
export const SIZE_EXCEPTIONS: readonly string[] = [];

/** Own functions of other files that a module may call while it loads, because they only build a value. */
export const PURE_FACTORIES: ReadonlySet<string> = new Set([
  'builtQuery',
  'createMutexRegistry',
  'oncePerObject',
  'route',
]);

export type Place =
  | { readonly layer: 'lib' | 'db' | 'kernel' | 'config' | 'startup' | 'cli-entry' | 'library-entry' }
  | { readonly layer: 'domain' | 'surface'; readonly name: string }
  | { readonly layer: 'unknown' };

export function placeOf(file: string): Place {
  const [root, folder = '', name = '', ...rest] = file.split('/');
  if (root !== 'src') return { layer: 'unknown' };
  if (folder === 'lib' && name !== '') return { layer: 'lib' };
  if (folder === 'db' && name !== '') return { layer: 'db' };
  if (folder === 'domains' && rest.length > 0) return { layer: 'domain', name };
  if (folder === 'surfaces' && rest.length > 0) return { layer: 'surface', name };
  return placeOfRootFile(file);
}

function placeOfRootFile(file: string): Place {
  // The composition root has a file for each area.
  if (/^src\/startup(?:-[a-z]+)*\.ts$/.test(file)) return { layer: 'startup' };
  switch (file) {
    case 'src/server.ts':
      return { layer: 'kernel' };
    case 'src/config.ts':
    case 'src/config-file.ts':
    case 'src/config-settings.ts':
      return { layer: 'config' };
    case 'src/cli.ts':
    case 'src/cli-kept.ts':
    case 'src/cli-quick.ts':
    case 'src/cli-whole.ts':
      return { layer: 'cli-entry' };
    case 'src/library.ts':
      return { layer: 'library-entry' };
    default:
      return { layer: 'unknown' };
  }
}

export function isRepository(file: string): boolean {
  return placeOf(file).layer === 'domain' && /^(?:.+-)?repository\.ts$/.test(path.posix.basename(file));
}

/** A file of a domain that only computes: neither stores, nor answers tools, nor is listed as touching the world. */
export function isDecider(file: string): boolean {
  if (placeOf(file).layer !== 'domain' || isRepository(file) || IO_FILES.has(file)) return false;
  return !/^(?:(?:.+-)?service|tools|schema)\.ts$/.test(path.posix.basename(file));
}
