export type Upkeep = {
  /**
   * Deletes settled executions whose retention is over (with journal, files, keys), at most `limit`, and expired
   * dedupe keys. Returns how many went and which contents may now be unreferenced.
   */
  prune(now: number, limit: number): Promise<{ executions: number; hashes: string[] }>;
  /** Gives freed pages back to the file system, a bounded piece at a time. True: there is more. */
  shrink(): Promise<boolean>;
  /** A consistent copy of the database into `file`, while it runs. */
  backup(file: string): Promise<void>;
  /** Writes and reads back something small: throws when the store does not work. */
  check(): Promise<void>;
  /** A name of this data that never changes: `candidate`, when it had none. */
  identity(candidate: string): Promise<string>;
};
