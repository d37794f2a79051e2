import { NotFoundError } from './errors.ts';
import type {
  Execution,
  ExecutionList,
  ExecutionSummary,
  ExecutionUpdate,
  ListExecutionsQuery,
} from './generated/types.ts';

/** What is read over REST. */
export type ExecutionReader = {
  get(id: string, options: { signal: AbortSignal }): Promise<Execution>;
  list(query: ListExecutionsQuery, options: { signal: AbortSignal }): Promise<ExecutionList>;
};

type Wanted = { readonly workflowId?: string | undefined; readonly executionId?: string | undefined };

/** Ended executions that are remembered, so that no end is told twice. */
const MAX_ENDED = 10_000;
const PAGE = 100;
/** Pages of one list that are read at most. */
const MAX_PAGES = 50;
/** Single executions that are read at once. */
const AT_ONCE = 4;
const LIVE_STATUSES = ['queued', 'running', 'waiting'] as const;

export function isSettled(status: string): boolean {
  return status === 'completed' || status === 'failed' || status === 'stopped';
}

/**
 * What is known of the executions that are wanted, and which of it has not been taken yet. Updates that tell nothing new are
 * dropped, so it does not matter how often, and from where, a state is told.
 */
export function createExecutionWatch(reader: ExecutionReader, wanted: Wanted, most: number) {
  /** The last state told of those that have not ended. */
  const known = new Map<string, ExecutionUpdate>();
  const ended = new Set<string>();
  const waiting = new Map<string, ExecutionUpdate>();
  /** The newest execution at the last reading; null: none has been read, or there was none. */
  let newest: string | null = null;
  /** Told by the service itself since the present reading began: what is read of these may be older. */
  const fresh = new Set<string>();
  let hasRead = false;
  let isOver = false;

  function isWanted(update: ExecutionUpdate): boolean {
    return (
      (wanted.workflowId === undefined || update.workflow_id === wanted.workflowId) &&
      (wanted.executionId === undefined || update.execution_id === wanted.executionId)
    );
  }

  /** Remembers a state; false when it tells nothing new. */
  function learn(update: ExecutionUpdate): boolean {
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
    if (learn(update)) waiting.set(update.execution_id, update);
  }

  function offerRead(row: ExecutionSummary | Execution): void {
    if (isSettled(row.status) || !fresh.has(row.id)) offer(updateOf(row));
  }

  async function readOne(id: string, signal: AbortSignal): Promise<void> {
    offerRead(await reader.get(id, { signal }));
  }

  async function readMany(signal: AbortSignal): Promise<void> {
    const query = { workflow_id: wanted.workflowId, limit: PAGE };
    const missing = new Set(known.keys());
    for (const status of LIVE_STATUSES) {
      for (let page = 1; page <= MAX_PAGES; page++) {
        const { executions, pagination } = await reader.list({ ...query, status, page }, { signal });
        for (const row of executions) {
          missing.delete(row.id);
          // At the first reading this is where things stand, not news.
          if (hasRead) offerRead(row);
          else if (!fresh.has(row.id)) learn(updateOf(row));
        }
        if (page >= pagination.total_pages) break;
      }
    }
    const gone = [...missing];
    const work = Array.from({ length: Math.min(AT_ONCE, gone.length) }, async () => {
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

  /** What began and ended since the last reading. */
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
        offerRead(row);
      }
      if (page >= pagination.total_pages) break;
    }
    newest = first;
  }

  return {
    /** What the service told by itself. False: too much waits to be taken. */
    offer(update: ExecutionUpdate): boolean {
      fresh.add(update.execution_id);
      if (fresh.size > most) fresh.delete(fresh.values().next().value!);
      offer(update);
      return waiting.size <= most;
    },
    /** Reads the state of now, and offers what differs. */
    async read(signal: AbortSignal): Promise<void> {
      fresh.clear();
      if (wanted.executionId === undefined) await readMany(signal);
      else await readOne(wanted.executionId, signal);
    },
    /** The next state to give; null: none. */
    take(): ExecutionUpdate | null {
      const next = waiting.values().next();
      if (next.done === true) return null;
      waiting.delete(next.value.execution_id);
      isOver = wanted.executionId !== undefined && isSettled(next.value.status);
      return next.value;
    },
    /** The one that was wanted has ended, and that was given. */
    isOver: () => isOver,
  };
}

function updateOf(row: ExecutionSummary | Execution): ExecutionUpdate {
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
