import { createHash } from 'node:crypto';
import { createSeededRandom } from '../support/seeded-random.ts';

type Entry = { at: number; order: number; run: () => void };

/**
 * Virtual time and the only source of chance of a simulation. What happens at the same time happens in an
 * order that the seed decides; between two steps all promises that can continue do so, so that the same seed
 * gives the same trace.
 */
export class Scheduler {
  readonly random: () => number;
  now = 1_800_000_000_000;
  /** Counts happenings: the simulation's exact time. */
  step = 0;
  private readonly entries: Entry[] = [];
  private readonly hash = createHash('sha256');
  private readonly lines: string[] | null;

  constructor(seed: number, keepTrace: boolean) {
    this.random = createSeededRandom(seed).next;
    this.lines = keepTrace ? [] : null;
  }

  between(low: number, high: number): number {
    return low + Math.floor(this.random() * (high - low + 1));
  }

  chance(p: number): boolean {
    return this.random() < p;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)]!;
  }

  at(ms: number, run: () => void): void {
    const entry = { at: this.now + Math.max(0, ms), order: this.random(), run };
    const { entries } = this;
    let i = entries.push(entry) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (!before(entry, entries[up]!)) break;
      entries[i] = entries[up]!;
      i = up;
    }
    entries[i] = entry;
  }

  trace(line: string): void {
    const text = `${this.step} ${this.now} ${line}`;
    this.hash.update(text);
    this.lines?.push(text);
  }

  digest(): string {
    return this.hash.copy().digest('hex');
  }

  get story(): readonly string[] {
    return this.lines ?? [];
  }

  /** One happening and all that follows from it at once. False: nothing is to come. */
  async next(): Promise<boolean> {
    const first = this.take();
    if (first === undefined) return false;
    this.now = Math.max(this.now, first.at);
    this.step++;
    first.run();
    await new Promise((resolve) => setImmediate(resolve));
    return true;
  }

  private take(): Entry | undefined {
    const { entries } = this;
    const first = entries[0];
    const last = entries.pop();
    if (first === undefined || last === undefined || first === last) return first;
    let i = 0;
    for (;;) {
      let down = 2 * i + 1;
      if (down >= entries.length) break;
      if (down + 1 < entries.length && before(entries[down + 1]!, entries[down]!)) down++;
      if (!before(entries[down]!, last)) break;
      entries[i] = entries[down]!;
      i = down;
    }
    entries[i] = last;
    return first;
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
