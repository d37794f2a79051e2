import { useCallback, useSyncExternalStore } from 'react';

/** The state of a node in the displayed run. `count`: its runs so far, if it is in a loop. */
export type NodeRunState = {
  readonly status: 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'stopped';
  readonly count?: number | undefined;
  /** Those of its runs that failed, if it is in a loop. */
  readonly failed?: number | undefined;
  /** More runs exist than were read, so the counts are lower bounds. */
  readonly isLowerBound?: boolean | undefined;
  readonly message?: string | undefined;
  /** Attempts made, when there was more than one. */
  readonly tries?: number | undefined;
  /** Of a loop: its ended iterations. */
  readonly done?: number | undefined;
  /** Of a loop: all of its iterations, once that is known. */
  readonly total?: number | undefined;
};

/** The deliveries of an edge. `items`: the length of a delivered list. */
export type EdgeRun = { readonly count: number; readonly items?: number | undefined };

/**
 * The run state on the canvas, outside of React state: each node subscribes to its own changes, so hundreds
 * of updates per second render only the affected nodes.
 */
export type RunOverlay = {
  node(id: string): NodeRunState | undefined;
  /** The deliveries by edge id (`formatEdgeId` of the model). */
  edge(id: string): EdgeRun | undefined;
  /** Merges the given values; undefined removes one. Subscribers are notified once per frame. */
  update(change: {
    readonly runStates?: ReadonlyMap<string, NodeRunState | undefined> | undefined;
    readonly edgeRuns?: ReadonlyMap<string, EdgeRun | undefined> | undefined;
  }): void;
  clear(): void;
  watchNode(id: string, watcher: () => void): () => void;
  watchEdge(id: string, watcher: () => void): () => void;
};

export function createRunOverlay(nextFrame: (work: () => void) => unknown): RunOverlay {
  const nodes = new Channel<NodeRunState>(isSameState);
  const edges = new Channel<EdgeRun>(isSameEdgeRun);
  let isAsked = false;
  const ask = (): void => {
    if (isAsked) return;
    isAsked = true;
    nextFrame(() => {
      isAsked = false;
      nodes.notifyWatchers();
      edges.notifyWatchers();
    });
  };
  return {
    node: (id) => nodes.values.get(id),
    edge: (id) => edges.values.get(id),
    update({ runStates = new Map(), edgeRuns = new Map() }) {
      for (const [id, state] of runStates) nodes.set(id, state);
      for (const [id, run] of edgeRuns) edges.set(id, run);
      ask();
    },
    clear() {
      nodes.clear();
      edges.clear();
      ask();
    },
    watchNode: (id, watcher) => nodes.watch(id, watcher),
    watchEdge: (id, watcher) => edges.watch(id, watcher),
  };
}

function isSameState(a: NodeRunState, b: NodeRunState): boolean {
  return (
    a.status === b.status &&
    a.count === b.count &&
    a.failed === b.failed &&
    a.isLowerBound === b.isLowerBound &&
    a.message === b.message &&
    a.tries === b.tries &&
    a.done === b.done &&
    a.total === b.total
  );
}

function isSameEdgeRun(a: EdgeRun, b: EdgeRun): boolean {
  return a.count === b.count && a.items === b.items;
}

class Channel<T> {
  readonly values = new Map<string, T>();
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #changed = new Set<string>();
  readonly #isSame: (a: T, b: T) => boolean;

  constructor(isSame: (a: T, b: T) => boolean) {
    this.#isSame = isSame;
  }

  set(id: string, value: T | undefined): void {
    const before = this.values.get(id);
    if (before === value || (before !== undefined && value !== undefined && this.#isSame(before, value)))
      return;
    if (value === undefined) this.values.delete(id);
    else this.values.set(id, value);
    this.#changed.add(id);
  }

  clear(): void {
    for (const id of this.values.keys()) this.#changed.add(id);
    this.values.clear();
  }

  notifyWatchers(): void {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const id of changed) for (const watcher of this.#watchers.get(id) ?? []) watcher();
  }

  watch(id: string, watcher: () => void): () => void {
    let watchers = this.#watchers.get(id);
    if (watchers === undefined) this.#watchers.set(id, (watchers = new Set()));
    watchers.add(watcher);
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(id);
    };
  }
}

export function useNodeRun(overlay: RunOverlay, id: string): NodeRunState | undefined {
  const watch = useCallback((watcher: () => void) => overlay.watchNode(id, watcher), [overlay, id]);
  return useSyncExternalStore(watch, () => overlay.node(id));
}

/** Whether the counts of a node and its incoming edges are lower bounds. */
export function useIsLowerBound(overlay: RunOverlay, id: string): boolean {
  const watch = useCallback((watcher: () => void) => overlay.watchNode(id, watcher), [overlay, id]);
  return useSyncExternalStore(watch, () => overlay.node(id)?.isLowerBound === true);
}

/** Short enough for a card: `340`, `1.2k`, `10k+`. */
export function countText(count: number, isLowerBound: boolean): string {
  const thousands = Math.floor(count / 100) / 10;
  const text = count < 1_000 ? String(count) : `${count < 10_000 ? thousands : Math.floor(thousands)}k`;
  return isLowerBound ? `${text}+` : text;
}

export function useEdgeRun(overlay: RunOverlay, id: string): EdgeRun | undefined {
  const watch = useCallback((watcher: () => void) => overlay.watchEdge(id, watcher), [overlay, id]);
  return useSyncExternalStore(watch, () => overlay.edge(id));
}
