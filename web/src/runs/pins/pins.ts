import { client } from '../../data/client.ts';
import { toErrorText } from '../../data/error-text.ts';
import { createStore, type Store } from '../../data/store.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { t } from '../../i18n/index.ts';
import type { PinnedOutput, PinnedOutputs } from './pinned-outputs.ts';

/** The pinned outputs of one workflow, which the server keeps. */
export type Pins = {
  readonly outputs: Store<PinnedOutputs>;
  /** A failed change is undone and reported. */
  pin(nodeId: string, pinned: PinnedOutput): Promise<void>;
  unpin(nodeId: string): Promise<void>;
  unpinAll(): Promise<void>;
  /** Ignores responses that arrive later. */
  close(): void;
};

export const noPins: Store<PinnedOutputs> = createStore<PinnedOutputs>(new Map());

export function openPins(workflowId: string): Pins {
  const outputs = createStore<PinnedOutputs>(new Map());
  let isClosed = false;

  async function load(): Promise<void> {
    const { pinned_outputs: found } = await client.workflows.pinnedOutputs.list(workflowId);
    if (!isClosed)
      outputs.set(new Map(found.map(({ node_id, output, ports }) => [node_id, { output, ports }])));
  }

  /** Shows the change at once, then saves it. */
  async function save(next: PinnedOutputs, request: () => Promise<unknown>): Promise<void> {
    outputs.set(next);
    try {
      await request();
    } catch (error) {
      if (isClosed) return;
      toast({ tone: 'bad', title: t('Could not save the pinned output'), text: toErrorText(error) });
      await load().catch(() => {});
    }
  }

  const without = (nodeId: string): PinnedOutputs =>
    new Map([...outputs.get()].filter(([id]) => id !== nodeId));

  void load().catch((error: unknown) => {
    if (!isClosed)
      toast({ tone: 'bad', title: t('Could not load the pinned outputs'), text: toErrorText(error) });
  });
  return {
    outputs,
    pin: (nodeId, pinned) =>
      save(new Map([...outputs.get(), [nodeId, pinned]]), () =>
        client.workflows.pinnedOutputs.put(workflowId, nodeId, {
          output: pinned.output,
          ...(pinned.ports !== null && { ports: pinned.ports }),
        }),
      ),
    unpin: (nodeId) => save(without(nodeId), () => client.workflows.pinnedOutputs.delete(workflowId, nodeId)),
    unpinAll: () => {
      const ids = [...outputs.get().keys()];
      return save(new Map(), () =>
        Promise.all(ids.map((id) => client.workflows.pinnedOutputs.delete(workflowId, id))),
      );
    },
    close: () => {
      isClosed = true;
    },
  };
}
