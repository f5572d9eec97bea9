/** A script that looks around in the sandbox, and what it has to find there. */

export const PROBE_SCRIPT = `
tell() { echo "$1=$2"; }
writable() {
  case $( (: >"$2/colibri-probe") 2>&1 ) in
    '') tell "$1" yes ;;
    *'Read-only file system'*) tell "$1" no ;;
    *) tell "$1" maybe ;;
  esac
}
lines() { count=0; while read -r line; do count=$((count + 1)); done <"$1"; }
case $(cat /proc/1/cmdline) in
  /bin/sh*'read -r go'*) tell first_process ours ;;
  *) tell first_process foreign ;;
esac
if [ "$$" -lt 100 ]; then tell own_processes yes; else tell own_processes no; fi
writable system_writable /usr
writable skill_writable /skill
writable root_writable ''
writable devices_writable /dev
writable work_writable /work
lines /proc/net/route
tell route_lines "$count"
lines /proc/net/dev
tell network_lines "$count"
while read -r key value; do
  case $key in
    CapEff:) tell capabilities "$value" ;;
    NoNewPrivs:) tell no_new_privileges "$value" ;;
    Seccomp:) tell system_call_filter "$value" ;;
  esac
done </proc/self/status
for folder in /root /home /var /run /sys /mnt; do
  if [ -e "$folder" ]; then tell "sees" "$folder"; fi
done
if (unshare --user true) 2>/dev/null; then tell new_namespaces yes; else tell new_namespaces no; fi
`;

const EXPECTED: Readonly<Record<string, string>> = {
  first_process: 'ours',
  own_processes: 'yes',
  system_writable: 'no',
  skill_writable: 'no',
  root_writable: 'no',
  devices_writable: 'no',
  work_writable: 'yes',
  // Only the heading: no way out, not even to the machine itself.
  route_lines: '1',
  // Two lines of heading and the loopback of the sandbox.
  network_lines: '3',
  capabilities: '0000000000000000',
  no_new_privileges: '1',
  new_namespaces: 'no',
  system_call_filter: '2',
};

/** The first thing that is not as it must be, or null when the sandbox holds. */
export function judgeProbe(text: string, options: { readonly filtered: boolean }): string | null {
  const found = new Map(text.split('\n').map((line) => splitOnce(line)));
  const seen = found.get('sees');
  if (seen !== undefined) return `${seen} can be seen from inside`;
  for (const [name, expected] of Object.entries(EXPECTED)) {
    if (name === 'system_call_filter' && !options.filtered) continue;
    const value = found.get(name);
    if (value !== expected) return `${name} is ${value ?? 'unknown'} instead of ${expected}`;
  }
  return null;
}

function splitOnce(line: string): readonly [string, string] {
  const at = line.indexOf('=');
  return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
}
