#!/usr/bin/env node
// Runs the bundled command line. What V8 compiled of it is kept beside it after the first run of a command, because
// compiling takes longer than most commands do. Without the file, or with one of another Node, everything works as well.
'use strict';
const { hash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { wrap } = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

// Names the bundle's content: V8 itself would take the code of any other file of the same length.
const BUILD = '__BUILD__';
// One each, because they use different parts; the others share one.
const COMMANDS = ['list', 'load', 'search', 'serve', 'show', 'up'];

const DIGEST_BYTES = 32;

const bundle = path.join(__dirname, 'bundle.cjs');
const word = COMMANDS.find((command) => process.argv.includes(command)) ?? 'other';
const compiled = path.join(
  __dirname,
  'compiled',
  `${BUILD}-${process.versions.v8}-${process.platform}-${process.arch}-${word}`,
);

const cachedData = readCompiled();
// The bundle is plain ASCII, which is read faster than UTF-8.
const script = new vm.Script(wrap(readFileSync(bundle, 'latin1')), { filename: bundle, cachedData });
if (cachedData === undefined || script.cachedDataRejected) process.once('exit', keepCompiled);
script.runInThisContext().call(module.exports, module.exports, require, module, bundle, __dirname);

/** V8 does not check what it is given, and a damaged file would end the process: its digest stands before it. */
function readCompiled() {
  try {
    const bytes = readFileSync(compiled);
    const code = bytes.subarray(DIGEST_BYTES);
    return digestOf(code).equals(bytes.subarray(0, DIGEST_BYTES)) ? code : undefined;
  } catch {
    // Not made yet, or not to be read: the code is compiled as if there were none.
    return undefined;
  }
}

function digestOf(bytes) {
  return hash('sha256', bytes, 'buffer');
}

function keepCompiled() {
  try {
    mkdirSync(path.dirname(compiled), { recursive: true });
    // Another process may read or write it at this moment: it must see all of it or nothing.
    const code = script.createCachedData();
    writeFileSync(`${compiled}.${process.pid}`, Buffer.concat([digestOf(code), code]));
    renameSync(`${compiled}.${process.pid}`, compiled);
  } catch {
    // A package that was installed by somebody else is often not ours to write to.
  }
}
