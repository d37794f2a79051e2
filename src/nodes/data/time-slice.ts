import { setImmediate as turn } from 'node:timers/promises';
import type { NodeContext, Outcome } from '../../contract/node-type.ts';
import { toFailure } from './data-error.ts';

/** How long a node works before it yields to the event loop. */
const SLICE_MS = 8;
/** Elements processed between two checks of the clock. */
const STRIDE = 64;

/**
 * Interruptible work on data: a generator that yields where it can pause. Throws DataError if the data is
 * invalid.
 */
export type Work = Generator<undefined, Outcome>;

/**
 * Does short work synchronously, and longer work in slices so that a long list does not block the event loop.
 * Stops when the attempt ends.
 */
export function runPaced(ctx: NodeContext, work: Work): Outcome | Promise<Outcome> {
  return runSlice(ctx, work) ?? runRemaining(ctx, work);
}

async function runRemaining(ctx: NodeContext, work: Work): Promise<Outcome> {
  for (;;) {
    await turn();
    if (ctx.signal.aborted) return STOPPED;
    const outcome = runSlice(ctx, work);
    if (outcome !== null) return outcome;
  }
}

/** Runs one slice. Returns the outcome, or null if the time slice is used up. */
function runSlice(ctx: NodeContext, work: Work): Outcome | null {
  const until = ctx.now() + SLICE_MS;
  try {
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (ctx.now() < until);
    return null;
  } catch (error) {
    return toFailure(error);
  }
}

/**
 * Does work in slices, so that a long one does not block the event loop. @throws {StoppedError} when the
 * attempt ends.
 */
export async function runSlices<T>(
  ctx: Pick<NodeContext, 'now' | 'signal'>,
  work: Generator<undefined, T>,
): Promise<T> {
  for (;;) {
    if (ctx.signal.aborted) throw new StoppedError();
    const until = ctx.now() + SLICE_MS;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (ctx.now() < until);
    await turn();
  }
}

/** Converts an error of asynchronous work to a failure. Throws any other error again. */
export function toOutcome(error: unknown): Outcome {
  return error instanceof StoppedError ? STOPPED : toFailure(error);
}

/** The attempt ended while its work was not done. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

const STOPPED: Outcome = {
  kind: 'failed',
  error: { type: 'stopped', message: 'The attempt ended', retryable: false },
};

/** Iterates over a list and yields after every few elements. */
export function* forEachPaced<T>(
  list: readonly T[],
  step: (element: T, index: number) => void,
  stride = STRIDE,
): Generator<undefined, void> {
  for (let i = 0; i < list.length; i++) {
    if (i % stride === 0) yield;
    step(list[i] as T, i);
  }
}
