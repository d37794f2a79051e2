import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Runs `weft <args>`, and tells what went wrong. Resolves with the exit code. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(args, terminal);
  } catch (error) {
    // Loaded when something is to be explained: a good start is a quick one.
    const { describeError: explain } = await import('./error-message.ts');
    const { text, code, body } = explain(error);
    if (args.includes('--json')) terminal.err(`${JSON.stringify({ error: body })}\n`);
    else if (text !== '') terminal.err(`weft: ${text}\n`);
    return code;
  }
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
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
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    // Help and version were asked for and printed.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof CommanderError && error.code === 'commander.help')
      throw new UsageError(`Which command?\n\n${help}`);
    throw error;
  }
}
