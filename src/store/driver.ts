import type { Arguments, TransactionName, Result } from './transactions/registry.ts';

/** What a database must provide for `createStore`. */
export type Driver = {
  /** Runs a transaction; it is on disk when the promise resolves. */
  write: <K extends TransactionName>(name: K, ...args: Arguments<K>) => Promise<Result<K>>;
  /** Runs a short read on one snapshot, which contains every write that has resolved. */
  read: <K extends TransactionName>(name: K, ...args: Arguments<K>) => Promise<Result<K>>;
  /** The same for a read that may take long: it blocks neither the event loop nor writes. */
  readLong: <K extends TransactionName>(name: K, ...args: Arguments<K>) => Promise<Result<K>>;
  shrink: () => Promise<boolean>;
  backup: (file: string) => Promise<void>;
  close: () => Promise<void>;
};
