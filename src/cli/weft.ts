#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { runCommandLine } from './command-line.ts';
import { terminalOf } from './terminal.ts';

// What a request makes shall not be made old: docs/decisions/0037.
setFlagsFromString('--no-allocation-site-pretenuring');

// Whoever reads what is printed may go away, and a disk may have no room for it; the service goes on.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

process.exit(await runCommandLine(process.argv.slice(2), terminalOf(process.env)));
