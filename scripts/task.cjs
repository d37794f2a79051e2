'use strict';
// The entry of `npm start | dev | test | run test:all | check | bench | build | pack`. Before each, it
// installs the dependencies and selects Node 24 or newer. This file and its dependencies also run on old Node
// versions.
const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');
const { ensureInstalled } = require('./install.cjs');
const { isRight, installedNode, missingNode, handOver } = require('./ensure-node.cjs');

const root = path.resolve(__dirname, '..');
const say = (line) => process.stderr.write(`weft: ${line}\n`);

// Runs a program's entry file in this process. This saves a process, and signals arrive directly.
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

// Loads the builder only for a stale build. A start from an up-to-date one only compares names, sizes and
// times.
async function buildIfStale() {
  if (!require('./build-state.cjs').isBuilt(root)) await build([]);
}

async function runTests(args) {
  // Tests of the whole program run dist/. Without a build they would not test what is shipped.
  await buildIfStale();
  // The store's threads load many modules at each start; the cache halves that time.
  process.env.NODE_COMPILE_CACHE =
    process.env.NODE_COMPILE_CACHE || path.join(root, 'node_modules', '.cache', 'weft-tests');
  await become(path.join(root, 'node_modules', 'vitest', 'vitest.mjs'), ['run'].concat(args));
}

// A named file, folder or project runs in any project (test/projects.ts).
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
    const isCluster = args[0] === 'cluster';
    if (args.length > 0 && !isCluster && args[0].charAt(0) !== '-')
      fail(`npm run bench: unknown argument ${JSON.stringify(args[0])}; must be cluster or an option`);
    await buildIfStale();
    await become(
      path.join(root, 'bench', isCluster ? 'cluster.ts' : 'main.ts'),
      isCluster ? args.slice(1) : args,
    );
  },
  build,
  // `npm pack` packs the dist/ that this completes.
  prepack: async () => {
    await buildIfStale();
    await become(path.join(root, 'scripts', 'prepack.mjs'), []);
  },
};

// A setup error is one line. An error inside the started program is a bug, and prints its stack.
const fail = (text) => {
  say(text);
  process.exit(1);
};

async function main() {
  const name = process.argv[2];
  const args = process.argv.slice(3);
  if (!Object.prototype.hasOwnProperty.call(commands, name)) {
    throw new Error(
      `scripts/task.cjs: unknown command ${JSON.stringify(name)}; must be one of ${Object.keys(commands).join(', ')}`,
    );
  }
  await ensureInstalled(root, say);
  if (isRight()) return commands[name](args).catch((error) => fail((error && error.stack) || String(error)));
  const node = installedNode(root);
  if (!node) throw new Error(missingNode());
  return handOver(node, __filename, [name].concat(args));
}

main().catch((error) => fail((error && error.message) || String(error)));
