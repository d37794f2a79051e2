import { createStore, type Store } from '../data/store.ts';

/** Outputs by node id that runs from the canvas take as given, instead of running the node. They last as long as the page. */
export type Pins = Store<ReadonlyMap<string, unknown>>;

export function createPins(): Pins {
  return createStore<ReadonlyMap<string, unknown>>(new Map());
}

export function pin(pins: Pins, nodeId: string, output: unknown): void {
  pins.set(new Map([...pins.get(), [nodeId, output]]));
}

export function unpin(pins: Pins, nodeId: string): void {
  pins.set(new Map([...pins.get()].filter(([id]) => id !== nodeId)));
}
