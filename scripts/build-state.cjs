'use strict';
// Is dist/ built from the sources as they are now? Answered from names, sizes and times: a few milliseconds.
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');

// The service and the page are built apart: each when something that it reads has changed.
const PARTS = {
  service: {
    folders: ['src', 'templates', path.join('sdk', 'src')],
    files: ['package-lock.json', 'package.json', path.join('scripts', 'build.mjs')],
    made: path.join('dist', 'weft.js'),
    stamp: path.join('dist', '.built-from'),
  },
  web: {
    folders: ['web', path.join('sdk', 'src')],
    files: ['package-lock.json', path.join('scripts', 'build-web.mjs')],
    made: path.join('dist', 'web', 'index.html'),
    stamp: path.join('dist', 'web', '.built-from'),
  },
};

const stampFile = (root, part) => path.join(root, PARTS[part].stamp);

function sourceFiles(folder) {
  const found = [];
  const pending = [folder];
  while (pending.length > 0) {
    const current = pending.pop();
    for (const entry of fs.readdirSync(current, { withFileTypes: true })) {
      const full = path.join(current, entry.name);
      if (entry.isDirectory()) pending.push(full);
      else if (!/\.(test|suite)\.tsx?$/.test(entry.name)) found.push(full);
    }
  }
  return found.sort();
}

/** A text that changes whenever something changes that the build of this part reads. */
function fingerprint(root, part) {
  const { folders, files } = PARTS[part];
  const inputs = folders
    .flatMap((folder) => sourceFiles(path.join(root, folder)))
    .concat(files.map((file) => path.join(root, file)));
  const hash = crypto.createHash('sha256');
  for (const file of inputs) {
    const { size, mtimeMs } = fs.statSync(file);
    hash.update(`${path.relative(root, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function isPartBuilt(root, part) {
  if (!fs.existsSync(path.join(root, PARTS[part].folders[0]))) return true;
  if (!fs.existsSync(path.join(root, PARTS[part].made))) return false;
  try {
    return fs.readFileSync(stampFile(root, part), 'utf8') === fingerprint(root, part);
  } catch (_) {
    return false;
  }
}

/** The parts that are missing or older than their sources. */
const staleParts = (root) => Object.keys(PARTS).filter((part) => !isPartBuilt(root, part));

/** An installation without sources has nothing to be older than: there its dist/ is right by definition. */
function isBuilt(root) {
  return fs.existsSync(path.join(root, PARTS.service.made)) && staleParts(root).length === 0;
}

module.exports = { PARTS, fingerprint, isBuilt, staleParts, stampFile };
