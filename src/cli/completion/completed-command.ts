/** The value of an option or argument: free text, a file, or one of these words. */
export type Value = 'text' | 'file' | readonly string[];
export type CompletedOption = {
  readonly flags: readonly string[];
  readonly description: string;
  /** Null when it takes no value. */
  readonly value: Value | null;
};
/** A subcommand as it is offered, with its aliases. */
export type CompletedName = {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
};
export type CompletedCommand = {
  /** Such as `workflows list`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly CompletedName[];
  readonly options: readonly CompletedOption[];
  readonly argument: Value;
};
