'use strict';
// Weft needs Node 24: better-sqlite3 13 crashes Node 20 (SIGSEGV) without a message. In a
// checkout, the devDependency `node` installs the binary, and this file runs it. This file runs on any Node,
// so it uses old JavaScript.
const fs = require('fs');
const path = require('path');

const NEEDED = 24;
/**
 * The oldest Node, as [major, minor], for the commands that call a service. The same as "engines" of the
 * package.
 */
const NEEDED_FOR_COMMANDS = [22, 12];

const isRight = () => Number(process.versions.node.split('.')[0]) >= NEEDED;

/**
 * Whether this Node runs the commands that call a service. src/cli/service-node.ts checks the version for
 * `start`.
 */
function runsCommands() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return (
    major > NEEDED_FOR_COMMANDS[0] || (major === NEEDED_FOR_COMMANDS[0] && minor >= NEEDED_FOR_COMMANDS[1])
  );
}

/** An installed package has no lock file, which npm never packs, and does not contain Node. */
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
 * Runs `file` with the installed Node 24 in a child process, and exits with the same status or signal.
 * Each SIGTERM and SIGHUP is forwarded. SIGINT is forwarded only without a terminal. With a terminal, Ctrl-C
 * reaches the child directly, and a second SIGINT would end it without draining.
 */
function handOver(node, file, args) {
  // Loaded on demand: a start on the right Node does not need it.
  const { spawn } = require('child_process');
  // `npm start` sets the size of the young generation: ADR 37 (docs/decisions).
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
