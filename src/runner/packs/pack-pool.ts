import tls from 'node:tls';
import type { NodeFailure } from '../../contract/node-type.ts';
import { limits } from '../../ports/limits.ts';
import type { OpenConnection } from '../../ports/pack-runner.ts';
import type { Launch } from '../sandbox/isolation-launcher.ts';
import { PackChild, type PackCallRequest, type PackReply } from './pack-child.ts';

/** A call of a pack on behalf of an owner. */
export type PackTask = {
  readonly ownerId: string;
  /** Identifies the content of the pack. */
  readonly pack: string;
  /** Called when a new process loads the pack. */
  loadSource(): Promise<string>;
  readonly request: PackCallRequest;
  /** Creates the text when the call starts, so that a waiting one uses little memory. */
  printText(): string;
  readonly open: OpenConnection;
  readonly signal: AbortSignal;
};

/** `opened`: connections that the call opened; `refusal`: why the first refused one was refused. */
export type PackRun =
  | {
      kind: 'reply';
      reply: PackReply;
      opened: number;
      refusal: NodeFailure | null;
      printed: string;
    }
  /** The pack could not be evaluated. */
  | { kind: 'unloadable'; message: string }
  | { kind: 'busy' | 'unavailable' | 'stopped' };

export type PackPoolOptions = {
  launches: () => Launch[];
  /** Called when no process can be started. */
  warn: (message: string) => void;
  size?: number;
  /** Certificates in PEM that are trusted in addition. Default: those that the service trusts. */
  authorities?: readonly string[];
  /** An idle process is ended after this time in ms. */
  idle?: number;
};

type Entry = { readonly key: string; readonly child: PackChild; calls: number; idle: NodeJS.Timeout | null };
type Waiting = PackTask & { settle(run: PackRun): void; reject(error: unknown): void };

/** Number of calls after which a process is replaced, to discard leftover state. */
const MAX_CALLS_PER_PROCESS = 1_000;
const MAX_OUTPUT_BYTES = limits.codeOutputBytes + 4_096;

/**
 * Processes of packs. Each belongs to one owner and one pack, because a pack could keep what it has seen, and
 * serves one call at a time.
 */
export class PackPool {
  readonly #options: Required<PackPoolOptions>;
  readonly #entries = new Set<Entry>();
  readonly #queue: Waiting[] = [];
  readonly #running = new Map<string, number>();
  #starting = 0;
  #launch: Launch | null = null;
  #isClosed = false;
  #hasWarned = false;

  constructor({
    size = limits.packProcesses,
    idle = limits.codeIdleMs,
    authorities = tls.getCACertificates('extra'),
    ...options
  }: PackPoolOptions) {
    this.#options = { size, idle, authorities, ...options };
  }

