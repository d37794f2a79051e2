import { limits } from '../../ports/limits.ts';
import type { Request } from './messages.ts';
import type { Reply, SandboxChild } from './sandbox-child.ts';
import type { Starter } from './process-starter.ts';

/** One thing that a process shall do for an owner. */
export type Task = {
  readonly ownerId: string;
  readonly request:
    | Omit<Request & { kind: 'run' }, 'id' | 'owner'>
    | Omit<Request & { kind: 'check' }, 'id' | 'owner'>;
  /** What goes along, made when its turn comes: until then it costs nothing. Null: it is too large. */
  texts(): readonly string[] | null;
  /** `busy`: the queue is full. `unavailable`: no process starts on this machine. */
  settle: (reply: Reply | 'busy' | 'unavailable' | 'too_large') => void;
  tries?: number;
  child?: SandboxChild;
};

export type PoolOptions = {
  size: number;
  /** ms after which a process that has nothing to do is ended. */
  idle: number;
};

/** Calls after which a process is replaced: whatever they left behind goes with it. */
const CALLS = 1_000;
/** Tries of a call whose process broke down without saying why. */
const TRIES = 2;
/** Starts that fail, one after the other and so far apart (ms), before it is believed for a while that none succeeds. */
const START_TRIES = 3;
const START_PAUSE = 500;
const UNAVAILABLE = 30_000;

/**
 * The processes, and who is next. Each serves one call at a time, so that what breaks one costs that call alone. No owner
 * has the last process: another's call never waits behind the endless loops of one.
 */
export class SandboxPool {
  readonly #size: number;
  readonly #share: number;
  readonly #idleTime: number;
  readonly #start: Starter;
  #unavailableUntil = 0;
  #failedStarts = 0;
  #pausedUntil = 0;
  readonly #children = new Set<SandboxChild>();
  readonly #idle = new Map<SandboxChild, NodeJS.Timeout>();
  #starting = 0;
  /** In the order in which owners are served next. */
  readonly #queues = new Map<string, Task[]>();
  readonly #running = new Map<string, number>();
  #waiting = 0;
  #closed = false;

  constructor(start: Starter, { size, idle }: PoolOptions) {
    this.#start = start;
    this.#size = size;
    this.#share = Math.max(1, size - 1);
    this.#idleTime = idle;
  }

  add(task: Task): void {
    if (this.#closed) return task.settle('unavailable');
    if (this.#waiting >= limits.codeQueue) return task.settle('busy');
    this.#enqueue(task, false);
    this.#pump();
  }

  /** Takes a task back: out of the queue, or by ending the process that runs it. */
  withdraw(task: Task): void {
    task.settle = () => {};
    task.tries = TRIES;
    const queue = this.#queues.get(task.ownerId);
    const at = queue?.indexOf(task) ?? -1;
    if (queue !== undefined && at >= 0) {
      queue.splice(at, 1);
      this.#waiting--;
      if (queue.length === 0) this.#queues.delete(task.ownerId);
    }
    task.child?.kill();
  }

  /** Settles what waits. Whoever gave `start` ends the processes. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
    for (const queue of this.#queues.values()) for (const task of queue) task.settle('unavailable');
    this.#queues.clear();
    this.#waiting = 0;
  }

  pids(): number[] {
    return [...this.#children].flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  }

  #enqueue(task: Task, first: boolean): void {
    const queue = this.#queues.get(task.ownerId);
    if (queue === undefined) this.#queues.set(task.ownerId, [task]);
    else if (first) queue.unshift(task);
    else queue.push(task);
    this.#waiting++;
  }

  /** Gives out what can be given out now. */
  #pump(): void {
    while (!this.#closed) {
      const ownerId = this.#nextOwner();
      if (ownerId === null) return;
      const child = this.#takeIdle(ownerId);
      if (child === null) return this.#grow();
      const task = this.#nextOf(ownerId);
      const texts = task.texts();
      if (texts === null) {
        this.#keep(child);
        task.settle('too_large');
      } else void this.#serve(task, texts, child);
    }
  }

  /** Whoever has the fewest calls running; of several, the one that was served longest ago. */
  #nextOwner(): string | null {
    let next: string | null = null;
    let fewest = this.#share;
    for (const ownerId of this.#queues.keys()) {
      const running = this.#running.get(ownerId) ?? 0;
      if (running >= fewest) continue;
      next = ownerId;
      fewest = running;
      if (running === 0) break;
    }
    return next;
  }

