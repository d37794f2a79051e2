// src/ → dist/ with esbuild: the entry files and their shared chunks. Packages with native parts are not
// bundled. build-web.mjs builds web/ → dist/web.
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
import { listPackages } from './bundled-packages.mjs';

const require = createRequire(import.meta.url);
const { PARTS, codeCache, fingerprint, isBuilt, staleParts, stampFile } = require('./build-state.cjs');
const { withLock } = require('./process-lock.cjs');

const WAIT_MS = 60_000;
const ENTRIES = {
  weft: 'src/cli/weft.ts',
  // The module that trusted nodes import as weft/node-kit. It shares chunks with the service, so both use the
  // same classes.
  'node-kit': 'src/nodes/node-kit.ts',
};
// Separate programs and threads without shared chunks. The sandbox may not read other files, and the store's
// thread, for which the start waits, loads faster from one file than from twelve.
const LONE_ENTRIES = {
  'writer-thread': 'src/store/sqlite/writer/writer-thread.ts',
  'sandbox-process': 'src/runner/sandbox/sandbox-process.ts',
  'bundle-process': 'src/runner/packages/bundle-process.ts',
  'pack-process': 'src/runner/packs/pack-process.ts',
  'openapi-process': 'src/runner/openapi/openapi-process.ts',
  'mail-process': 'src/runner/documents/mail-process.ts',
  'markup-process': 'src/runner/documents/markup-process.ts',
  'pdf-process': 'src/runner/documents/pdf-process.ts',
  'spreadsheet-process': 'src/runner/documents/spreadsheet-process.ts',
};

// CommonJS dependencies use require() and __dirname, which do not exist in an ES module.
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
    // The commands that call a service run on Node 22. The service needs Node 24 for its sandbox.
    target: 'node22.12',
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    // V8 keeps the source of every module in memory, so whitespace is removed.
    // NODE_OPTIONS=--enable-source-maps restores line numbers.
    minifyWhitespace: true,
    minifySyntax: true,
    // Libraries read the names of their classes: oidc-provider stores each kind of token under
    // `this.constructor.name`.
    keepNames: true,
    lineLimit: 160,
    external: ['better-sqlite3', '@node-rs/argon2', 'esbuild'],
    banner: { js: BANNER },
    logLevel: 'warning',
    metafile: true,
    write: false,
  };
}

// A service may run or start from dist/ during the build. Each file is replaced atomically, files that refer
// to others are written last, and unreferenced files are removed at the end.
function copyFiles(dist, files) {
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
 * Copies the native parts of the sandbox for all platforms. npm installs isolated-vm only on Node versions
 * for which it has a binary. A file that a running service has loaded is replaced atomically, or kept when it
 * is identical.
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
  copyFiles(
    path.join(root, 'dist'),
    built.flatMap(({ outputFiles }) => outputFiles),
  );
  // Required by the licenses of the package.
  const packages = new Set(built.flatMap(({ metafile }) => listPackages(metafile)));
  packages.add('node_modules/isolated-vm');
  writeFileSync(path.join(root, 'dist', 'packages.json'), JSON.stringify([...packages]));
  // The compile cache of former files is never removed otherwise.
  rmSync(codeCache(root), { recursive: true, force: true });
}

const BUILDERS = {
  service: buildService,
  web: async (root, { isDev }) => (await import('./build-web.mjs')).buildWeb(root, { isDev }),
};

/** Builds the missing and stale parts of dist/, or all parts with `force`. Rejects when esbuild fails. */
export async function ensureBuilt(root, say, { force = false } = {}) {
  if (!force && isBuilt(root)) return;
  await buildParts(root, say, () => (force ? Object.keys(PARTS) : staleParts(root)));
}

/**
 * Builds the parts that `listParts` returns, when no other process builds in this checkout. With `isDev`, the
 * page reloads after the next build, and the build is stale for every other command.
 */
export async function buildParts(root, say, listParts, { isDev = false } = {}) {
  await withLock(
    root,
    'build',
    WAIT_MS,
    (pid) => say(`process ${pid} is already building in this checkout; waiting for it`),
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