  /** Rejects with the error of `loadSource`. */
  run(task: PackTask): Promise<PackRun> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed || task.signal.aborted) return resolve({ kind: 'stopped' });
      if (this.#queue.length >= limits.packQueue) return resolve({ kind: 'busy' });
      const waiting: Waiting = {
        ...task,
        settle(run) {
          task.signal.removeEventListener('abort', onAbort);
          resolve(run);
        },
        reject(error) {
          task.signal.removeEventListener('abort', onAbort);
          reject(error as Error);
        },
      };
      const onAbort = (): void => {
        const at = this.#queue.indexOf(waiting);
        if (at >= 0) this.#queue.splice(at, 1);
        waiting.settle({ kind: 'stopped' });
      };
      task.signal.addEventListener('abort', onAbort, { once: true });
      this.#queue.push(waiting);
      this.#pump();
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const task of this.#queue.splice(0)) task.settle({ kind: 'stopped' });
    for (const { child, idle } of this.#entries) {
      if (idle !== null) clearTimeout(idle);
      child.kill();
    }
  }

  pids(): number[] {
    return [...this.#entries].flatMap(({ child: { pid } }) => (pid === undefined ? [] : [pid]));
  }

  /** Starts all calls that can start now, in order. */
  #pump(): void {
    for (let at = 0; at < this.#queue.length && !this.#isClosed;) {
      const task = this.#queue[at]!;
      if (!this.#mayStart(task)) {
        at++;
        continue;
      }
      this.#queue.splice(at, 1);
      this.#running.set(task.ownerId, (this.#running.get(task.ownerId) ?? 0) + 1);
      void this.#serve(task);
    }
  }

  /** No owner may occupy all processes, so that endless calls of one do not block the others. */
  #mayStart({ ownerId }: PackTask): boolean {
    const share = Math.max(1, this.#options.size - 1);
    if ((this.#running.get(ownerId) ?? 0) >= share) return false;
    return this.#busyCount() < this.#options.size;
  }

  #busyCount(): number {
    return this.#starting + [...this.#entries].filter(({ idle }) => idle === null).length;
  }

  async #serve(task: Waiting): Promise<void> {
    try {
      const idle = this.#takeIdle(task);
      if (idle !== null && (await this.#call(task, idle))) return;
      const entry = await this.#start(task);
      if (entry !== null) await this.#call(task, entry);
    } catch (error) {
      task.reject(error);
    } finally {
      const left = (this.#running.get(task.ownerId) ?? 1) - 1;
      if (left === 0) this.#running.delete(task.ownerId);
      else this.#running.set(task.ownerId, left);
      this.#pump();
    }
  }

  #takeIdle(task: PackTask): Entry | null {
    const key = getKey(task);
    const found = [...this.#entries].find((entry) => entry.idle !== null && entry.key === key);
    if (found === undefined) return null;
    clearTimeout(found.idle!);
    found.idle = null;
    return found;
  }

  /** Starts a process with the pack; settles the task and returns null when that fails. */
  async #start(task: Waiting): Promise<Entry | null> {
    this.#starting++;
    let child: PackChild | null = null;
    try {
      this.#limitProcesses();
      const source = await task.loadSource();
      let entry: Entry | null = null;
      child = await this.#startChild(() => {
        if (entry === null) return;
        if (entry.idle !== null) clearTimeout(entry.idle);
        this.#entries.delete(entry);
      });
      if (child === null) {
        task.settle({ kind: 'unavailable' });
        return null;
      }
      if (this.#isClosed || task.signal.aborted) return this.#abandon(task, child, { kind: 'stopped' });
      const abort = (): void => child?.kill();
      task.signal.addEventListener('abort', abort, { once: true });
      const loaded = await child.load(source, this.#options.authorities);
      task.signal.removeEventListener('abort', abort);
      if (loaded.kind !== 'done') {
        const message = loaded.kind === 'failed' ? loaded.message : describeLoss(loaded.why);
        return this.#abandon(task, child, { kind: 'unloadable', message });
      }
      child.takePrinted();
      entry = { key: getKey(task), child, calls: 0, idle: null };
      this.#entries.add(entry);
      return entry;
    } catch (error) {
      child?.kill();
      throw error;
    } finally {
      this.#starting--;
    }
  }

  #abandon(task: Waiting, child: PackChild, run: PackRun): null {
    child.kill();
    task.settle(run);
    return null;
  }

  /** Ends the process that has been idle longest, if there are as many as may run. */
  #limitProcesses(): void {
    if (this.#entries.size + this.#starting <= this.#options.size) return;
    for (const entry of this.#entries) if (entry.idle !== null) return entry.child.kill();
  }

  async #startChild(onDeath: () => void): Promise<PackChild | null> {
    if (this.#launch !== null) {
      const child = await PackChild.start(this.#launch, MAX_OUTPUT_BYTES, onDeath);
      if (child !== null) return child;
      // What worked may not work any more, so all ways are tried again.
      this.#launch = null;
    }
    for (const launch of this.#options.launches()) {
      if (this.#isClosed) return null;
      const child = await PackChild.start(launch, MAX_OUTPUT_BYTES, onDeath);
      if (child === null) continue;
      this.#launch = launch;
      return child;
    }
    if (!this.#hasWarned)
      this.#options.warn(
        'packs of npm cannot run on this machine: they need a process with its own namespaces (unshare, setpriv and prlimit of util-linux, and the permission to use them)',
      );
    this.#hasWarned = true;
    return null;
  }

  /** Returns whether the task is settled. Otherwise it can run in another process. */
  async #call(task: Waiting, entry: Entry): Promise<boolean> {
    const { child } = entry;
    const ending = new AbortController();
    const abort = (): void => child.kill();
    task.signal.addEventListener('abort', abort, { once: true });
    if (task.signal.aborted) abort();
    const endConnections = child.proxy.allow(task.open, ending.signal);
    const reply = await child.call(task.request, task.printText());
    // What it printed before it responded is read in the same turn, in any order.
    await new Promise((resolve) => setImmediate(resolve));
    const ended = endConnections();
    // The reason for which the service ended the process comes first.
    const refusal = child.isAlive ? ended.refusal : null;
    ending.abort();
    task.signal.removeEventListener('abort', abort);
    // An idle process may have ended just before the call, killed by the system for example. A call that
    // opened no connection had no effect.
    const isCrash = reply.kind === 'lost' && reply.why === 'crashed';
    if (isCrash && entry.calls > 0 && ended.opened === 0 && !task.signal.aborted && !this.#isClosed)
      return false;
    task.settle({ kind: 'reply', reply, opened: ended.opened, refusal, printed: child.takePrinted() });
    entry.calls++;
    if (!child.isAlive) return true;
    if (entry.calls >= MAX_CALLS_PER_PROCESS || this.#isClosed) {
      child.kill();
      return true;
    }
    // The last one in the set is the one that was used last.
    this.#entries.delete(entry);
    this.#entries.add(entry);
    entry.idle = setTimeout(() => child.kill(), this.#options.idle);
    entry.idle.unref();
    return true;
  }
}

function getKey({ ownerId, pack }: PackTask): string {
  return JSON.stringify([ownerId, pack]);
}

export function describeLoss(why: 'out_of_memory' | 'crashed'): string {
  return why === 'out_of_memory' ? 'The pack exceeded its memory limit' : 'The process of the pack crashed';
}
