/** The seccomp filter of the sandbox: kernel doors that no script needs and through which sandboxes have been left. */

/** `process.arch` → what the filter needs to know; on other machines the namespaces have to do. */
const MACHINES: ReadonlyMap<string, Machine> = new Map([
  [
    'x64',
    {
      audit: 0xc000003e,
      socket: 41,
      clone: 56,
      denied: [
        101, 310, 311, 248, 249, 250, 321, 323, 298, 165, 166, 155, 272, 308, 304, 246, 320, 175, 313, 176,
        161, 179, 103, 163, 167, 168, 169, 312,
      ],
    },
  ],
  [
    'arm64',
    {
      audit: 0xc00000b7,
      socket: 198,
      clone: 220,
      denied: [
        117, 270, 271, 217, 218, 219, 280, 282, 241, 40, 39, 41, 97, 268, 265, 104, 294, 105, 273, 106, 51,
        60, 116, 89, 224, 225, 142, 272,
      ],
    },
  ],
]);

interface Machine {
  readonly audit: number;
  readonly socket: number;
  readonly clone: number;
  /**
   * In order: ptrace, process_vm_readv, process_vm_writev, add_key, request_key, keyctl, bpf, userfaultfd,
   * perf_event_open, mount, umount2, pivot_root, unshare, setns, open_by_handle_at, kexec_load, kexec_file_load,
   * init_module, finit_module, delete_module, chroot, quotactl, syslog, acct, swapon, swapoff, reboot, kcmp.
   */
  readonly denied: readonly number[];
}

// Numbers that all machines share: open_tree … fspick, mount_setattr, pidfd_getfd, memfd_secret.
const DENIED_EVERYWHERE = [428, 429, 430, 431, 432, 433, 442, 438, 447];
// Libraries try these first and fall back when the kernel seems not to know them: io_uring and clone3, whose flags a
// filter cannot see.
const UNKNOWN_EVERYWHERE = [425, 426, 427, 435];

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
const NEW_NAMESPACES = 0x7e020000;
/** Beyond this lie the x32 calls of x86-64, a second set of numbers for the same doors. */
const X32 = 0x40000000;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;

/** The program for `bwrap --seccomp`, or null for a machine without a table. */
export function systemCallFilter(arch: string, options: { readonly network: boolean }): Buffer | null {
  const machine = MACHINES.get(arch);
  if (machine === undefined) return null;
  // With the host's network a script would reach the abstract sockets of its services as well.
  const families = [AF_INET, AF_INET6, AF_NETLINK, ...(options.network ? [] : [AF_UNIX])];
  return Buffer.concat([
    load(ARCH),
    unlessEqual(machine.audit, [KILL]),
    load(NUMBER),
    instruction(0x35, { value: X32, yes: 0, no: 1 }),
    deny(EPERM),
    ...[...machine.denied, ...DENIED_EVERYWHERE].map((number) => ifEqual(number, [deny(EPERM)])),
    ...UNKNOWN_EVERYWHERE.map((number) => ifEqual(number, [deny(ENOSYS)])),
    ifEqual(machine.clone, [
      load(FIRST_ARGUMENT),
      instruction(0x45, { value: NEW_NAMESPACES, yes: 0, no: 1 }),
      deny(EPERM),
      ALLOW,
    ]),
    ifEqual(machine.socket, [
      load(FIRST_ARGUMENT),
      ...families.map((family) => ifEqual(family, [ALLOW])),
      deny(EAFNOSUPPORT),
    ]),
    ALLOW,
  ]);
}

const INSTRUCTION_BYTES = 8;
const NUMBER = 0;
const ARCH = 4;
const FIRST_ARGUMENT = 16;

const ALLOW = answer(0x7fff0000);
const KILL = answer(0x80000000);

function deny(errno: number): Buffer {
  return answer(0x00050000 + errno);
}

function answer(value: number): Buffer {
  return instruction(0x06, { value, yes: 0, no: 0 });
}

/** Takes a word of the call's description for the comparisons that follow. */
function load(offset: number): Buffer {
  return instruction(0x20, { value: offset, yes: 0, no: 0 });
}

function ifEqual(value: number, then: readonly Buffer[]): Buffer {
  const body = Buffer.concat(then);
  return Buffer.concat([instruction(0x15, { value, yes: 0, no: body.length / INSTRUCTION_BYTES }), body]);
}

function unlessEqual(value: number, then: readonly Buffer[]): Buffer {
  const body = Buffer.concat(then);
  return Buffer.concat([instruction(0x15, { value, yes: body.length / INSTRUCTION_BYTES, no: 0 }), body]);
}

function instruction(
  code: number,
  { value, yes, no }: { readonly value: number; readonly yes: number; readonly no: number },
): Buffer {
  const bytes = Buffer.alloc(INSTRUCTION_BYTES);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(yes, 2);
  bytes.writeUInt8(no, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
