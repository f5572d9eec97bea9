/** What bubblewrap is told: a world with the system read-only, the skill read-only, and one small writable folder. */
import type { RunLimits } from './limits.ts';

/** What the machine looks like, as far as the sandbox mirrors it. */
export interface SystemLayout {
  /** `/bin`, `/lib` and the like: links into /usr on most systems, real folders on some. */
  readonly folders: readonly { readonly path: string; readonly link: string | null }[];
  /** Files and folders of /etc that programs need and that hold no secrets; those that exist. */
  readonly settings: readonly string[];
  /** The same for programs that use the network. */
  readonly networkSettings: readonly string[];
}

export interface SandboxOptions {
  readonly layout: SystemLayout;
  /** The folder on the host that becomes /skill. */
  readonly skill: string;
  readonly network: boolean;
  readonly limits: RunLimits;
  readonly environment: Readonly<Record<string, string>>;
  /** A program outside the system folders, shown at this one place. */
  readonly program: { readonly from: string; readonly to: string } | null;
  /** Whether this bubblewrap can forbid namespaces inside the sandbox. */
  readonly disableUserNamespaces: boolean;
  /** File descriptors that bubblewrap uses. */
  readonly infoFd: number;
  readonly filterFd: number | null;
}

export const SKILL_PLACE = '/skill';
export const WORK_PLACE = '/work';
/** What a script may use beside its working folder. */
const SIDE_BYTES_MAX = 16 * 1_024 * 1_024;
/** The same person in every sandbox, whoever runs Colibri. */
const SANDBOX_ID = '1000';

/** Options for `bwrap --args`, which takes them through a pipe: values of the environment stay out of the process list. */
export function sandboxOptions(options: SandboxOptions): readonly string[] {
  const { layout, network, limits, filterFd } = options;
  const side = String(Math.min(SIDE_BYTES_MAX, limits.workBytesMax));
  const settings = [...layout.settings, ...(network ? layout.networkSettings : [])];
  return [
    ...isolation(options),
    ...layout.folders.flatMap(({ path, link }) =>
      link === null ? ['--ro-bind', path, path] : ['--symlink', link, path],
    ),
    ...settings.flatMap((path) => ['--ro-bind', path, path]),
    ...(options.program === null ? [] : ['--ro-bind', options.program.from, options.program.to]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--size', side, '--tmpfs', '/dev/shm', '--size', side, '--tmpfs', '/tmp'],
    ...['--size', String(limits.workBytesMax), '--tmpfs', WORK_PLACE],
    ...['--ro-bind', options.skill, SKILL_PLACE],
    // Both are file systems in memory without a size; writable, they would be a way around every limit.
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', WORK_PLACE],
    ...Object.entries(options.environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--info-fd', String(options.infoFd)],
    ...(filterFd === null ? [] : ['--seccomp', String(filterFd)]),
  ];
}

function isolation({ network, disableUserNamespaces }: SandboxOptions): readonly string[] {
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network ? [] : ['--unshare-net']),
    ...(disableUserNamespaces ? ['--disable-userns'] : []),
    ...['--as-pid-1', '--die-with-parent', '--new-session', '--clearenv', '--cap-drop', 'ALL'],
    ...['--uid', SANDBOX_ID, '--gid', SANDBOX_ID, '--hostname', 'sandbox'],
  ];
}

/**
 * The first process of the sandbox. Waits until we have taken hold of it, and gives up if we are gone; is first in line
 * when the machine runs out of memory; stays as the parent of what the script leaves, and everything ends with it.
 * The words of the command arrive as parameters, so no shell parses them, and without what we and bubblewrap talked
 * through.
 */
const GATE = `{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
echo ready >&GATE_FD
read -r go <&GATE_FD || exit 125
exec 3<&- 4<&- 5<&- GATE_FD<&-
"$@"
exit "$?"`;

export function gatedCommand(
  command: readonly string[],
  { gateFd, limits }: { readonly gateFd: number; readonly limits: readonly string[] },
): readonly string[] {
  const gate = GATE.replaceAll('GATE_FD', String(gateFd));
  return ['/bin/sh', '-c', gate, 'sh', '/usr/bin/prlimit', ...limits, '--', ...command];
}
