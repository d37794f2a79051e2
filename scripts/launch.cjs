'use strict';
// Loads the built service into this process, or lets it take this process over.
const nodeModule = require('module');
const path = require('path');
const { pathToFileURL } = require('url');
const { codeCache } = require('./build-state.cjs');
const { SERVICE_OPTIONS } = require('./runtime.cjs');

const isChosen = () =>
  process.execArgv
    .concat((process.env.NODE_OPTIONS || '').split(' '))
    .some((option) => option.indexOf('--max-semi-space-size') === 0);

/** Runs dist/weft.js with these arguments; resolves once it is loaded. Only on Node 22.12 or newer. */
function launch(root, args) {
  const file = path.join(root, 'dist', 'weft.js');
  // V8's compiled code is kept between starts. Where the folder cannot be written it is simply compiled again.
  const cache = codeCache(root);
  // Started in another way than by `npm start`, the service replaces this process: same id, no process more.
  if (args[0] === 'start' && process.execve && process.platform !== 'win32' && !isChosen()) {
    const node = process.execPath;
    const env = Object.assign({ NODE_COMPILE_CACHE: cache }, process.env);
    process.execve(node, [node].concat(process.execArgv, SERVICE_OPTIONS, file, args), env);
  }
  nodeModule.enableCompileCache(cache);
  // For the store's threads, which look here.
  process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || cache;
  process.argv = [process.execPath, file].concat(args);
  return import(pathToFileURL(file).href);
}

module.exports = { launch };
