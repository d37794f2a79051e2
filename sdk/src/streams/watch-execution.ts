import { NotFoundError } from '../errors.ts';
import type {
  Execution,
  ExecutionList,
  ExecutionSummary,
  ExecutionUpdate,
  ListExecutionsQuery,
} from '../generated/types.ts';

/** The requests made over REST. */
export type ExecutionReader = {
  get(id: string, options: { signal: AbortSignal }): Promise<Execution>;
  list(query: ListExecutionsQuery, options: { signal: AbortSignal }): Promise<ExecutionList>;
};

type WatchScope = { readonly workflowId?: string | undefined; readonly executionId?: string | undefined };

/** The number of ended executions remembered, so that no end is reported twice. */
const MAX_ENDED = 10_000;
const PAGE_SIZE = 100;
/** The maximum number of pages read of one list. */
const MAX_PAGES = 50;
/** The number of executions read concurrently. */
const MAX_CONCURRENCY = 4;
const LIVE_STATUSES = ['queued', 'running', 'waiting'] as const;

export function isSettled(status: string): boolean {
  return status === 'completed' || status === 'failed' || status === 'stopped';
}

/**
 * The known states of the watched executions, and the changes the reader has not taken yet. Updates without a
 * change are dropped, so a state may be reported any number of times and by any source.
 */
export function createExecutionWatch(reader: ExecutionReader, wanted: WatchScope, most: number) {
  /** The last reported state of executions that have not ended. */
  const known = new Map<string, ExecutionUpdate>();
  const ended = new Set<string>();
  const waiting = new Map<string, ExecutionUpdate>();
  /** The newest execution of the last read; null: nothing has been read, or there was none. */
  let newest: string | null = null;
  /** Executions updated by a push since the current read began: the states read for these may be older. */
  const fresh = new Set<string>();
  let hasRead = false;
  let isOver = false;

  function isWanted(update: ExecutionUpdate): boolean {
    return (
      (wanted.workflowId === undefined || update.workflow_id === wanted.workflowId) &&
      (wanted.executionId === undefined || update.execution_id === wanted.executionId)
    );
  }

  /** Records a state; returns false when it contains no change. */
  function recordUpdate(update: ExecutionUpdate): boolean {
    const id = update.execution_id;
    if (!isWanted(update) || ended.has(id)) return false;
    if (isSettled(update.status)) {
      known.delete(id);
      ended.add(id);
      if (ended.size > MAX_ENDED) ended.delete(ended.values().next().value!);
      return true;
    }
    const last = known.get(id);
    if (last !== undefined && isSame(last, update)) return false;
    known.set(id, update);
    if (known.size > most) known.delete(known.keys().next().value!);
    return true;
  }

  function offer(update: ExecutionUpdate): void {
    if (recordUpdate(update)) waiting.set(update.execution_id, update);
  }

  function addRead(row: ExecutionSummary | Execution): void {
    if (isSettled(row.status) || !fresh.has(row.id)) offer(toUpdate(row));
  }

  async function readOne(id: string, signal: AbortSignal): Promise<void> {
    addRead(await reader.get(id, { signal }));
  }

  async function readMany(signal: AbortSignal): Promise<void> {
    const query = { workflow_id: wanted.workflowId, limit: PAGE_SIZE };
    const missing = new Set(known.keys());
    for (const status of LIVE_STATUSES) {
      for (let page = 1; page <= MAX_PAGES; page++) {
        const { executions, pagination } = await reader.list({ ...query, status, page }, { signal });
        for (const row of executions) {
          missing.delete(row.id);
          // The first read sets the initial state; it reports no changes.
          if (hasRead) addRead(row);
          else if (!fresh.has(row.id)) recordUpdate(toUpdate(row));
        }
        if (page >= pagination.total_pages) break;
      }
    }
    const gone = [...missing];
    const work = Array.from({ length: Math.min(MAX_CONCURRENCY, gone.length) }, async () => {
      for (let id = gone.pop(); id !== undefined; id = gone.pop()) {
        await readOne(id, signal).catch((error: unknown) => {
          if (!(error instanceof NotFoundError)) throw error;
          known.delete(id!);
        });
      }
    });
    await Promise.all(work);
    await readNew(query, signal);
    hasRead = true;
  }

  /** Executions that started and ended since the last read. */
  async function readNew(query: ListExecutionsQuery, signal: AbortSignal): Promise<void> {
    let first: string | null = null;
    for (let page = 1; page <= (hasRead ? MAX_PAGES : 1); page++) {
      const { executions, pagination } = await reader.list({ ...query, page }, { signal });
      first ??= executions[0]?.id ?? null;
      if (!hasRead) break;
      for (const row of executions) {
        if (row.id === newest) {
          newest = first;
          return;
        }
        addRead(row);
      }
      if (page >= pagination.total_pages) break;
    }
    newest = first;
  }

  return {
    /** Adds a pushed update. Returns false when too many updates are queued. */
    offer(update: ExecutionUpdate): boolean {
      fresh.add(update.execution_id);
      if (fresh.size > most) fresh.delete(fresh.values().next().value!);
      offer(update);
      return waiting.size <= most;
    },
    /** Reads the current state and queues the differences. */
    async read(signal: AbortSignal): Promise<void> {
      fresh.clear();
      if (wanted.executionId === undefined) await readMany(signal);
      else await readOne(wanted.executionId, signal);
    },
    /** The next state to yield; null: none. */
    take(): ExecutionUpdate | null {
      const next = waiting.values().next();
      if (next.done === true) return null;
      waiting.delete(next.value.execution_id);
      isOver = wanted.executionId !== undefined && isSettled(next.value.status);
      return next.value;
    },
    /** Whether the watched execution has ended and its final state was yielded. */
    isOver: () => isOver,
  };
}

function toUpdate(row: ExecutionSummary | Execution): ExecutionUpdate {
  return {
    execution_id: row.id,
    workflow_id: row.workflow_id,
    status: row.status,
    progress: row.progress,
    current_node: row.current_node ?? '',
    timestamp: row.end_time ?? new Date().toISOString(),
  };
}

function isSame(a: ExecutionUpdate, b: ExecutionUpdate): boolean {
  return a.status === b.status && a.progress === b.progress && a.current_node === b.current_node;
}
