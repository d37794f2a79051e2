import { jsonSize } from '../../lib/json/json-size.ts';
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
  readonly #answers = new Map<string, unknown>();
  readonly #asked = new Set<string>();
  #room = MAX_TOTAL_SIZE;
  #state = -1;

  /** Sets the version of the database that is read from now on. */
  enter(state: number): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#answers.clear();
    this.#asked.clear();
    this.#room = MAX_TOTAL_SIZE;
  }

  answer<T>(name: TransactionName, args: readonly unknown[], ask: () => T): T {
    if (!CACHED_READS.has(name)) return ask();
    const question = `${name} ${JSON.stringify(args)}`;
    const known = this.#answers.get(question);
    if (known !== undefined) return known as T;
    const result = ask();
    if (this.#asked.has(question)) this.#keep(question, result);
    else if (this.#asked.size < MAX_ENTRIES) this.#asked.add(question);
    return result;
  }

  #keep(question: string, result: unknown): void {
    const most = Math.min(MAX_RESULT_SIZE, this.#room);
    const size = jsonSize(result, most);
    if (size > most || result === undefined) return;
    this.#room -= size;
    this.#answers.set(question, frozen(result));
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
