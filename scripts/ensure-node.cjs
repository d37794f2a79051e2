'use strict';
// Weft needs Node 24: better-sqlite3 13 ends Node 20 with a segmentation fault and no message. In a checkout the devDependency
// `node` brings the binary; this file hands over to it. It runs on any Node, so it is written in old JavaScript.
const fs = require('fs');
const path = require('path');

const NEEDED = 24;
/** The oldest Node, as [major, minor], for the commands that call a service; the package's "engines" says the same. */
const NEEDED_FOR_COMMANDS = [22, 12];

const isRight = () => Number(process.versions.node.split('.')[0]) >= NEEDED;

/** Whether this Node runs the commands that call a service. `start` and its like refuse it by themselves: src/cli/service-node.ts. */
function runsCommands() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return (
    major > NEEDED_FOR_COMMANDS[0] || (major === NEEDED_FOR_COMMANDS[0] && minor >= NEEDED_FOR_COMMANDS[1])
  );
}

/** An installed package has no lock file, which npm never packs, and no Node of its own to hand over to. */
const isCheckout = (root) => fs.existsSync(path.join(root, 'package-lock.json'));

const tooOld = () =>
  `Weft needs Node ${NEEDED} or newer for the service and Node ${NEEDED_FOR_COMMANDS.join('.')} or newer for the other ` +
  `commands, and this is Node ${process.versions.node}; install a newer one from https://nodejs.org`;

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
  // `npm start` sets the size of the young generation; docs/decisions/0037 says why.
  const options = process.execArgv.filter((option) => option.indexOf('--max-semi-space-size') === 0);
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

module.exports = {
  isRight,
  runsCommands,
  isCheckout,
  tooOld,
  installedNode,
  missingNode,
  handOver,
};
