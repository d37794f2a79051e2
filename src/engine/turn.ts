import type { Clock } from '../ports/clock.ts';
import { limits } from '../ports/limits.ts';

/** The time that may pass before others run. */
export class Turn {
  private readonly clock: Pick<Clock, 'now' | 'soon'>;
  private until: number;

  constructor(clock: Pick<Clock, 'now' | 'soon'>) {
    this.clock = clock;
    this.until = clock.now() + limits.turn;
  }

  get isOver(): boolean {
    return this.clock.now() >= this.until;
  }

  async next(): Promise<void> {
    await new Promise<void>((resolve) => this.clock.soon(resolve));
    this.until = this.clock.now() + limits.turn;
  }
}

/** Work that can be put down wherever it yields. */
export type Work<T> = Generator<undefined, T>;

/** Steps that may be done in a turn of which nobody knows what was done in it before. */
const FEW = 64;

/** Does it in turns that let others run; a short one at once. */
export async function inTurns<T>(clock: Pick<Clock, 'now' | 'soon'>, work: Work<T>): Promise<T> {
  const turn = new Turn(clock);
  for (let steps = 1; ; steps++) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (turn.isOver || steps === FEW) await turn.next();
  }
}

/** Does it without a rest. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