  #nextOf(ownerId: string): Task {
    const queue = this.#queues.get(ownerId)!;
    const task = queue.shift()!;
    this.#waiting--;
    this.#queues.delete(ownerId);
    if (queue.length > 0) this.#queues.set(ownerId, queue);
    return task;
  }

  /** The one that has this owner's isolate, else the one that was used last: the others may come to their end. */
  #takeIdle(ownerId: string): SandboxChild | null {
    let found: SandboxChild | null = null;
    for (const child of this.#idle.keys()) {
      found = child;
      if (child.ownerId === ownerId) break;
    }
    if (found === null) return null;
    clearTimeout(this.#idle.get(found));
    this.#idle.delete(found);
    return found;
  }

  #grow(): void {
    if (this.#children.size + this.#starting >= this.#size || this.#starting >= this.#waiting) return;
    if (performance.now() < this.#unavailableUntil) {
      if (this.#children.size === 0) this.#refuseAll();
      return;
    }
    if (performance.now() < this.#pausedUntil) return;
    this.#starting++;
    void this.#start((gone) => this.#died(gone)).then((child) => {
      this.#starting--;
      if (child === null) return this.#notStarted();
      this.#failedStarts = 0;
      if (this.#closed) return child.kill();
      this.#children.add(child);
      this.#rest(child);
    });
    this.#grow();
  }

  /** Want of memory or of processes may pass; what waits waits for a while. */
  #notStarted(): void {
    // Those that were started together fail together, and count once.
    if (this.#closed || this.#starting > 0) return;
    if (++this.#failedStarts < START_TRIES) {
      this.#pausedUntil = performance.now() + START_PAUSE;
      setTimeout(() => this.#pump(), START_PAUSE + 1).unref();
      return;
    }
    this.#failedStarts = 0;
    this.#unavailableUntil = performance.now() + UNAVAILABLE;
    if (this.#children.size === 0) this.#refuseAll();
  }

  #refuseAll(): void {
    const tasks = [...this.#queues.values()].flat();
    this.#queues.clear();
    this.#waiting = 0;
    for (const task of tasks) task.settle('unavailable');
  }

  async #serve(task: Task, texts: readonly string[], child: SandboxChild): Promise<void> {
    const { ownerId } = task;
    task.tries = (task.tries ?? 0) + 1;
    task.child = child;
    this.#running.set(ownerId, (this.#running.get(ownerId) ?? 0) + 1);
    const reply = await child.call(ownerId, task.request, texts);
    delete task.child;
    const left = (this.#running.get(ownerId) ?? 1) - 1;
    if (left === 0) this.#running.delete(ownerId);
    else this.#running.set(ownerId, left);
    // It may have been anything: the machine's memory, a fault of the engine. Code has no effects, so once more is safe.
    if (reply.kind === 'lost' && reply.why === 'crashed' && task.tries < TRIES && !this.#closed) {
      this.#enqueue(task, true);
      return this.#pump();
    }
    const isSpent =
      reply.kind === 'lost' ||
      (reply.answer.kind === 'failed' &&
        (reply.answer.failure === 'timeout' || reply.answer.failure === 'out_of_memory'));
    task.settle(reply);
    if (isSpent || child.isLast || child.calls >= CALLS || this.#closed) child.kill();
    else this.#rest(child);
    this.#pump();
  }

  #rest(child: SandboxChild): void {
    if (child.isAlive) this.#keep(child);
    this.#pump();
  }

  #keep(child: SandboxChild): void {
    const timer = setTimeout(() => {
      this.#idle.delete(child);
      child.kill();
    }, this.#idleTime);
    timer.unref();
    this.#idle.set(child, timer);
  }

  #died(child: SandboxChild): void {
    if (!this.#children.delete(child)) return;
    clearTimeout(this.#idle.get(child));
    this.#idle.delete(child);
    this.#pump();
  }
}
