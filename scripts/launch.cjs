'use strict';
// Loads the built service into this process.
const nodeModule = require('module');
const path = require('path');
const { pathToFileURL } = require('url');

/** Runs dist/weft.js with these arguments; resolves once it is loaded. Only on Node 24 or newer. */
function launch(root, args) {
  const file = path.join(root, 'dist', 'weft.js');
  // V8's compiled code is kept between starts. Where the folder cannot be written it is simply compiled again.
  nodeModule.enableCompileCache(path.join(root, 'node_modules', '.cache', 'weft'));
  process.argv = [process.execPath, file].concat(args);
  return import(pathToFileURL(file).href);
}

module.exports = { launch };
