// src/ → dist/, by esbuild: the entry files, and the chunks that two of them share. Packages with native parts stay outside.
// web/ → dist/web is in build-web.mjs.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';
import { packagesOf } from './bundled-packages.mjs';

const require = createRequire(import.meta.url);
const { PARTS, codeCache, fingerprint, isBuilt, staleParts, stampFile } = require('./build-state.cjs');
const { withLock } = require('./process-lock.cjs');

const WAIT_MS = 60_000;
const ENTRIES = {
  weft: 'src/cli/weft.ts',
  // What trusted nodes import as weft/node-kit: it shares its chunks with the service, so that both mean the same classes.
  'node-kit': 'src/nodes/node-kit.ts',
};
// Programs and threads of their own, which share no chunk: they need no other file, the sandbox may read none, and the start waits for
// the store's thread, which is there sooner with one file to load than with twelve.
const LONE_ENTRIES = {
  'writer-thread': 'src/store/sqlite/writer/writer-thread.ts',
  'sandbox-process': 'src/runner/sandbox/sandbox-process.ts',
  'bundle-process': 'src/runner/packages/bundle-process.ts',
};

// The code of CommonJS dependencies calls require() and reads __dirname, which an ES module does not have.
const BANNER = [
  "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);",
  'const __filename = import.meta.filename, __dirname = import.meta.dirname;',
].join(' ');

function options(root, entryPoints, splitting) {
  return {
    absWorkingDir: root,
    entryPoints,
    outdir: path.join(root, 'dist'),
    entryNames: '[name]',
    chunkNames: 'chunk-[hash]',
    bundle: true,
    splitting,
    format: 'esm',
    platform: 'node',
    // The commands that call a service run on Node 22; the service itself needs Node 24 for its sandbox.
    target: 'node22.12',
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    // V8 keeps the text of every module in memory, so whitespace goes. NODE_OPTIONS=--enable-source-maps shows the real lines.
    minifyWhitespace: true,
    minifySyntax: true,
    // Libraries read the names of their classes: oidc-provider keeps each kind of token under `this.constructor.name`.
    keepNames: true,
    lineLimit: 160,
    external: ['better-sqlite3', '@node-rs/argon2', 'esbuild'],
    banner: { js: BANNER },
    logLevel: 'warning',
    metafile: true,
    write: false,
  };
}

// A service may be running from dist/ and another may be starting: every file appears whole, the files that name
// others come last, and what nothing names any more goes at the very end.
function place(dist, files) {
  mkdirSync(dist, { recursive: true });
  const isEntry = (name) => name.replace(/\.js$/, '') in ENTRIES;
  const named = files.map((file) => ({ name: path.basename(file.path), contents: file.contents }));
  named.sort((a, b) => Number(isEntry(a.name)) - Number(isEntry(b.name)));
  for (const { name, contents } of named) {
    const fresh = path.join(dist, `.${name}.${process.pid}`);
    writeFileSync(fresh, contents);
    renameSync(fresh, path.join(dist, name));
  }
  const wanted = new Set(named.map((file) => file.name));
  for (const name of readdirSync(dist)) {
    if (/^chunk-.*\.js(\.map)?$/.test(name) && !wanted.has(name)) rmSync(path.join(dist, name));
  }
}

/**
 * The native parts of the sandbox, for all platforms. They are copied, because npm installs isolated-vm on no Node but those that
 * it has a binary for. A file that a running service has loaded is replaced as a whole, or stays when it is the same.
 */
function placeAddons(root) {
  const from = path.join(path.dirname(require.resolve('isolated-vm/package.json')), 'prebuilds');
  const to = path.join(root, 'dist', 'isolated-vm', 'prebuilds');
  for (const name of readdirSync(from, { recursive: true })) {
    if (!name.endsWith('.node')) continue;
    const [source, target] = [path.join(from, name), path.join(to, name)];
    if (existsSync(target) && readFileSync(target).equals(readFileSync(source))) continue;
    const fresh = `${target}.${process.pid}`;
    cpSync(source, fresh);
    renameSync(fresh, target);
  }
}

async function buildService(root) {
  const built = await Promise.all([
    build(options(root, ENTRIES, true)),
    build(options(root, LONE_ENTRIES, false)),
  ]);
  placeAddons(root);
  place(
    path.join(root, 'dist'),
    built.flatMap(({ outputFiles }) => outputFiles),
  );
  // What the package names in its licences.
  const packages = new Set(built.flatMap(({ metafile }) => packagesOf(metafile)));
  packages.add('node_modules/isolated-vm');
  writeFileSync(path.join(root, 'dist', 'packages.json'), JSON.stringify([...packages]));
  // Nobody would take the code of the former files away.
  rmSync(codeCache(root), { recursive: true, force: true });
}

const BUILDERS = {
  service: buildService,
  web: async (root, { isDev }) => (await import('./build-web.mjs')).buildWeb(root, { isDev }),
};

/** Builds what is missing in dist/ or older than its sources, or all of it with `force`. Rejects when esbuild does. */
export async function ensureBuilt(root, say, { force = false } = {}) {
  if (!force && isBuilt(root)) return;
  await buildParts(root, say, () => (force ? Object.keys(PARTS) : staleParts(root)));
}

/**
 * Builds the parts that `listParts` returns once no other process builds in this checkout. With `isDev` the page reloads after
 * the next build, and counts as stale for every other command.
 */
export async function buildParts(root, say, listParts, { isDev = false } = {}) {
  await withLock(
    root,
    'build',
    WAIT_MS,
    (pid) => say(`process ${pid} is building here; waiting for it`),
    async () => {
      for (const part of listParts()) {
        const began = performance.now();
        const from = fingerprint(root, part);
        await BUILDERS[part](root, { isDev });
        writeFileSync(stampFile(root, part), isDev && part === 'web' ? `development ${from}` : from);
        say(
          `built ${part === 'web' ? 'the editor' : 'the service'} in ${Math.round(performance.now() - began)} ms`,
        );
      }
    },
  );
}
