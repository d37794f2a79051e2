// Stores many executions with the store's own commit. Each is a copy of a real execution.
import type { ExecutionStatus } from '../src/contract/execution.ts';
import { createTimeOrderedIds } from '../src/lib/ids.ts';
import type { Store } from '../src/ports/store.ts';
import type { Checkpoint } from '../src/ports/store/checkpoint.ts';
import { openSqliteStore } from '../src/store/sqlite/open-store.ts';

const BATCH_SIZE = 2000;
const DAY_MS = 86_400_000;
/** Within the default retention, so that none is deleted during the measurement. */
const SPREAD_MS = 10 * DAY_MS;
const WINDOW_MS = 2 * DAY_MS;

type Counts = { total: number; failed: number; largest: number; largestCompleted: number };

export type Seeded = {
  /** The total of a list without times, including the copied run and the runs before it. */
  readonly total: number;
  readonly failed: number;
  readonly largest: { readonly id: string; readonly total: number; readonly completed: number };
  /** A window in the middle of the time range, and the totals in it. */
  readonly window: { readonly from: number; readonly to: number; readonly within: Readonly<Counts> };
};

export type SeedPlan = {
  readonly dataDir: string;
  readonly rows: number;
  readonly owner: string;
  /** The first workflow has about a third of all executions, the last ones few. */
  readonly workflows: readonly string[];
  /** The completed execution that is copied. It belongs to the first workflow. */
  readonly execution: string;
};

// Fixed shares instead of random ones: the same rows in each run.
function pickStatus(index: number): ExecutionStatus {
  if (index % 14 === 3) return 'failed';
  return index % 50 === 7 ? 'stopped' : 'completed';
}

function pickWorkflow(index: number, workflows: readonly string[]): string {
  const at = index % 3 === 0 ? 0 : (index * index + index) % workflows.length;
  return workflows[at] ?? '';
}

async function copyExecution(store: Store, plan: SeedPlan): Promise<Checkpoint> {
  const original = await store.executions.get(plan.owner, plan.execution);
  const [first] = await store.executions.journal(plan.owner, plan.execution, 0, 1);
  if (original === null || first === undefined)
    throw new Error(`${plan.execution} cannot be read from the store`);
  return {
    executionId: '',
    create: {
      id: '',
      ownerId: plan.owner,
      workflowId: '',
      workflowVersion: original.workflowVersion,
      trigger: original.trigger,
      createdAt: 0,
      parentId: null,
      retryOf: null,
      retention: 14 * DAY_MS,
      dedupe: null,
      tick: null,
    },
    worker: 'bench',
    fence: 1,
    seq: 0,
    events: first.events,
    status: 'completed',
    error: null,
    progress: 1,
    currentNode: null,
    startTime: 0,
    endTime: 0,
    setTimers: [],
    clearTimers: [],
    blobs: [],
  };
}

function execution(
  like: Checkpoint,
  id: string,
  workflowId: string,
  status: ExecutionStatus,
  at: number,
): Checkpoint {
  if (like.create === null) throw new Error('the copied checkpoint creates nothing');
  return {
    ...like,
    executionId: id,
    create: { ...like.create, id, workflowId, createdAt: at },
    status,
    error:
      status === 'failed'
        ? { type: 'network', message: 'connection refused', node_id: 'start', attempt: 1 }
        : null,
    startTime: at,
    endTime: at + 12,
  };
}

export async function seed(plan: SeedPlan): Promise<Seeded> {
  const store = await openSqliteStore({ dataDir: plan.dataDir, now: Date.now });
  try {
    const like = await copyExecution(store, plan);
    const end = Date.now() - 60_000;
    const begin = end - SPREAD_MS;
    const from = begin + Math.floor(SPREAD_MS / 2);
    const to = from + WINDOW_MS;
    const largest = plan.workflows[0] ?? '';
    const all: Counts = { total: 0, failed: 0, largest: 0, largestCompleted: 0 };
    const within: Counts = { ...all };
    let clock = begin;
    const nextId = createTimeOrderedIds(
      () => clock,
      (bytes) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
    );
    for (let start = 0; start < plan.rows; start += BATCH_SIZE) {
      const batch: Checkpoint[] = [];
      for (let index = start; index < Math.min(plan.rows, start + BATCH_SIZE); index += 1) {
        clock = begin + Math.floor((index * SPREAD_MS) / plan.rows);
        const workflow = pickWorkflow(index, plan.workflows);
        const status = pickStatus(index);
        for (const counts of clock >= from && clock < to ? [all, within] : [all]) {
          counts.total += 1;
          counts.failed += Number(status === 'failed');
          counts.largest += Number(workflow === largest);
          counts.largestCompleted += Number(workflow === largest && status === 'completed');
        }
        batch.push(execution(like, `ex_${nextId()}`, workflow, status, clock));
      }
      const results = await store.executions.commit(batch);
      const refused = results.find((result) => result.kind !== 'written');
      if (refused !== undefined) throw new Error(`the store refused a row: ${refused.kind}`);
    }
    // The copied run is the newest of the first workflow.
    return {
      total: all.total + 1,
      failed: all.failed,
      largest: { id: largest, total: all.largest + 1, completed: all.largestCompleted + 1 },
      window: { from, to, within },
    };
  } finally {
    await store.close();
  }
}
