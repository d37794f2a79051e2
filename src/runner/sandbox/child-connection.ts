import { FrameError, FrameReader, type Frame } from './message-framing.ts';

/** The process ended, broke the protocol, or was killed. */
export type LostReply = { kind: 'lost'; why: 'out_of_memory' | 'crashed' };

/**
 * The service's side of a process that runs code of others: its start, one call at a time, and its end. On
 * any violation of the protocol the process is killed.
 */
export abstract class ChildConnection<Reply> {
  readonly #reader: FrameReader;
  readonly #onDeath: () => void;
  #reportStart: ((isUp: boolean) => void) | null = null;
  #call: { id: number; end(reply: Reply | LostReply): void } | null = null;
  #calls = 0;
  #isDead = false;

  /** `onDeath` is called once when the process has ended. */
  protected constructor(maxFrameSize: number, onDeath: () => void) {
    this.#reader = new FrameReader(maxFrameSize);
    this.#onDeath = onDeath;
  }

  get isAlive(): boolean {
    return !this.#isDead;
  }
  /** The number of calls so far. */
  get calls(): number {
    return this.#calls;
  }

  /** Kills the process immediately. */
  abstract kill(): void;

  /** Handles a response. @throws {Error} when it violates the protocol. */
  protected abstract handleFrame(frame: Frame): void;

  /** Resolves with whether the process reported its start in time. Otherwise it is killed. */
  protected async waitForStart(timeoutMs: number): Promise<boolean> {
    const isUp = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      this.#reportStart = (up) => {
        clearTimeout(timer);
        resolve(up);
      };
    });
    this.#reportStart = null;
    if (!isUp) this.kill();
    return isUp;
  }

  /** @throws {FrameError} when the process reported its start before. */
  protected started(): void {
    if (this.#reportStart === null) throw new FrameError('The process reported its start twice');
    this.#reportStart(true);
  }

  /** Registers a call and returns its id. Must not be called for a process that has ended. */
  protected beginCall(end: (reply: Reply | LostReply) => void): number {
    const id = ++this.#calls;
    this.#call = { id, end };
    return id;
  }

  /** @throws {FrameError} when a response belongs to no call. */
  protected requireCurrent(id: unknown): void {
    if (this.#call === null || this.#call.id !== id)
      throw new FrameError('The response does not belong to the current call');
  }

  protected endCall(reply: Reply | LostReply): void {
    const call = this.#call;
    this.#call = null;
    call?.end(reply);
  }

  /** The process has ended. `output` is what it printed, which names the reason. */
  protected lost(output: string): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#reportStart?.(false);
    const isMemory = /out of memory|invalid size|allocation failed/i.test(output);
    this.endCall({ kind: 'lost', why: isMemory ? 'out_of_memory' : 'crashed' });
    this.#onDeath();
  }

  protected read(piece: Buffer): void {
    if (this.#isDead) return;
    try {
      for (const frame of this.#reader.push(piece)) this.handleFrame(frame);
    } catch {
      // The process violated the protocol, so it is no longer trusted.
      this.kill();
    }
  }
}
