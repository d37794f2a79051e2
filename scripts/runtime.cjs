'use strict';
// Weft needs Node 24: better-sqlite3 13 ends Node 20 with a segmentation fault and no message. The devDependency
// `node` brings the binary; this file hands over to it. It runs on any Node, so it is written in old JavaScript.
const fs = require('fs');
const path = require('path');

const NEEDED = 24;

// How a process of the service is started: the young generation of the heap, and leave to give it back; docs/decisions/0037 says
// why. Both can only be chosen when a process starts. `npm start` gives them, too.
const SERVICE_OPTIONS = ['--max-semi-space-size=8', '--expose-gc'];

const isRight = () => Number(process.versions.node.split('.')[0]) >= NEEDED;

/** The installed Node 24, or undefined when its install script did not run. */
function installedNode(root) {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const places = [
    path.join(root, 'node_modules', '.bin', name),
    path.join(root, 'node_modules', 'node', 'bin', name),
  ];
  return places.find((file) => fs.existsSync(file));
}

const missingNode = () =>
  `Weft needs Node ${NEEDED} or newer, this is ${process.versions.node}, and node_modules/.bin/node is absent ` +
  `(were install scripts switched off?): run "npm rebuild node --ignore-scripts=false", or put Node ${NEEDED} on the PATH`;

/**
 * Runs `file` with the installed Node 24 in a child process and ends as it ends: same status, same signal.
 * SIGTERM and SIGHUP are passed on, each time. SIGINT is passed on only without a terminal: with one, Ctrl-C
 * reaches the child directly, and a second SIGINT would ask it to end without draining.
 */
function handOver(node, file, args) {
  // Loaded here: a start on the right Node needs none, and does not wait for it.
  const { spawn } = require('child_process');
  const options = args[0] === 'start' ? SERVICE_OPTIONS : [];
  const child = spawn(node, options.concat(file, args), { stdio: 'inherit' });
  const forward = (signal) => child.kill(signal);
  process.on('SIGTERM', forward);
  process.on('SIGHUP', forward);
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  child.once('error', (error) => {
    process.stderr.write(`weft: ${node} could not be started: ${error.message}\n`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

module.exports = { SERVICE_OPTIONS, isRight, installedNode, missingNode, handOver };
