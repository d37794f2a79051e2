import type { NodeFailure } from '../contract/node-type.ts';
import type { NodeRun } from './frame.ts';
import { errorPort } from './graph.ts';

/**
 * The retry that a handler has for a node run that is about to fail for good: `by` names handler and strategy, `delay` (ms)
 * is nominal. Only a handler to which the run's `error` port leads directly is asked, and only one that may still run.
 */
export function recoveryOf(run: NodeRun, failure: NodeFailure): { by: string; delay: number } | null {
  if (failure.retryable === false) return null;
  for (const { port, to: handler } of run.node.out) {
    const { recover } = handler.type;
    if (port !== errorPort || recover === undefined || handler.entry.disabled === true) continue;
    if (run.frame.runs[handler.place]?.status !== 'pending') continue;
    const name = (strategy: number): string => `${handler.id}/${strategy}`;
    const found = recover(handler.config, failure, (strategy) => run.recoveries?.get(name(strategy)) ?? 0);
    if (found !== null) return { by: name(found.strategy), delay: found.delay };
  }
  return null;
}

/** Counted from the journal alone, so that a crash neither forgets nor repeats one. */
export function countRecovery(run: NodeRun, by: string): void {
  run.recoveries ??= new Map();
  run.recoveries.set(by, (run.recoveries.get(by) ?? 0) + 1);
}
