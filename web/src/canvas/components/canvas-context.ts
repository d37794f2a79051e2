import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Store } from '../../data/store.ts';
import type { Actions } from '../state/actions.ts';
import type { Editor } from '../state/editor.ts';
import type { RunOverlay } from '../state/run-overlay.ts';
import type { Issues } from '../state/open-issues.ts';
import type { Ui } from '../state/ui-state.ts';
import type { NextRuns } from '../state/next-runs.ts';
import type { ListenState } from '../../runs/webhook/listening.ts';
import type { PinnedOutputs } from '../../runs/pins/pinned-outputs.ts';
import type { NodeRuns } from '../../runs/single-node-runs.ts';

/** The mark of a node in a comparison of versions. */
export type Mark = 'added' | 'removed' | 'changed' | 'moved';

/** State shared by everything on one canvas. The object is stable; its stores are subscribed to. */
export type CanvasTools = {
  readonly editor: Editor;
  readonly actions: Actions;
  readonly ui: Ui;
  readonly overlay: RunOverlay;
  readonly issues: Store<Issues>;
  /** Pinned outputs by node id. */
  readonly pinned: Store<PinnedOutputs>;
  /** The webhook trigger that waits for a test event. */
  readonly listening: Store<ListenState>;
  readonly nextRuns: Store<NextRuns>;
  /** Null: nodes cannot be run here. */
  readonly nodeRuns: NodeRuns | null;
  readonly marks: ReadonlyMap<string, Mark>;
  /** Marks of edges, by edge id. */
  readonly edgeMarks: ReadonlyMap<string, Mark>;
  readonly isReadOnly: boolean;
};

export const CanvasContext = createContext<CanvasTools | null>(null);

export function useCanvas(): CanvasTools {
  const tools = useContext(CanvasContext);
  if (tools === null) throw new Error('This component must be inside of a canvas.');
  return tools;
}

/** Selects a part of a store. `select` must return the same object for the same state. */
export function useStoreSelector<T, P>(store: Store<T>, select: (value: T) => P): P {
  return useSyncExternalStore(store.watch, () => select(store.get()));
}
