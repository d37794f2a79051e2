'use strict';
// Is dist/ built from the sources as they are now? Answered from names, sizes and times: a few milliseconds.
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');

const stampFile = (root) => path.join(root, 'dist', '.built-from');

function sourceFiles(folder) {
  const found = [];
  const pending = [folder];
  while (pending.length > 0) {
    const current = pending.pop();
    for (const entry of fs.readdirSync(current, { withFileTypes: true })) {
      const full = path.join(current, entry.name);
      if (entry.isDirectory()) pending.push(full);
      else if (!entry.name.endsWith('.test.ts') && !entry.name.endsWith('.suite.ts')) found.push(full);
    }
  }
  return found.sort();
}

/** A text that changes whenever something the build reads changes. */
function fingerprint(root) {
  const folders = ['src', 'templates', path.join('sdk', 'src')];
  const inputs = folders.flatMap((folder) => sourceFiles(path.join(root, folder)));
  inputs.push(
    path.join(root, 'package-lock.json'),
    path.join(root, 'package.json'),
    path.join(root, 'scripts', 'build.mjs'),
  );
  const hash = crypto.createHash('sha256');
  for (const file of inputs) {
    const { size, mtimeMs } = fs.statSync(file);
    hash.update(`${path.relative(root, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** An installation without sources has nothing to be older than: there its dist/ is right by definition. */
function isBuilt(root) {
  if (!fs.existsSync(path.join(root, 'dist', 'weft.js'))) return false;
  if (!fs.existsSync(path.join(root, 'src'))) return true;
  try {
    return fs.readFileSync(stampFile(root), 'utf8') === fingerprint(root);
  } catch (_) {
    return false;
  }
}

module.exports = { fingerprint, isBuilt, stampFile };
