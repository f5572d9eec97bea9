#!/usr/bin/env node
// Runs the bundled command line. What V8 compiled of it is kept beside it after the first run of a command, because
// compiling takes longer than most commands do. Without the file, or with one of another Node, everything works as well.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

// Names the content of the bundles: V8 itself would take the code of any other file of the same length.
const BUILD = '__BUILD__';
const SUM_BYTES = 4;
// The smallest block in which a disk loses data.
const SUM_STEP_BYTES = 512;
// One file of compiled code each, because they use different parts; the others share one.
const COMMANDS = ['list', 'load', 'search', 'serve', 'show', 'up'];
// Ways to ask for a list that take the whole program.
const FULL_LIST = /^(?:--(?:all|outdated|skills-root|help)|-h)/;
// Of the others, those that are not answered with the last list.
const OTHER_LIST = /^--(?:search|capability)/;
// Of a server, the quick bundle answers the client that waits on stdin.
const FULL_SERVE = /^(?:--(?:http|help)|-h)/;

const words = process.argv.slice(2);
const command = COMMANDS.find((each) => words.includes(each)) ?? 'other';
const isQuick =
  (words[0] === 'list' && !words.some((word) => FULL_LIST.test(word))) ||
  (words[0] === 'serve' && !words.some((word) => FULL_SERVE.test(word))) ||
  (words.length === 1 && words[0] === '--version');

// Scripts by the file for their code; at the end they have compiled what their command takes.
const fresh = new Map();
process.once('exit', () => fresh.forEach(keepCompiled));

if (isQuick && command === 'list' && !words.some((word) => OTHER_LIST.test(word))) runKept();
else if (isQuick) runQuick();
else runWhole({});

function runKept() {
  run('kept.cjs', command)
    .answerKept(process, BUILD)
    .then((code) => {
      if (code !== null) process.exit(code);
      // It has not compiled all of what it takes to answer.
      fresh.clear();
      runQuick();
    });
}

function runQuick() {
  run('quick.cjs', command)
    .runQuick(process, BUILD)
    .then((end) => {
      // What was compiled is not, or not yet, what a list takes the next time.
      if (command === 'list' && end.unusual !== false) fresh.clear();
      if ('code' in end) process.exit(end.code);
      runWhole(end);
    });
}

function runWhole({ greeted }) {
  // A client's open stdin would keep the process alive; everything has been flushed and closed by now.
  run('bundle.cjs', command)
    .runWhole(process, { greeted, onServing })
    .then((code) => process.exit(code));
}

function onServing() {
  // Now, because many a client ends its server in a way that leaves no time for it.
  fresh.forEach(keepCompiled);
  fresh.clear();
  // Calls leave little behind. V8 would let the space for new objects grow to 32 MB nevertheless.
  require('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
}

function run(file, name) {
  const bundle = path.join(__dirname, file);
  const compiled = path.join(
    __dirname,
    'compiled',
    `${BUILD}-${process.versions.v8}-${process.platform}-${process.arch}-${file}-${name}`,
  );
  const cachedData = readCompiled(compiled);
  // The bundle is plain ASCII, which is read faster than UTF-8, and a function of what a module may use.
  const script = new vm.Script(fs.readFileSync(bundle, 'latin1'), { filename: bundle, cachedData });
  if (cachedData === undefined || script.cachedDataRejected) fresh.set(compiled, script);
  const own = { exports: {} };
  script.runInThisContext().call(own.exports, own.exports, require, own, bundle, __dirname);
  return own.exports;
}

/** V8 hardly checks what it is given, and a file that lost a part would end the process: a sum stands before it. */
function readCompiled(file) {
  try {
    const bytes = fs.readFileSync(file);
    const code = bytes.subarray(SUM_BYTES);
    return sumOf(code) === bytes.readUInt32LE(0) ? code : undefined;
  } catch {
    // Not made yet, or not to be read: the code is compiled as if there were none.
    return undefined;
  }
}

function keepCompiled(script, file) {
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const code = script.createCachedData();
    const sum = Buffer.alloc(SUM_BYTES);
    sum.writeUInt32LE(sumOf(code));
    // Another process may read or write it at this moment: it must see all of it or nothing.
    fs.writeFileSync(`${file}.${process.pid}`, Buffer.concat([sum, code]), { flush: true });
    fs.renameSync(`${file}.${process.pid}`, file);
  } catch {
    // A package that was installed by somebody else is often not ours to write to.
  }
}

/** Looks at some bytes of every block; a digest of all of them would cost what the file saves. */
function sumOf(bytes) {
  let sum = bytes.length;
  for (let at = 0; at + 4 <= bytes.length; at += SUM_STEP_BYTES)
    sum = (Math.imul(sum, 31) + bytes.readUInt32LE(at)) >>> 0;
  return sum;
}
