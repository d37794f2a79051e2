'use strict';
// Checks whether dist/ is up to date with its sources, by names, sizes and times, in a few milliseconds.
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');

// The service and the editor are built separately, each when one of its sources has changed.
const PARTS = {
  service: {
    folders: ['src', 'templates', path.join('sdk', 'src')],
    files: [
      'package-lock.json',
      'package.json',
      path.join('scripts', 'build.mjs'),
      path.join('scripts', 'bundled-packages.mjs'),
    ],
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

// V8's compile cache of dist/, kept between starts.
const codeCache = (root) => path.join(root, 'node_modules', '.cache', 'weft');
const stampFile = (root, part) => path.join(root, PARTS[part].stamp);

const TEST = /\.(test|suite)\.tsx?$/;

// One line for each file in the folder, recursively. Every start waits for this function.
function describe(root, folder, lines) {
  for (const name of fs.readdirSync(`${root}/${folder}`)) {
    if (TEST.test(name)) continue;
    const location = `${folder}/${name}`;
    const stat = fs.statSync(`${root}/${location}`);
    if (stat.isDirectory()) describe(root, location, lines);
    else lines.push(`${location} ${stat.size} ${stat.mtimeMs}`);
  }
}

/** A fingerprint of all files that the build of this part reads. */
function fingerprint(root, part) {
  const { folders, files } = PARTS[part];
  const lines = [];
  for (const folder of folders) describe(root, folder, lines);
  for (const file of files) {
    const { size, mtimeMs } = fs.statSync(path.join(root, file));
    lines.push(`${file} ${size} ${mtimeMs}`);
  }
  return crypto.createHash('sha256').update(lines.sort().join('\n')).digest('hex');
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

/** An installed package has no sources, so its dist/ is always up to date. */
function isBuilt(root) {
  return fs.existsSync(path.join(root, PARTS.service.made)) && staleParts(root).length === 0;
}

module.exports = { PARTS, codeCache, fingerprint, isBuilt, staleParts, stampFile };
