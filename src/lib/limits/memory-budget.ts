/**
 * The memory that values may take, in bytes as JSON: of all executions that live in this process, and of answers on their way
 * into them. As objects, values take several times what they take as JSON.
 *
 * Answers wait for room in the order in which they come. Those who wait may hold what the others wait for; so one execution at a
 * time (or one answer that goes into none) may take more than there is, for one answer after the other, until it leaves.
 */
export class MemoryBudget {
  readonly most: number;
  private taken = 0;
  /** Whose answer is being read. */
  private readonly reading = new Set<Reservation>();
  /** Who may take more than there is. */
  private favoured: string | Reservation | null = null;
  private readonly waiting: Waiting[] = [];

  constructor(most: number) {
    this.most = most;
  }

  /** What one execution may take of it. */
  get mostOfOne(): number {
    return Math.floor(this.most / 2);
  }

  get isFull(): boolean {
    return this.taken >= this.most;
  }

  /** `bytes` below 0: so many are free again. */
  add(bytes: number): void {
    this.taken += bytes;
    if (this.waiting.length > 0) this.letIn();
  }

  /** An execution, or a place of none, is no longer here, with the `bytes` that it took. Nothing of it waits. */
  left(owner: string | Reservation, bytes: number): void {
    if (this.favoured === owner) this.favoured = null;
    this.add(-bytes);
  }

  /** For one answer; `execution` null: it goes into none. */
  place(execution: string | null): Reservation {
    return new Reservation(this, execution);
  }

  /** For `Place`. */
  enter(next: Waiting): void {
    this.waiting.push(next);
    this.letIn();
  }

  /** For `Place`: it waits, or reads, no longer, and takes `bytes` more than before. */
  quiet(place: Reservation, bytes: number): void {
    const at = this.waiting.findIndex((each) => each.place === place);
    if (at >= 0) this.waiting.splice(at, 1);
    else this.reading.delete(place);
    this.add(bytes);
  }

  private letIn(): void {
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
    const { favoured } = this;
    if (favoured === null) {
      this.favoured = first.place.owner;
      return first;
    }
    for (const { owner } of this.reading) if (owner === favoured) return undefined;
    return this.waiting.find(({ place }) => place.owner === favoured);
  }
}

type Waiting = { place: Reservation; bytes: number; enter(): void };

/** What one answer takes of the room. */
export class Reservation {
  /** The execution that it goes into, or itself. */
  readonly owner: string | Reservation;
  private readonly room: MemoryBudget;
  private bytes = 0;
  /** Waits or reads. */
  private isOpen = false;
  private isGone = false;

  constructor(room: MemoryBudget, execution: string | null) {
    this.room = room;
    this.owner = execution ?? this;
  }

  get isTaken(): boolean {
    return this.bytes > 0;
  }

  /** True: there is room for an answer of `bytes`; else `granted` is called when there is. `settle` or `leave` has to follow. */
  ask(bytes: number, granted: () => void): boolean {
    const more = Math.min(Math.max(0, bytes - this.bytes), this.room.most);
    this.isOpen = true;
    let isIn = false;
    let isLater = false;
    this.room.enter({
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

  /** The answer is there, and takes so many bytes: room or not. */
  settle(bytes: number): void {
    if (this.isGone) return;
    const { isOpen } = this;
    const change = bytes - this.bytes;
    this.isOpen = false;
    this.bytes = bytes;
    if (isOpen) this.room.quiet(this, change);
    else if (change !== 0) this.room.add(change);
  }

  /** For good: whatever of the answer comes later does not count. */
  leave(): void {
    this.settle(0);
    this.isGone = true;
    if (this.owner === this) this.room.left(this, 0);
  }
}
