import { useSyncExternalStore } from 'react';

/** A value outside of React that components can subscribe to. */
export type Store<T> = {
  readonly get: () => T;
  readonly set: (value: T) => void;
  readonly watch: (watcher: () => void) => () => void;
};

export function createStore<T>(first: T): Store<T> {
  let value = first;
  const watchers = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const watcher of watchers) watcher();
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.watch, store.get);
}
