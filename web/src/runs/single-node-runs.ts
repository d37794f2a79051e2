import { formatDefinitionError } from '../canvas/state/definition-error.ts';
import type { Autosave } from '../canvas/state/autosave.ts';
import type { Editor } from '../canvas/state/editor.ts';
import { client } from '../data/client.ts';
import { createStore, type Store } from '../data/store.ts';
import { toast } from '../ui/overlays/toast.tsx';
import type { DisplayedRun } from './displayed-run.ts';
import { createNodeRunRequest } from './node-run-request.ts';
import type { Pins } from './pins/pins.ts';
import { t } from '../i18n/index.ts';

/** Runs of single nodes of a workflow. */
export type NodeRuns = {
  /** The node whose run is being started; null: none. */
  readonly starting: Store<string | null>;
  /**
   * Saves the workflow and runs one of its nodes. One run starts at a time. `path`: the run of a node in a
   * body whose iteration is used; by default the newest.
   */
  start(nodeId: string, path?: string | null): Promise<void>;
  /** Calls the watcher when the run of a node has started. Returns the function that ends this. */
  whenStarted(watcher: (nodeId: string, executionId: string) => void): () => void;
};

export function createNodeRuns({
  editor,
  saver,
  pins,
  displayed,
}: {
  editor: Editor;
  saver: Autosave;
  pins: Pins;
  /** The run whose data earlier nodes supply. */
  displayed: () => DisplayedRun | null;
}): NodeRuns {
  const starting = createStore<string | null>(null);
  const watchers = new Set<(nodeId: string, executionId: string) => void>();
  return {
    starting,
    async start(nodeId, path = null) {
      if (starting.get() !== null) return;
      starting.set(nodeId);
      try {
        saver.reportIssues();
        if (!(await saver.flush())) return;
        const request = createNodeRunRequest(
          editor.doc(),
          editor.catalog,
          nodeId,
          displayed(),
          pins.outputs.get(),
          path,
        );
        const { id } = await client.workflows.execute(saver.workflow.get().id, request);
        for (const watcher of watchers) watcher(nodeId, id);
      } catch (error) {
        toast({
          tone: 'bad',
          title: t('Could not run the node'),
          text: formatDefinitionError(error, editor.doc(), editor.catalog),
        });
      } finally {
        starting.set(null);
      }
    },
    whenStarted(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}
