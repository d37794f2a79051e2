import { measureJsonSize } from '../../lib/json/json-size.ts';
import type { TransactionName } from '../transactions/registry.ts';

/** Reads that clients repeat often (polling pages), whose results depend only on rows. */
const CACHED_READS: ReadonlySet<TransactionName> = new Set([
  'listWorkflows',
  'listExecutions',
  'getWorkflow',
  'getExecution',
  'readJournal',
  'listVersions',
  'completedAreRare',
] satisfies TransactionName[]);

/** Maximum number of cached reads, and approximate total size of their results in characters. */
const MAX_ENTRIES = 500;
const MAX_RESULT_SIZE = 64 * 1024;
const MAX_TOTAL_SIZE = 4 * 1024 * 1024;

/**
 * Caches results of reads for one version of the database: SQLite numbers versions for a read-only connection
 * (`PRAGMA data_version`), so no write is ever missed. A read is cached when it is repeated; cached results
 * are frozen because several callers share them.
 */
export class ReadCache {
  readonly #results = new Map<string, unknown>();
  readonly #seen = new Set<string>();
  #remaining = MAX_TOTAL_SIZE;
  #version = -1;

  /** Sets the version of the database that is read from now on. */
  enter(version: number): void {
    if (version === this.#version) return;
    this.#version = version;
    this.#results.clear();
    this.#seen.clear();
    this.#remaining = MAX_TOTAL_SIZE;
  }

  get<T>(name: TransactionName, args: readonly unknown[], read: () => T): T {
    if (!CACHED_READS.has(name)) return read();
    const key = `${name} ${JSON.stringify(args)}`;
    const known = this.#results.get(key);
    if (known !== undefined) return known as T;
    const result = read();
    if (this.#seen.has(key)) this.#keep(key, result);
    else if (this.#seen.size < MAX_ENTRIES) this.#seen.add(key);
    return result;
  }

  #keep(key: string, result: unknown): void {
    const maxSize = Math.min(MAX_RESULT_SIZE, this.#remaining);
    const size = measureJsonSize(result, maxSize);
    if (size > maxSize || result === undefined) return;
    this.#remaining -= size;
    this.#results.set(key, frozen(result));
  }
}

/** Freezes a value and everything in it. */
function frozen<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const item of Object.values(next)) open.push(item);
  }
  return value;
}
