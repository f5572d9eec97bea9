// Puts the command line into one file: a hundred small modules take longer to find and open than to run.
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const dist = path.resolve('dist');
/** What the quick bundle loads when it is asked for; the rest of the program is left out of it. */
const QUICK_PARTS =
  /\/(?:startup-index|startup-opening|startup-scan|commands\/list|commands\/serve|help)\.js$/;

const NATIVE_SQLITE = 'better-sqlite3/build/Release/better_sqlite3.node';

await bundle('cli-whole.js', 'bundle.cjs', [keepPlaces, loadSqliteDirectly]);
await bundle('cli-quick.js', 'quick.cjs', [keepPlaces, loadSqliteDirectly, leaveOut]);
await bundle('cli-kept.js', 'kept.cjs', [keepPlaces, leaveOut]);
writeLauncher();

async function bundle(entry, outfile, setups) {
  await build({
    entryPoints: [path.join(dist, entry)],
    outfile: path.join(dist, outfile),
    bundle: true,
    platform: 'node',
    target: 'node20',
    // Unlike an ES module, a script can be started from code that V8 has compiled before.
    format: 'cjs',
    external: ['@parcel/watcher', NATIVE_SQLITE],
    // A script that was compiled before cannot import; what is left outside is required.
    supported: { 'dynamic-import': false },
    legalComments: 'none',
    // Names and lines stay as they are, so that a stack trace can be read.
    minify: false,
    banner: { js: `(function (exports, require, module, __filename, __dirname) {\n${modulePlaces()}` },
    footer: { js: '})' },
    plugins: setups.map((setup) => ({ name: setup.name, setup })),
  });
}

function writeLauncher() {
  const content = ['bundle.cjs', 'quick.cjs', 'kept.cjs'].map((file) => readFileSync(path.join(dist, file)));
  const id = createHash('sha256').update(Buffer.concat(content)).digest('hex').slice(0, 16);
  const launcher = path.join(dist, 'bin.cjs');
  writeFileSync(launcher, readFileSync('scripts/launcher.cjs', 'utf8').replace('__BUILD__', id));
  chmodSync(launcher, 0o755);
  rmSync(path.join(dist, 'compiled'), { recursive: true, force: true });
}

/** The driver looks for its native part in a dozen places, one after the other; it is where npm has built it. */
function loadSqliteDirectly({ onResolve, onLoad }) {
  onResolve({ filter: /^bindings$/ }, () => ({ path: 'bindings', namespace: 'native' }));
  onLoad({ filter: /.*/, namespace: 'native' }, () => ({ contents: `module.exports = ${loadNative};` }));
}

/** Becomes part of the bundle. Npm puts the driver below the package or beside it; from elsewhere Node finds it, too. */
function loadNative() {
  const path = require('node:path');
  const file = 'better-sqlite3/build/Release/better_sqlite3.node';
  const near = [path.join(__dirname, '../node_modules', file), path.join(__dirname, '../..', file)];
  const place = near.find((each) => require('node:fs').existsSync(each));
  if (place === undefined) return require(file);
  const native = { exports: {} };
  process.dlopen(native, place);
  return native.exports;
}

/** The quick bundle knows by the code that it needs the whole program after all. */
function leaveOut({ onResolve, onLoad }) {
  onResolve({ filter: /^\./ }, ({ kind, path: file }) =>
    kind === 'dynamic-import' && !QUICK_PARTS.test(file) ? { path: file, namespace: 'left-out' } : null,
  );
  onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path: file }) => ({
    contents: `throw Object.assign(new Error(${JSON.stringify(`${file} is not in this bundle`)}), { code: 'LEFT_OUT' });`,
  }));
}

/** What a module would know of its own place. */
function modulePlaces() {
  return [
    "const __place = (file) => require('node:path').join(__dirname, file);",
    "const __placeUrl = (file) => require('node:url').pathToFileURL(__place(file)).href;",
  ].join('\n');
}

/** Modules find their assets relative to themselves, so each keeps the place that it has without the bundle. */
function keepPlaces({ onLoad }) {
  onLoad({ filter: /\.js$/ }, ({ path: file }) => {
    const relative = path.relative(dist, file);
    if (relative.startsWith('..')) return null;
    const text = readFileSync(file, 'utf8');
    if (!text.includes('import.meta')) return null;
    const contents = text
      .replaceAll('import.meta.url', `__placeUrl(${JSON.stringify(relative)})`)
      .replaceAll('import.meta.dirname', `__place(${JSON.stringify(path.dirname(relative))})`);
    if (contents.includes('import.meta'))
      throw new Error(`${relative} uses import.meta in a way the bundle does not know`);
    return { contents, loader: 'js' };
  });
}
