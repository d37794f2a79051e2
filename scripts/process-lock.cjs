'use strict';
// A lock across processes: two starts in one checkout must not both run `npm ci`.
//
// The lock is a file with the pid of its holder. It is in the system's temporary folder, named after the
// checkout, because `npm ci` empties node_modules, and the source folders contain no state. It is created
// with link(2), so that no process reads a partial file. The lock of an ended process is replaced.
const crypto = require('crypto');
const fs = require('fs');
const os = require('os');
const path = require('path');

const POLL_MS = 100;

function lockFile(root, name) {
  const user = typeof process.getuid === 'function' ? process.getuid() : 'user';
  const location = crypto.createHash('sha256').update(fs.realpathSync(root)).digest('hex').slice(0, 16);
  return path.join(os.tmpdir(), `weft-${name}-${user}-${location}.lock`);
}

function holder(file) {
  try {
    return Number(fs.readFileSync(file, 'utf8')) || 0;
  } catch (_) {
    return 0;
  }
}

function alive(pid) {
  if (!pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function tryTake(file) {
  const mine = `${file}.${process.pid}`;
  fs.writeFileSync(mine, String(process.pid));
  try {
    fs.linkSync(mine, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    fs.unlinkSync(mine);
  }
}

// Moves the lock of an ended process away. Another process may have replaced it between reading and moving.
// In that case the moved lock is valid, and it is restored.
function clearDead(file) {
  const aside = `${file}.dead.${process.pid}`;
  try {
    fs.renameSync(file, aside);
  } catch (_) {
    return;
  }
  try {
    if (alive(holder(aside))) fs.linkSync(aside, file);
  } catch (_) {
    // Another process already holds a newer lock, so the moved one is not restored.
  }
  fs.unlinkSync(aside);
}

/**
 * Runs `work` while holding the lock `name` of this checkout. Waits at most `waitMs` for another holder and
 * then rejects with a message that names it. Calls `onWait(pid)` once if another process holds the lock.
 */
async function withLock(root, name, waitMs, onWait, work) {
  const file = lockFile(root, name);
  const deadline = Date.now() + waitMs;
  let message = false;
  while (!tryTake(file)) {
    const pid = holder(file);
    if (!alive(pid)) {
      clearDead(file);
      continue;
    }
    if (!message) onWait(pid);
    message = true;
    if (Date.now() > deadline) {
      throw new Error(
        `process ${pid} has held ${file} for ${Math.round(waitMs / 1000)} s; end it, or remove the file`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const release = () => {
    if (holder(file) === process.pid) fs.unlinkSync(file);
  };
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

module.exports = { withLock };
