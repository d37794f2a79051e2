import { lazy, type ComponentType } from 'react';

/** A page that is loaded when somebody goes there. */
export function lazyPage<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return lazy(async () => ({ default: await load() }));
}
