import type { Workflow } from 'weft-client';
import { client } from '../../data/client.ts';
import { createStore, type Store } from '../../data/store.ts';

/** When triggers run next, in epoch ms, by the id of their node. */
export type NextRuns = ReadonlyMap<string, number>;

const NONE: NextRuns = new Map();

/** For a canvas whose workflow does not run on a schedule. */
export const noNextRuns: Store<NextRuns> = createStore<NextRuns>(NONE);

/** ms after a due run until the next one is requested, and the minimum interval of requests. */
const REFRESH_DELAY_MS = 2_000;
const MIN_INTERVAL_MS = 30_000;
/** The longest delay of a timer, ms. */
const MAX_DELAY_MS = 24 * 3_600_000;

/** Follows the next runs of the active triggers of a workflow. */
export function createNextRuns(workflow: Store<Workflow>): {
  readonly runs: Store<NextRuns>;
  close(): void;
} {
  const runs = createStore<NextRuns>(NONE);
  const leaving = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAsked = Date.now();

  function take({ status, triggers }: Pick<Workflow, 'status' | 'triggers'>): void {
    const next = new Map<string, number>();
    if (status === 'active')
      for (const { node_id: id, next_run_at: nextRunAt } of triggers)
        if (typeof nextRunAt === 'string') next.set(id, Date.parse(nextRunAt));
    runs.set(next.size === 0 ? NONE : next);
    clearTimeout(timer);
    if (next.size === 0) return;
    const due = Math.min(...next.values()) + REFRESH_DELAY_MS;
    const delay = Math.max(due, lastAsked + MIN_INTERVAL_MS) - Date.now();
    timer = setTimeout(() => void ask(), Math.min(delay, MAX_DELAY_MS));
  }

  async function ask(): Promise<void> {
    lastAsked = Date.now();
    try {
      take(await client.workflows.get(workflow.get().id, { signal: leaving.signal }));
    } catch {
      // Not reachable: asked again later.
      if (!leaving.signal.aborted) timer = setTimeout(() => void ask(), MIN_INTERVAL_MS);
    }
  }

  take(workflow.get());
  const unwatch = workflow.watch(() => take(workflow.get()));
  return {
    runs,
    close() {
      unwatch();
      leaving.abort();
      clearTimeout(timer);
    },
  };
}
