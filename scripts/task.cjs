'use strict';
// `npm start | dev | test | run test:all | check | bench | build | pack` land here. Before any of them: the dependencies are installed, and
// Node is 24 or newer. This file and what it requires run on old Node versions too, where they only prepare.
const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');
const { ensureInstalled } = require('./install.cjs');
const { isRight, installedNode, missingNode, handOver } = require('./ensure-node.cjs');

const root = path.resolve(__dirname, '..');
const say = (line) => process.stderr.write(`weft: ${line}\n`);

// Runs a program's entry file in this very process: a process less to start, and signals arrive where they belong.
function become(file, args) {
  process.argv = [process.execPath, file].concat(args);
  return import(pathToFileURL(file).href);
}

async function build(args) {
  const { ensureBuilt } = await import('./build.mjs');
  await ensureBuilt(root, say, { force: args.indexOf('--force') >= 0 }).catch((error) =>
    fail(`the build failed: ${error.message}`),
  );
}

// Only a stale build loads the builder: a start from a fresh one pays for a look at names, sizes and times.
async function buildIfStale() {
  if (!require('./build-state.cjs').isBuilt(root)) await build([]);
}

async function runTests(args) {
  // Tests of the whole program run dist/: without a build they would say nothing about what ships.
  await buildIfStale();
  await become(path.join(root, 'node_modules', 'vitest', 'vitest.mjs'), ['run'].concat(args));
}

// A file, a folder or a project that is named runs, whichever project it belongs to (test/projects.ts).
function isNarrowed(args) {
  return args.some((arg) => /^--project(=|$)/.test(arg) || fs.existsSync(path.join(root, arg)));
}

const commands = {
  start: async (args) => {
    await buildIfStale();
    await require('./start-service.cjs').launch(root, ['start'].concat(args));
  },
  dev: (args) => become(path.join(root, 'scripts', 'dev.mjs'), args),
  test: (args) =>
    runTests(isNarrowed(args) ? args : ['--project=unit', '--project=integration'].concat(args)),
  'test:all': (args) => runTests(args),
  check: (args) => become(path.join(root, 'scripts', 'check.mjs'), args),
  bench: async (args) => {
    await buildIfStale();
    const isCluster = args[0] === 'cluster';
    await become(
      path.join(root, 'bench', isCluster ? 'cluster.ts' : 'main.ts'),
      isCluster ? args.slice(1) : args,
    );
  },
  build,
  // `npm pack` takes what this leaves in dist/.
  prepack: async () => {
    await buildIfStale();
    await become(path.join(root, 'scripts', 'prepack.mjs'), []);
  },
};

// A fault of the set-up is one line; a fault inside the program that runs then is a bug, and shows its stack.
const fail = (text) => {
  say(text);
  process.exit(1);
};

async function main() {
  const name = process.argv[2];
  const args = process.argv.slice(3);
  if (!Object.prototype.hasOwnProperty.call(commands, name)) {
    throw new Error(
      `scripts/task.cjs takes one of ${Object.keys(commands).join(', ')}, not ${JSON.stringify(name)}`,
    );
  }
  await ensureInstalled(root, say);
  if (isRight()) return commands[name](args).catch((error) => fail((error && error.stack) || String(error)));
  const node = installedNode(root);
  if (!node) throw new Error(missingNode());
  return handOver(node, __filename, [name].concat(args));
}

main().catch((error) => fail((error && error.message) || String(error)));
