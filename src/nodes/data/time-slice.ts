import { setImmediate as turn } from 'node:timers/promises';
import type { NodeContext, Outcome } from '../../contract/node-type.ts';
import { failureOf } from './data-error.ts';

/** How long a node works before it yields to the event loop. */
const SLICE = 8;
/** Elements processed between two checks of the clock. */
const STRIDE = 64;

/**
 * Interruptible work on data: a generator that yields where it can pause. Throws DataFault if the data is
 * invalid.
 */
export type Work = Generator<undefined, Outcome>;

/**
 * Does short work synchronously, and longer work in slices so that a long list does not block the event loop.
 * Stops when the attempt ends.
 */
export function paced(ctx: NodeContext, work: Work): Outcome | Promise<Outcome> {
  return slice(ctx, work) ?? remaining(ctx, work);
}

async function remaining(ctx: NodeContext, work: Work): Promise<Outcome> {
  for (;;) {
    await turn();
    if (ctx.signal.aborted)
      return { kind: 'failed', error: { type: 'stopped', message: 'The attempt ended', retryable: false } };
    const outcome = slice(ctx, work);
    if (outcome !== null) return outcome;
  }
}

/** Runs one slice. Returns the outcome, or null if the time slice is used up. */
function slice(ctx: NodeContext, work: Work): Outcome | null {
  const until = ctx.now() + SLICE;
  try {
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (ctx.now() < until);
    return null;
  } catch (error) {
    return failureOf(error);
  }
}

/** Iterates over a list and yields after every few elements. */
export function* each<T>(
  list: readonly T[],
  step: (element: T, index: number) => void,
  stride = STRIDE,
): Generator<undefined, void> {
  for (let i = 0; i < list.length; i++) {
    if (i % stride === 0) yield;
    step(list[i] as T, i);
  }
}
