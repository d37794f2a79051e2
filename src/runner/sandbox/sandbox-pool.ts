import { limits } from '../../ports/limits.ts';
import type { Request } from './messages.ts';
import type { Reply, SandboxChild } from './sandbox-child.ts';
import type { Starter } from './process-starter.ts';

/** A call for a sandbox process, on behalf of an owner. */
export type Task = {
  readonly ownerId: string;
  readonly request:
    | Omit<Request & { kind: 'run' }, 'id' | 'owner'>
    | Omit<Request & { kind: 'check' }, 'id' | 'owner'>;
  /**
   * Creates the payload when the task starts, so that waiting tasks use no memory. Null if it is too large.
   */
  texts(): readonly string[] | null;
  /** `busy`: the queue is full. `unavailable`: no process can be started on this machine. */
  settle: (reply: Reply | 'busy' | 'unavailable' | 'too_large') => void;
  tries?: number;
  child?: SandboxChild;
};

export type PoolOptions = {
  size: number;
  /** An idle process is ended after this time in ms. */
  idle: number;
};

/** Number of calls after which a process is replaced, to discard leftover state. */
const MAX_CALLS_PER_PROCESS = 1_000;
/** Attempts for a call whose process crashed without a reason. */
const MAX_ATTEMPTS = 2;
/**
 * Consecutive start failures, at least START_PAUSE ms apart, after which starting is considered impossible
 * for UNAVAILABLE ms.
 */
const MAX_START_FAILURES = 3;
const START_FAILURE_INTERVAL_MS = 500;
const UNAVAILABLE_DURATION_MS = 30_000;

/**
 * A pool of sandbox processes with a fair queue. Each process serves one call at a time, so that a crash
 * affects only that call. No owner may occupy the last process, so that endless loops of one owner do not
 * block the others.
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
  /** Owners in the order in which they are served. */
  readonly #queues = new Map<string, Task[]>();
  readonly #running = new Map<string, number>();
  #waiting = 0;
  #isClosed = false;

  constructor(start: Starter, { size, idle }: PoolOptions) {
    this.#start = start;
    this.#size = size;
    this.#share = Math.max(1, size - 1);
    this.#idleTime = idle;
  }

  add(task: Task): void {
    if (this.#isClosed) return task.settle('unavailable');
    if (this.#waiting >= limits.codeQueue) return task.settle('busy');
    this.#enqueue(task, false);
    this.#pump();
  }

  /** Cancels a task: removes it from the queue or ends the process that runs it. */
  withdraw(task: Task): void {
    task.settle = () => {};
    task.tries = MAX_ATTEMPTS;
    const queue = this.#queues.get(task.ownerId);
    const at = queue?.indexOf(task) ?? -1;
    if (queue !== undefined && at >= 0) {
      queue.splice(at, 1);
      this.#waiting--;
      if (queue.length === 0) this.#queues.delete(task.ownerId);
    }
    task.child?.kill();
  }

  /** Settles waiting tasks. The provider of `start` ends the processes. */
  close(): void {
    this.#isClosed = true;
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

  /** Starts all tasks that can start now. */
  #pump(): void {
    while (!this.#isClosed) {
      const ownerId = this.#nextOwner();
      if (ownerId === null) return;
      const child = this.#takeIdle(ownerId);
      if (child === null) return this.#grow();
      const task = this.#takeNext(ownerId);
      const texts = task.texts();
      if (texts === null) {
        this.#keep(child);
        task.settle('too_large');
      } else void this.#serve(task, texts, child);
    }
  }

  /** Chooses the owner with the fewest running calls; among several, the one served least recently. */
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

  #takeNext(ownerId: string): Task {
    const queue = this.#queues.get(ownerId)!;
    const task = queue.shift()!;
    this.#waiting--;
    this.#queues.delete(ownerId);
    if (queue.length > 0) this.#queues.set(ownerId, queue);
    return task;
  }

  /**
   * Prefers the process with this owner's isolate, then the most recently used one, so that the others become
   * idle and end.
   */
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
    void this.#start((gone) => this.#handleExit(gone))
      .catch(() => null)
      .then((child) => {
        this.#starting--;
        if (child === null) return this.#notStarted();
        this.#failedStarts = 0;
        if (this.#isClosed) return child.kill();
        this.#children.add(child);
        this.#addIdle(child);
      });
    this.#grow();
  }

  /** A shortage of memory or processes may be temporary, so tasks keep waiting for a while. */
  #notStarted(): void {
    // Processes started together fail together, so they count as one failure.
    if (this.#isClosed || this.#starting > 0) return;
    if (++this.#failedStarts < MAX_START_FAILURES) {
      this.#pausedUntil = performance.now() + START_FAILURE_INTERVAL_MS;
      setTimeout(() => this.#pump(), START_FAILURE_INTERVAL_MS + 1).unref();
      return;
    }
    this.#failedStarts = 0;
    this.#unavailableUntil = performance.now() + UNAVAILABLE_DURATION_MS;
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
    // The cause is unknown, such as lack of memory or a V8 crash. Code has no effects, so the call may run
    // again.
    if (reply.kind === 'lost' && reply.why === 'crashed' && task.tries < MAX_ATTEMPTS && !this.#isClosed) {
      this.#enqueue(task, true);
      return this.#pump();
    }
    const isSpent =
      reply.kind === 'lost' ||
      (reply.response.kind === 'failed' &&
        (reply.response.failure === 'timeout' || reply.response.failure === 'out_of_memory'));
    task.settle(reply);
    if (isSpent || child.isLast || child.calls >= MAX_CALLS_PER_PROCESS || this.#isClosed) child.kill();
    else this.#addIdle(child);
    this.#pump();
  }

  #addIdle(child: SandboxChild): void {
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

  #handleExit(child: SandboxChild): void {
    if (!this.#children.delete(child)) return;
    clearTimeout(this.#idle.get(child));
    this.#idle.delete(child);
    this.#pump();
  }
}
