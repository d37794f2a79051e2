import { browserStorage } from '../data/browser-storage.ts';
import { createStore, type Store } from '../data/store.ts';

/** Outputs by node id. A run from the canvas uses a pinned output instead of running the node. */
type PinnedOutputs = ReadonlyMap<string, unknown>;

/** The pinned outputs of one workflow, kept in this browser across reloads and shared by its tabs. */
export type Pins = {
  readonly outputs: Store<PinnedOutputs>;
  /** False when the browser cannot store the output; it is pinned until the page is closed. */
  pin(nodeId: string, output: unknown): boolean;
  unpin(nodeId: string): void;
  unpinAll(): void;
  /** Stops following the other tabs. */
  close(): void;
};

export const noPins: Store<PinnedOutputs> = createStore<PinnedOutputs>(new Map());

export function openPins(workflowId: string): Pins {
  const key = `weft.pins.${workflowId}`;
  const outputs = createStore<PinnedOutputs>(read(key));
  const onStorage = (event: StorageEvent): void => {
    if (event.key === key) outputs.set(read(key));
  };
  addEventListener('storage', onStorage);
  const set = (next: PinnedOutputs): boolean => {
    outputs.set(next);
    const text = next.size === 0 ? null : JSON.stringify(Object.fromEntries(next));
    browserStorage.set(key, text);
    return browserStorage.get(key) === text;
  };
  return {
    outputs,
    pin: (nodeId, output) => set(new Map([...outputs.get(), [nodeId, output]])),
    unpin: (nodeId) => void set(new Map([...outputs.get()].filter(([id]) => id !== nodeId))),
    unpinAll: () => void set(new Map()),
    close: () => removeEventListener('storage', onStorage),
  };
}

function read(key: string): PinnedOutputs {
  try {
    return new Map(Object.entries(JSON.parse(browserStorage.get(key) ?? '{}') as object));
  } catch {
    return new Map();
  }
}
