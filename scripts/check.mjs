// `npm run check`: runs every check, also after a failure, and prints the time of each. The exit status is 0
// if all pass. Arguments select checks: `npm run check -- lint types`.
import { spawn } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const bin = (name) => path.join(root, 'node_modules', '.bin', name);

const STEPS = {
  format: [bin('oxfmt'), '--check', '.'],
  lint: [bin('oxlint'), '--type-aware', '--quiet'],
  types: [bin('tsc'), '-p', '.'],
  'types of the editor': [bin('tsc'), '-p', 'web'],
  'types of its tests': [bin('tsc'), '-p', 'test/browser'],
  prose: [process.execPath, path.join(root, 'scripts', 'check-prose.mjs')],
  'dead code': [bin('knip')],
  build: [process.execPath, path.join(root, 'scripts', 'task.cjs'), 'build'],
  // Also builds, for `npm run check -- tests`, and fails immediately when the build fails.
  tests: [process.execPath, path.join(root, 'scripts', 'task.cjs'), 'test'],
};

function run([program, ...args]) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: 'inherit' });
    child.once('error', (error) => {
      console.error(error.message);
      resolve(false);
    });
    child.once('exit', (code) => resolve(code === 0));
  });
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(STEPS, name));
if (unknown.length > 0) {
  console.error(`check: unknown check ${unknown.join(', ')}; available: ${Object.keys(STEPS).join(', ')}`);
  process.exit(2);
}

const results = [];
for (const [name, command] of Object.entries(STEPS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`\n— ${name}`);
  const began = performance.now();
  const passed = await run(command);
  results.push({ name, passed, seconds: (performance.now() - began) / 1000 });
}

console.log();
for (const { name, passed, seconds } of results) {
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${name.padEnd(19)} ${seconds.toFixed(1)} s`);
}
process.exit(results.every((result) => result.passed) ? 0 : 1);
