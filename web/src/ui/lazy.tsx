import { Suspense, type ReactNode } from 'react';

/** Around what is loaded when it is needed; nothing stands there until then. */
export function Lazy({ children }: { children: ReactNode }) {
  return <Suspense fallback={null}>{children}</Suspense>;
}
