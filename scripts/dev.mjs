// `npm run dev`: builds and reloads the service and the editor whenever a source file is saved. Arguments are
// passed to `weft start`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildParts } from './build.mjs';

const { PARTS, fingerprint } = createRequire(import.meta.url)('./build-state.cjs');
const root = path.resolve(import.meta.dirname, '..');

/** Polling interval of names, sizes and times. `fs.watch` misses files that an editor or git replaces. */
const POLL_INTERVAL_MS = 300;
/** Time for running nodes before the old service is ended. */
const STOP_TIMEOUT_MS = 2_000;

const say = (line) => process.stderr.write(`weft: ${line}\n`);
/** Part of the build → fingerprint of the sources of its last build. */
const built = new Map();
let service = null;

function startService() {
  service = spawn(process.execPath, [path.join(root, 'dist', 'weft.js'), 'start', ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  service.once('exit', (code, signal) => {
    if (signal === null && code !== 0)
      say(`the service exited with ${code} and restarts after the next change`);
  });
}

async function stopService() {
  if (service === null || service.exitCode !== null || service.signalCode !== null) return;
  const exited = once(service, 'exit');
  service.kill('SIGTERM');
  // A second signal ends the service immediately.
  const impatient = setTimeout(() => service.kill('SIGTERM'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(impatient);
}

/** The parts whose sources changed since their last build. They count as built from now on. */
function takeChangedParts() {
  const parts = [];
  for (const part of Object.keys(PARTS)) {
    const current = fingerprint(root, part);
    if (current === built.get(part)) continue;
    built.set(part, current);
    parts.push(part);
  }
  return parts;
}

async function rebuildChanged() {
  let parts = [];
  try {
    parts = takeChangedParts();
  } catch (error) {
    // A file was replaced between listing and reading; the next poll sees the result.
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (parts.length === 0) return;
  try {
    await buildParts(root, say, () => parts, { isDev: true });
  } catch (error) {
    say(`the build failed: ${error.message}`);
    return;
  }
  if (!parts.includes('service')) return;
  await stopService();
  startService();
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await stopService();
    process.exit(0);
  });
}

for (;;) {
  await rebuildChanged();
  await sleep(POLL_INTERVAL_MS);
}
