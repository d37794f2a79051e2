// sdk/src → sdk/dist: one .js and one .d.ts for each file, from the compiler, for Node 20 or newer and
// browsers. `node scripts/build-client.mjs [folder]`. npm runs it before it packs the package.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const folder = path.resolve(process.argv[2] ?? path.join(root, 'sdk', 'dist'));
const require = createRequire(import.meta.url);
const compiler = path.join(path.dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');

rmSync(folder, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [compiler, '-p', path.join(root, 'sdk'), '--outDir', folder], {
  stdio: ['ignore', 2, 2],
});
if (status !== 0) process.exit(status ?? 1);

// The compiler rewrites the extensions of imports in .js files, but not in declarations.
for (const name of readdirSync(folder, { recursive: true })) {
  if (!name.endsWith('.d.ts')) continue;
  const file = path.join(folder, name);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}
