import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import type { Terminal } from './terminal/terminal.ts';
import { UsageError } from './usage-error.ts';

/** Runs `weft <args>` and prints errors. Resolves with the exit code. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(args, terminal);
  } catch (error) {
    // Loaded only for an error, to keep the start fast.
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
    // Help or version was requested and printed.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof CommanderError && error.code === 'commander.help')
      throw new UsageError(`Which command?\n\n${help}`);
    throw error;
  }
}
