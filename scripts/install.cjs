'use strict';
// Makes node_modules match package-lock.json. Later starts only hash the lock file.
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const { withLock } = require('./process-lock.cjs');

const WAIT_MS = 10 * 60 * 1000;
const PROGRESS_MS = 5000;

const stampFile = (root) => path.join(root, 'node_modules', '.weft-installed');

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (_) {
    return undefined;
  }
}

function lockHash(root) {
  const text = read(path.join(root, 'package-lock.json'));
  if (text === undefined) throw new Error('package-lock.json is missing: this is not a complete checkout');
  return { text, hash: crypto.createHash('sha256').update(text).digest('hex') };
}

// After a manual `npm ci` or `npm install`, npm's own record of the installation contains every package of
// the lock file in its version, and no installation is needed.
function npmInstalledAll(root, lockText) {
  const hidden = read(path.join(root, 'node_modules', '.package-lock.json'));
  if (hidden === undefined) return false;
  try {
    const wanted = JSON.parse(lockText).packages;
    const present = JSON.parse(hidden).packages;
    return Object.keys(wanted).every((name) => {
      if (name === '' || wanted[name].optional || wanted[name].link) return true;
      const have = present[name];
      return (
        have !== undefined &&
        have.version === wanted[name].version &&
        have.integrity === wanted[name].integrity
      );
    });
  } catch (_) {
    return false;
  }
}

function isInstalled(root) {
  const { text, hash } = lockHash(root);
  if (read(stampFile(root)) === hash) return true;
  if (!npmInstalledAll(root, text)) return false;
  fs.writeFileSync(stampFile(root), hash);
  return true;
}

// `npm ci` first empties node_modules, including its Node, so npm and its children must run on another Node.
function outsidePath(root) {
  const inside = path.join(root, 'node_modules');
  return (process.env.PATH || '')
    .split(path.delimiter)
    .filter((folder) => !path.resolve(folder).startsWith(inside))
    .join(path.delimiter);
}

function reportProgress(root, packages) {
  const began = Date.now();
  const manifests = packages.map((name) => path.join(root, name, 'package.json'));
  const print = () => {
    const there = manifests.filter((file) => fs.existsSync(file)).length;
    const seconds = Math.round((Date.now() - began) / 1000);
    process.stderr.write(`weft: installing, ${seconds} s: ${there} of ${manifests.length} packages\n`);
  };
  return setInterval(print, PROGRESS_MS);
}

function runNpm(root, lockText) {
  // Loaded only for an installation.
  const { spawn } = require('child_process');
  return new Promise((resolve, reject) => {
    const windows = process.platform === 'win32';
    const args = ['ci', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];
    const env = Object.assign({}, process.env, { PATH: outsidePath(root) });
    const child = spawn(windows ? 'npm.cmd' : 'npm', args, {
      cwd: root,
      stdio: ['ignore', 2, 2],
      env,
      shell: windows,
    });
    const wanted = JSON.parse(lockText).packages;
    const required = Object.keys(wanted).filter((name) => name !== '' && !wanted[name].optional);
    const progress = reportProgress(root, required);
    const forward = (signal) => child.kill(signal);
    process.on('SIGINT', forward);
    process.on('SIGTERM', forward);
    const settle = (finish) => {
      clearInterval(progress);
      process.removeListener('SIGINT', forward);
      process.removeListener('SIGTERM', forward);
      finish();
    };
    child.once('error', (error) =>
      settle(() =>
        reject(new Error(`npm could not be started (${error.message}); install npm, then try again`)),
      ),
    );
    child.once('exit', (code, signal) =>
      settle(() => {
        if (code === 0) resolve();
        else reject(new Error(`npm ci ended with ${signal || `status ${code}`}; its own message is above`));
      }),
    );
  });
}

/** Installs when node_modules does not match package-lock.json. Rejects with a one-line message. */
async function ensureInstalled(root, say) {
  if (isInstalled(root)) return;
  await withLock(
    root,
    'install',
    WAIT_MS,
    (pid) => say(`process ${pid} is already installing in this checkout; waiting for it`),
    async () => {
      if (isInstalled(root)) return;
      const first = !fs.existsSync(path.join(root, 'node_modules'));
      say(
        `${first ? 'dependencies are not installed yet' : 'node_modules does not match package-lock.json'}; running npm ci`,
      );
      const began = Date.now();
      const { text, hash } = lockHash(root);
      await runNpm(root, text);
      fs.writeFileSync(stampFile(root), hash);
      say(`installed in ${((Date.now() - began) / 1000).toFixed(0)} s`);
    },
  );
}

module.exports = { ensureInstalled };
