// Puts the command line into one file: a hundred small modules take longer to find and open than to run.
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const dist = path.resolve('dist');
const outfile = path.join(dist, 'bundle.cjs');

await build({
  entryPoints: [path.join(dist, 'cli.js')],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  // Unlike an ES module, a script can be started from code that V8 has compiled before.
  format: 'cjs',
  // These two bring native code of their own.
  external: ['better-sqlite3', '@parcel/watcher'],
  legalComments: 'none',
  // Names and lines stay as they are, so that a stack trace can be read.
  minify: false,
  keepNames: false,
  banner: { js: modulePlaces() },
  plugins: [{ name: 'module-places', setup: keepPlaces }],
});

const id = createHash('sha256').update(readFileSync(outfile)).digest('hex').slice(0, 16);
const launcher = path.join(dist, 'bin.cjs');
writeFileSync(launcher, readFileSync('scripts/launcher.cjs', 'utf8').replace('__BUILD__', id));
chmodSync(launcher, 0o755);
rmSync(path.join(dist, 'compiled'), { recursive: true, force: true });

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
