import { Suspense, type ReactNode } from 'react';

/** A boundary for lazily loaded parts; renders nothing until they are loaded. */
export function Lazy({ children }: { children: ReactNode }) {
  return <Suspense fallback={null}>{children}</Suspense>;
}
