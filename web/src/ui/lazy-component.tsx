import { lazy, type ComponentType } from 'react';

/** A component whose code is loaded on first render. */
export function createLazyComponent<P extends object>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> {
  return lazy(async () => ({ default: await load() }));
}
