import type { CompletedCommand, Value } from './completed-command.ts';

/*
 * All three scripts process the words of the line in order. The command so far is kept as a path, such as
 * `workflows list`, and each word is looked up together with it: `workflows list --status`.
 */

const behind = (path: string, word: string): string => `${path} ${word}`;

/** The words that lead from one command to a subcommand. */
export function listCommandSteps(
  commands: readonly CompletedCommand[],
): { readonly patterns: readonly string[]; readonly path: string }[] {
  return commands.flatMap(({ path, commands: inner }) =>
    inner.map(({ name, aliases }) => ({
      patterns: [name, ...aliases].map((word) => behind(path, word)),
      path: behind(path, name).trim(),
    })),
  );
}

/** The options that take a value, for each command. */
export function listValueOptions(
  commands: readonly CompletedCommand[],
): { readonly patterns: readonly string[]; readonly value: Value }[] {
  return commands.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) =>
      value === null ? [] : [{ patterns: flags.map((flag) => behind(path, flag)), value }],
    ),
  );
}

/** For bash and zsh. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
