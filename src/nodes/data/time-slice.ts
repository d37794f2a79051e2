import { setImmediate as turn } from 'node:timers/promises';
import type { NodeContext, Outcome } from '../../contract/node-type.ts';
import { failureOf } from './data-error.ts';

/** How long (ms) a node works before others get a turn. */
const SLICE = 8;
/** Elements that are passed over between two looks at the clock. */
const STRIDE = 64;

/** Work on data that can be put down wherever it yields. It throws DataFault when the data is at fault. */
export type Work = Generator<undefined, Outcome>;

/**
 * Does the work: at once when it is short, and otherwise in slices between which everything else goes on, so that a
 * long list holds nobody up. It ends early when the attempt does.
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

/** The outcome, or null when the time is up. */
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

/** Passes over a list, and rests after every few elements. */
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
