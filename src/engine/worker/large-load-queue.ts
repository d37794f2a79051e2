import type { MemoryBudget } from '../../lib/limits/memory-budget.ts';

/** Loads executions with large values one after the other, while there is memory for what they load. */
export class LargeLoadQueue {
  private readonly memory: Pick<MemoryBudget, 'isFull'>;
  private readonly waiting: (() => void)[] = [];
  private isLoading = false;
  private isClosed = false;

  constructor(memory: Pick<MemoryBudget, 'isFull'>) {
    this.memory = memory;
  }

  /** Resolves when it is the caller's turn; `finish` must follow. */
  enter(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.admitNext();
    });
  }

  finish(): void {
    this.isLoading = false;
    this.admitNext();
  }

  /** Memory may be free again. */
  admitNext(): void {
    if (this.isLoading) return;
    const next = this.isClosed || !this.memory.isFull ? this.waiting.shift() : undefined;
    this.isLoading = next !== undefined;
    next?.();
  }

  /** Admits all that wait, one after the other, whatever memory is free. */
  close(): void {
    this.isClosed = true;
    this.admitNext();
  }
}
