// Some registries do not carry the binary packages of every platform. npm then leaves them out of package-lock.json, and
// `npm ci` refuses the lock as incomplete. This adds them by name and version, with the platform that their name tells.
import { readFileSync, writeFileSync } from 'node:fs';

const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
let added = 0;
for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    // Exact versions only: these are binaries that belong to one release of their parent.
    if (!/^\d/.test(version) || seenFrom(place, name)?.version === version) continue;
    const top = `node_modules/${name}`;
    const target = lock.packages[top] === undefined ? top : `${place}/${top}`;
    lock.packages[target] = {
      version,
      ...platformOf(name),
      optional: true,
      ...(entry.dev ? { dev: true } : {}),
    };
    added++;
  }
}
const [root, ...rest] = Object.entries(lock.packages);
rest.sort(([a], [b]) => (a < b ? -1 : 1));
lock.packages = Object.fromEntries([root, ...rest]);
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} packages of other platforms added to package-lock.json`);

/** The package that a parent finds under a name: its own copy, or that of the nearest folder above. */
function seenFrom(place, name) {
  for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const found = lock.packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`];
    if (found !== undefined || folder === '') return found;
    if (!folder.includes('/node_modules/')) folder = '';
  }
}

function platformOf(name) {
  const words = name.split(/[^a-z0-9]+/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  const libc = words.includes('musl') || words.includes('musleabihf') ? ['musl'] : [];
  return {
    ...(os.length > 0 ? { os } : {}),
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(libc.length > 0 ? { libc } : {}),
  };
}
