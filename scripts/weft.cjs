#!/usr/bin/env node
'use strict';
// The `weft` command, in old JavaScript, because any Node may start it.
const fs = require('fs');
const path = require('path');
const {
  isRight,
  runsCommands,
  isCheckout,
  tooOld,
  installedNode,
  missingNode,
  handOver,
} = require('./ensure-node.cjs');
const { isBuilt } = require('./build-state.cjs');

const root = path.resolve(__dirname, '..');

async function main() {
  const args = process.argv.slice(2);
  if (!isCheckout(root)) {
    if (!runsCommands()) throw new Error(tooOld());
    return require('./start-service.cjs').launch(root, args);
  }
  if (!isRight()) {
    const node = installedNode(root);
    if (!node) throw new Error(missingNode());
    return handOver(node, __filename, args);
  }
  if (!isBuilt(root)) {
    if (!fs.existsSync(path.join(root, 'node_modules', 'esbuild'))) {
      throw new Error(
        'dist/ is missing or older than src/, and esbuild is not installed: run "npm ci && npm run build"',
      );
    }
    const { ensureBuilt } = await import('./build.mjs');
    await ensureBuilt(root, (line) => process.stderr.write(`weft: ${line}\n`));
  }
  return require('./start-service.cjs').launch(root, args);
}

main().catch((error) => {
  process.stderr.write(`weft: ${error && error.message ? error.message : error}\n`);
  process.exit(1);
});
