#!/usr/bin/env node
import { runCommandLine } from './command-line.ts';
import { terminalOf } from './terminal.ts';

// Whoever reads what is printed may go away; the service goes on.
process.stdout.on('error', () => {});

process.exit(await runCommandLine(process.argv.slice(2), terminalOf(process.env)));
