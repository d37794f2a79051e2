import { useEffect, useRef, useState } from 'react';
import { PayloadTooLargeError, type ExecutionDetail } from 'weft-client';
import { isWhole, loadMoreRuns, type NodeRuns } from '../../runs/node-runs.ts';

/** The node runs of one execution that are loaded at most. */
export const MAX_COMPARED_RUNS = 20_000;

type Side = { readonly execution: ExecutionDetail; readonly runs: NodeRuns };

/** The node runs of two executions; the rest is loaded on request. `compared`, `total`: of both together. */
export type ComparedRuns = {
  readonly before: NodeRuns;
  readonly after: NodeRuns;
  readonly compared: number;
  readonly total: number;
  readonly canLoadMore: boolean;
  readonly isLoading: boolean;
  /** The data of further runs does not fit in a response, so they are not compared. */
  readonly isTooLarge: boolean;
  readonly error: unknown;
  readonly loadMore: () => void;
};

const hasMore = (runs: NodeRuns): boolean => !isWhole(runs) && runs.nodes.length < MAX_COMPARED_RUNS;

/** @throws {Error} when a request fails. Calls `report` with the runs so far. */
async function loadRest(
  id: string,
  runs: NodeRuns,
  signal: AbortSignal,
  report: (runs: NodeRuns) => void,
): Promise<void> {
  let loaded = runs;
  while (hasMore(loaded)) {
    const next = await loadMoreRuns(id, loaded, signal);
    // All pages are loaded, but an execution that still runs has more runs than at first.
    if (next.pages.size === loaded.pages.size) return;
    loaded = next;
    report(loaded);
  }
}

export function useComparedRuns(first: Side, second: Side): ComparedRuns {
  const [runs, setRuns] = useState({ before: first.runs, after: second.runs });
  /** While it loads: the number of runs so far. The comparison of all is made once, at the end. */
  const [loadedCount, setLoadedCount] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const isTooLarge = error instanceof PayloadTooLargeError;
  const request = useRef<AbortController | null>(null);
  useEffect(() => () => request.current?.abort(), []);

  async function load(signal: AbortSignal): Promise<void> {
    let loaded = runs;
    const report = (more: Partial<typeof runs>): void => {
      loaded = { ...loaded, ...more };
      setLoadedCount(loaded.before.nodes.length + loaded.after.nodes.length);
    };
    report({});
    try {
      await loadRest(first.execution.id, runs.before, signal, (before) => report({ before }));
      await loadRest(second.execution.id, runs.after, signal, (after) => report({ after }));
    } catch (failure) {
      if (signal.aborted) return;
      setError(failure);
    }
    setRuns(loaded);
    setLoadedCount(null);
  }

  const { before, after } = runs;
  return {
    before,
    after,
    compared: loadedCount ?? before.nodes.length + after.nodes.length,
    total: before.total + after.total,
    canLoadMore: !isTooLarge && (hasMore(before) || hasMore(after)),
    isLoading: loadedCount !== null,
    isTooLarge,
    error: isTooLarge ? null : error,
    loadMore: () => {
      if (loadedCount !== null) return;
      setError(null);
      request.current = new AbortController();
      void load(request.current.signal);
    },
  };
}
