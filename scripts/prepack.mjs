// Completes dist/ for the package after the build. `npm pack` runs it through scripts/task.cjs.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { listPackages } from './bundled-packages.mjs';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');
const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** A build keeps former files of the editor for open pages. A package does not need them. */
function removeFormerAssets() {
  const { assets } = readJson(path.join(dist, 'web', 'files.json'));
  const folder = path.join(dist, 'web', 'assets');
  for (const name of readdirSync(folder)) {
    if (!Object.hasOwn(assets, name.replace(/\.(br|gz)$/, ''))) rmSync(path.join(folder, name));
  }
}

/** src/nodes/node-kit.ts → dist/types: the declarations of `weft/node-kit`. */
function writeTypes() {
  const folder = path.join(dist, 'types');
  rmSync(folder, { recursive: true, force: true });
  const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options =
    '--declaration --emitDeclarationOnly --allowImportingTsExtensions --strict --exactOptionalPropertyTypes ' +
    '--skipLibCheck --module nodenext --target es2024 --types node --rootDir src';
  const { status } = spawnSync(
    process.execPath,
    [
      compiler,
      '--ignoreConfig',
      ...options.split(' '),
      '--outDir',
      folder,
      path.join('src', 'nodes', 'node-kit.ts'),
    ],
    { cwd: root, stdio: ['ignore', 2, 2] },
  );
  if (status !== 0) process.exit(status ?? 1);
  // The compiler does not rewrite the extensions of imports in declarations.
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const file = path.join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
}

/** Collects the licenses of all bundled packages. */
function writeLicenses() {
  const packages = new Set([
    ...readJson(path.join(dist, 'packages.json')),
    ...listPackages(readJson(path.join(dist, 'web', 'metafile.json'))),
  ]);
  const texts = [...packages].toSorted(byText).map((folder) => {
    const { name, version, license } = readJson(path.join(root, folder, 'package.json'));
    const files = readdirSync(path.join(root, folder)).filter((file) =>
      /^(licen[cs]e|copying|notice)/i.test(file),
    );
    const parts = files.map((file) => readFileSync(path.join(root, folder, file), 'utf8').trim());
    return [`${name} ${version} (${license ?? 'see below'})`, ...parts].join('\n\n');
  });
  // No code of grant is bundled, but the catalog of providers was made from its data.
  const ofCatalog = path.join(root, 'src', 'contract', 'connections', 'connection-providers.license.txt');
  texts.push(
    ['grant 5.4.24 (MIT): data of OAuth providers', readFileSync(ofCatalog, 'utf8').trim()].join('\n\n'),
  );
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  writeFileSync(
    path.join(dist, 'THIRD-PARTY-LICENSES.txt'),
    `${['This build contains the following packages.', ...texts].join(rule)}\n`,
  );
}

if (!existsSync(path.join(dist, 'weft.js'))) throw new Error('dist/ is missing; run "npm run build" first');
removeFormerAssets();
writeTypes();
writeLicenses();
