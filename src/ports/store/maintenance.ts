/** Retention, backup and the check of the store as a whole. */
export type StoreMaintenance = {
  /**
   * Deletes settled executions whose retention is over (with journal, files, keys), at most `limit`, and
   * expired dedupe keys. Returns the number of deleted executions and the contents that may now be
   * unreferenced.
   */
  prune(now: number, limit: number): Promise<{ executions: number; hashes: string[] }>;
  /** Returns a bounded number of free pages to the file system. True: more are left. */
  shrink(): Promise<boolean>;
  /** Writes a consistent copy of the running database into `file`. */
  backup(file: string): Promise<void>;
  /** Writes and reads back a small value: throws when the store does not work. */
  check(): Promise<void>;
  /** The permanent id of this data; set to `candidate` when there is none. */
  identity(candidate: string): Promise<string>;
};
