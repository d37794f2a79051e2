#!/usr/bin/env node
import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { terminalOf } from './terminal.ts';
import { UsageError } from './usage-error.ts';

const terminal = terminalOf(process.env);

// Whoever reads what is printed may go away; the service goes on.
process.stdout.on('error', () => {});

async function run(argv: string[]): Promise<number> {
  let code = 0;
  let help = '';
  const program = createProgram(
    terminal,
    (ended) => {
      code = ended;
    },
    (text) => {
      help += text;
    },
  );
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    // Help and version were asked for and printed.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof CommanderError && error.code === 'commander.help')
      throw new UsageError(`Which command?\n\n${help}`);
    throw error;
  }
}

const args = process.argv.slice(2);
run(args).then(
  (code) => process.exit(code),
  async (error: unknown) => {
    const { explain } = await import('./failure.ts');
    const { text, code, body } = explain(error);
    const isJson = args.includes('--json');
    if (isJson) process.stderr.write(`${JSON.stringify({ error: body })}\n`);
    else if (text !== '') process.stderr.write(`weft: ${text}\n`);
    process.exit(code);
  },
);
