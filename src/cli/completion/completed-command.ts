/** What may follow an option, or stand as an argument: nothing that is known, a file, or one of these words. */
export type Value = 'text' | 'file' | readonly string[];
export type CompletedOption = {
  readonly flags: readonly string[];
  readonly description: string;
  /** Null: it takes no value. */
  readonly value: Value | null;
};
/** A command that can follow, as it is offered, and other names that it has. */
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
