// web/ → dist/web: hashed files in assets/ with brotli and gzip variants, the page that refers to them, and a
// manifest.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** ms that unreferenced files are kept, for pages that were loaded before the build. */
const KEEP_OLD = 24 * 60 * 60 * 1000;
/** Compression levels: high for releases, low for `npm run dev`. */
const SMALL = { brotli: 11, gzip: 9 };
const FAST = { brotli: 1, gzip: 1 };
const COMPRESSED = /\.(js|css|svg)$/;

const APP = 'web/src/app/app.tsx';

/**
 * Lets every lazily loaded component import the app, which is loaded before it. esbuild makes a chunk for
 * each set of entry points that share modules: so all modules of the first page are in the same few chunks,
 * instead of 40 chunks of which most have less than 1 KB.
 */
const lazyComponents = (root) => ({
  name: 'lazy-components',
  setup(build) {
    build.onResolve({ filter: /\.tsx$/ }, ({ kind, importer, path: file, resolveDir }) => {
      if (kind !== 'dynamic-import' || importer === path.join(root, 'web/src/main.tsx')) return undefined;
      return { path: path.relative(root, path.resolve(resolveDir, file)), namespace: 'lazy' };
    });
    build.onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path: file }) => ({
      contents: `import './${APP}';\nexport * from './${file}';`,
      resolveDir: root,
    }));
  },
});

const options = (root, isDev) => ({
  absWorkingDir: root,
  entryPoints: { main: 'web/src/main.tsx', theme: 'web/src/theme.ts', favicon: 'web/src/app/favicon.svg' },
  outdir: path.join(root, 'dist', 'web', 'assets'),
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target: ['chrome123', 'firefox121', 'safari17.5'],
  jsx: 'automatic',
  minify: !isDev,
  metafile: true,
  legalComments: 'none',
  loader: { '.woff2': 'file', '.svg': 'copy' },
  define: { 'process.env.NODE_ENV': isDev ? '"development"' : '"production"' },
  alias: {
    'weft-client': './sdk/src/index.ts',
    // The original writes <style> elements, which the content security policy blocks.
    'react-style-singleton': './web/src/ui/react-style-singleton-csp.ts',
  },
  plugins: [lazyComponents(root)],
  logLevel: 'warning',
  write: false,
});

/**
 * Builds into dist/web. `isDev` builds faster, and the page reloads after the next build. Each file is
 * replaced atomically; index.html and the manifest are written last.
 */
export async function buildWeb(root, { isDev = false } = {}) {
  const { outputFiles, metafile } = await build(options(root, isDev));
  const folder = path.join(root, 'dist', 'web');
  const assets = path.join(folder, 'assets');
  mkdirSync(assets, { recursive: true });
  const files = outputFiles.map((file) => ({ name: path.basename(file.path), contents: file.contents }));
  const sizes = await Promise.all(files.map((file) => writeAsset(assets, file, isDev ? FAST : SMALL)));
  const html = renderPage(readFileSync(path.join(root, 'web', 'index.html'), 'utf8'), metafile, root);
  const listed = files.map(({ name }, i) => [name, sizes[i]]);
  put(path.join(folder, 'index.html'), html);
  put(path.join(folder, 'files.json'), JSON.stringify({ assets: Object.fromEntries(listed) }));
  put(path.join(folder, 'metafile.json'), JSON.stringify(metafile));
  removeOld(assets, new Set(files.map((file) => file.name)));
}

/**
 * The sizes in bytes, plain and compressed. A file with the same hashed name is identical and already
 * compressed.
 */
async function writeAsset(assets, { name, contents }, levels) {
  const file = path.join(assets, name);
  if (!COMPRESSED.test(name)) {
    if (!existsSync(file)) put(file, contents);
    return { size: contents.length };
  }
  const packed = [
    [`${file}.br`, () => brotli(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: levels.brotli } })],
    [`${file}.gz`, () => zip(contents, { level: levels.gzip })],
  ];
  for (const [to, pack] of packed) if (!existsSync(to)) put(to, await pack());
  if (!existsSync(file)) put(file, contents);
  return { size: contents.length, br: statSync(`${file}.br`).size, gz: statSync(`${file}.gz`).size };
}

function renderPage(template, metafile, root) {
  const outputs = Object.entries(metafile.outputs).map(([file, output]) => ({
    ...output,
    name: path.basename(file),
  }));
  const entry = (source) => {
    const found = outputs.find((output) => output.entryPoint === source);
    if (found === undefined) throw new Error(`${source} was not built`);
    return found;
  };
  const main = entry('web/src/main.tsx');
  // main imports the app dynamically, after the language. The preload keeps the download parallel.
  const app = entry(APP);
  const needed = new Set([app.name]);
  const pending = [main, app];
  while (pending.length > 0) {
    for (const { path: file, kind } of pending.pop().imports) {
      const name = path.basename(file);
      if (kind !== 'import-statement' || needed.has(name)) continue;
      needed.add(name);
      pending.push(outputs.find((output) => output.name === name));
    }
  }
  const font = outputs.find((output) => /^inter-latin-wght-normal-.*\.woff2$/.test(output.name));
  const icon = outputs.find((output) => /^favicon-.*\.svg$/.test(output.name));
  const values = {
    // A classic script, because it must run before the first paint.
    theme: `/assets/${entry('web/src/theme.ts').name}`,
    main: `/assets/${main.name}`,
    style: `/assets/${path.basename(main.cssBundle)}`,
    font: `/assets/${font.name}`,
    icon: `/assets/${icon.name}`,
    preload: [...needed].map((name) => `<link rel="modulepreload" href="/assets/${name}" />`).join('\n    '),
  };
  return template.replaceAll(/%(\w+)%/g, (_, key) => {
    if (!(key in values))
      throw new Error(`web/index.html refers to %${key}%, which does not exist (${root})`);
    return values[key];
  });
}

function put(file, contents) {
  const fresh = `${file}.${process.pid}.new`;
  writeFileSync(fresh, contents);
  renameSync(fresh, file);
}

function removeOld(assets, wanted) {
  for (const name of readdirSync(assets)) {
    const file = path.join(assets, name);
    if (!wanted.has(name.replace(/\.(br|gz)$/, '')) && Date.now() - statSync(file).mtimeMs > KEEP_OLD)
      rmSync(file);
  }
}
