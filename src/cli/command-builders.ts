import type { Command } from 'commander';
import type { RemoteCommand } from './run-context.ts';

/** Loads the code of a command on use. */
export type LoadCommand<Options extends object> = () => Promise<RemoteCommand<Options>>;

/** Adds what commands share. */
export type CommandBuilders = {
  /** Adds the shared options to a command, and runs what `load` returns. */
  readonly does: <Options extends object>(command: Command, load: LoadCommand<Options>) => Command;
  /** Adds the options of a list. */
  readonly listing: (command: Command) => Command;
  /** Adds the options of a command that asks for confirmation. */
  readonly deleting: (command: Command) => Command;
};
