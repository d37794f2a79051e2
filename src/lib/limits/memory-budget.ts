/**
 * Limits the memory that values take, in bytes as JSON: of all active executions in this process, and of
 * responses being read for them. As objects, values take several times their size as JSON.
 *
 * Responses wait for memory in order of arrival. A waiting execution may hold memory that others wait for;
 * therefore one execution at a time (or one response without an execution) may exceed the budget, one
 * response after the other, until it leaves.
 */
export class MemoryBudget {
  readonly most: number;
  private taken = 0;
  /** The reservations whose responses are being read. */
  private readonly reading = new Set<Reservation>();
  /** The owner that may exceed the budget. */
  private overdraftHolder: string | Reservation | null = null;
  private readonly waiting: Waiting[] = [];

  constructor(most: number) {
    this.most = most;
  }

  /** The maximum for one execution. */
  get mostOfOne(): number {
    return Math.floor(this.most / 2);
  }

  get isFull(): boolean {
    return this.taken >= this.most;
  }

  /** A negative `bytes` frees memory. */
  add(bytes: number): void {
    this.taken += bytes;
    if (this.waiting.length > 0) this.admitNext();
  }

  /**
   * Removes an execution, or a reservation without one, with the `bytes` that it took. None of its responses
   * is waiting.
   */
  release(owner: string | Reservation, bytes: number): void {
    if (this.overdraftHolder === owner) this.overdraftHolder = null;
    this.add(-bytes);
  }

  /** Reserves memory for one response; `execution` null: it belongs to none. */
  place(execution: string | null): Reservation {
    return new Reservation(this, execution);
  }

  /** Used by `Reservation`. */
  enqueue(next: Waiting): void {
    this.waiting.push(next);
    this.admitNext();
  }

  /** Used by `Reservation`: it no longer waits or reads, and takes `bytes` more than before. */
  finish(reservation: Reservation, bytes: number): void {
    const at = this.waiting.findIndex((each) => each.place === reservation);
    if (at >= 0) this.waiting.splice(at, 1);
    else this.reading.delete(reservation);
    this.add(bytes);
  }

  private admitNext(): void {
    for (;;) {
      const next = this.next();
      if (next === undefined) return;
      this.waiting.splice(this.waiting.indexOf(next), 1);
      this.reading.add(next.place);
      this.taken += next.bytes;
      next.enter();
    }
  }

  private next(): Waiting | undefined {
    const [first] = this.waiting;
    if (first === undefined || this.taken + first.bytes <= this.most) return first;
    const { overdraftHolder: favored } = this;
    if (favored === null) {
      this.overdraftHolder = first.place.owner;
      return first;
    }
    for (const { owner } of this.reading) if (owner === favored) return undefined;
    return this.waiting.find(({ place }) => place.owner === favored);
  }
}

type Waiting = { place: Reservation; bytes: number; enter(): void };

/** The memory of one response. */
export class Reservation {
  /** The execution that the response belongs to, or the reservation itself. */
  readonly owner: string | Reservation;
  private readonly budget: MemoryBudget;
  private bytes = 0;
  /** Whether it waits or reads. */
  private isOpen = false;
  private isGone = false;

  constructor(budget: MemoryBudget, execution: string | null) {
    this.budget = budget;
    this.owner = execution ?? this;
  }

  get isTaken(): boolean {
    return this.bytes > 0;
  }

  /**
   * True when there is memory for a response of `bytes`; otherwise `granted` is called when there is.
   * `settle` or `leave` must follow.
   */
  ask(bytes: number, granted: () => void): boolean {
    const more = Math.min(Math.max(0, bytes - this.bytes), this.budget.most);
    this.isOpen = true;
    let isIn = false;
    let isLater = false;
    this.budget.enqueue({
      place: this,
      bytes: more,
      enter: () => {
        isIn = true;
        this.bytes += more;
        if (isLater) granted();
      },
    });
    isLater = true;
    return isIn;
  }

  /** The response is complete and takes this many bytes, even beyond the budget. */
  settle(bytes: number): void {
    if (this.isGone) return;
    const { isOpen } = this;
    const change = bytes - this.bytes;
    this.isOpen = false;
    this.bytes = bytes;
    if (isOpen) this.budget.finish(this, change);
    else if (change !== 0) this.budget.add(change);
  }

  /** Final: later data of the response does not count. */
  leave(): void {
    this.settle(0);
    this.isGone = true;
    if (this.owner === this) this.budget.release(this, 0);
  }
}
