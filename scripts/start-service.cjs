'use strict';
// Loads the built service into this process.
const nodeModule = require('module');
const path = require('path');
const { pathToFileURL } = require('url');
const { codeCache } = require('./build-state.cjs');

/** Runs dist/weft.js with these arguments. Resolves when it is loaded. Requires Node 22.12 or newer. */
function launch(root, args) {
  const file = path.join(root, 'dist', 'weft.js');
  // Keeps V8's compile cache between starts. If the folder is not writable, the code is compiled again.
  const cache = codeCache(root);
  nodeModule.enableCompileCache(cache);
  // For the store's threads, which read this variable.
  process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || cache;
  process.argv = [process.execPath, file].concat(args);
  return import(pathToFileURL(file).href);
}

module.exports = { launch };
