import type { Arguments, ProcedureName, Result } from './transactions/registry.ts';

/** What a database must offer so that `storeOver` is a Store on it. */
export type Driver = {
  /** Runs a procedure in a transaction of its own that is on disk when this resolves. */
  write: <K extends ProcedureName>(name: K, ...args: Arguments<K>) => Promise<Result<K>>;
  /** Runs a reading procedure on one snapshot, which holds every write that has resolved. For short ones. */
  read: <K extends ProcedureName>(name: K, ...args: Arguments<K>) => Promise<Result<K>>;
  /** The same for one that may take long: never at the cost of the event loop or of writes. */
  readLong: <K extends ProcedureName>(name: K, ...args: Arguments<K>) => Promise<Result<K>>;
  shrink: () => Promise<boolean>;
  backup: (file: string) => Promise<void>;
  close: () => Promise<void>;
};
