'use strict';
// Loads the built service into this process.
const nodeModule = require('module');
const path = require('path');
const { pathToFileURL } = require('url');
const { codeCache } = require('./build-state.cjs');

/** Runs dist/weft.js with these arguments; resolves once it is loaded. Only on Node 22.12 or newer. */
function launch(root, args) {
  const file = path.join(root, 'dist', 'weft.js');
  // V8's compiled code is kept between starts. Where the folder cannot be written it is simply compiled again.
  const cache = codeCache(root);
  nodeModule.enableCompileCache(cache);
  // For the store's threads, which look here.
  process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || cache;
  process.argv = [process.execPath, file].concat(args);
  return import(pathToFileURL(file).href);
}

module.exports = { launch };
