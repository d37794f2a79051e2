#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { runCommandLine } from './command-line.ts';
import { detectTerminal } from './terminal/terminal.ts';

// Objects of a request must not be allocated in the old generation: ADR 37 (docs/decisions).
setFlagsFromString('--no-allocation-site-pretenuring');

// The reader of the output may close the pipe, and the disk may be full; the service continues.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

process.exit(await runCommandLine(process.argv.slice(2), detectTerminal(process.env)));
