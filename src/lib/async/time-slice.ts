type Clock = { now(): number; soon(run: () => void): void };

/** Limits the time for which synchronous work blocks the event loop. */
export class TimeSlice {
  private readonly clock: Clock;
  private readonly durationMs: number;
  private endsAt: number;

  constructor(clock: Clock, durationMs: number) {
    this.clock = clock;
    this.durationMs = durationMs;
    this.endsAt = clock.now() + durationMs;
  }

  get isOver(): boolean {
    return this.clock.now() >= this.endsAt;
  }

  /** Lets the event loop run other work, then starts a new slice. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => this.clock.soon(resolve));
    this.endsAt = this.clock.now() + this.durationMs;
  }
}

/** Work that can pause at each of its yields. */
export type SlicedWork<T> = Generator<undefined, T>;

/** Maximum steps of the first slice: its event-loop turn may already have done other work. */
const MAX_FIRST_SLICE_STEPS = 64;

/**
 * Runs the work in slices, and lets the event loop run other work in between. Short work runs in one slice.
 */
export async function runSliced<T>(clock: Clock, sliceMs: number, work: SlicedWork<T>): Promise<T> {
  const slice = new TimeSlice(clock, sliceMs);
  for (let steps = 1; ; steps++) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (slice.isOver || steps === MAX_FIRST_SLICE_STEPS) await slice.next();
  }
}

/** Runs the work without pauses. */
export function runToEnd<T>(work: SlicedWork<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
