import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { ChildConnection, type LostReply } from './child-connection.ts';
import { encodeFrame, type Frame } from './message-framing.ts';
import type { Launch } from './isolation-launcher.ts';
import { MAX_HEADER, type Response, type Request } from './messages.ts';
import { readResponse } from './read-response.ts';
import { runOnlyWhenIdle, lowerPriority } from './fair-queue.ts';
import { trySpawn } from './try-spawn.ts';

/** The result of a call: a response with its text, or the loss of the process. */
export type Reply =
  | { kind: 'response'; response: Exclude<Response, { kind: 'ready' }>; text: string }
  /** `late`: the call was still running after its time limit and the grace period. */
  | { kind: 'lost'; why: 'late' }
  | LostReply;

/**
 * Time for a process to start. Long, because a process that cannot start ends immediately and a busy machine
 * must not be mistaken for that.
 */
const START_TIMEOUT_MS = 60_000;
/** Time for a process to report the timeout of a call before it is killed. */
const GRACE_PERIOD_MS = 1_000;
/** Maximum number of characters kept of the error output of a process. */
const MAX_STDERR_LENGTH = 16_384;
/** Time after which a call counts as long-running. */
const LONG_CALL_MS = 200;

/** A sandbox process as seen from the service. */
export class SandboxChild extends ChildConnection<Reply> {
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  #errorOutput = '';
  #isLast = false;
  /** The owner whose code ran last; the process only holds the isolate of this owner. */
  ownerId: string | null = null;
  #owner = 0;

  private constructor(
    process: ChildProcessByStdio<Writable, Readable, Readable>,
    maxOutput: number,
    onDeath: () => void,
  ) {
    super(MAX_HEADER + maxOutput, onDeath);
    this.#process = process;
    this.#process.on('error', () => this.lost(this.#errorOutput));
    // Not `exit`: the last output may still be buffered.
    this.#process.on('close', () => this.lost(this.#errorOutput));
    this.#process.stdin.on('error', () => this.kill());
    this.#process.stdout.on('error', () => this.kill());
    this.#process.stdout.on('data', (piece: Buffer) => this.read(piece));
    this.#process.stderr.on('data', (piece: Buffer) => {
      if (this.#errorOutput.length < MAX_STDERR_LENGTH)
        this.#errorOutput += piece.toString('latin1').slice(0, MAX_STDERR_LENGTH - this.#errorOutput.length);
    });
  }

  /**
   * Starts a process; null if it does not start. `onDeath` is called once when a started process has ended.
   * Aborting `closing` kills it, started or not.
   */
  static async start(
    launch: Launch,
    maxOutput: number,
    closing: AbortSignal,
    onDeath: () => void,
  ): Promise<SandboxChild | null> {
    if (closing.aborted) return null;
    const started = trySpawn(launch, { stdio: ['pipe', 'pipe', 'pipe'] });
    if (started === null) return null;
    const close = (): void => child.kill();
    const child = new SandboxChild(
      started as ChildProcessByStdio<Writable, Readable, Readable>,
      maxOutput,
      () => {
        closing.removeEventListener('abort', close);
        onDeath();
      },
    );
    closing.addEventListener('abort', close);
    const { pid } = child.#process;
    if (pid !== undefined) lowerPriority(pid);
    return (await child.waitForStart(START_TIMEOUT_MS)) ? child : null;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }
  /** Whether the process has the lowest priority, which cannot be reverted without privileges. */
  get isLast(): boolean {
    return this.#isLast;
  }

  /** Runs one call at a time. Never rejects. */
  call(
    ownerId: string,
    request:
      | Omit<Request & { kind: 'run' }, 'id' | 'owner'>
      | Omit<Request & { kind: 'check' }, 'id' | 'owner'>,
    texts: readonly string[],
  ): Promise<Reply> {
    if (this.ownerId !== ownerId) {
      this.ownerId = ownerId;
      this.#owner++;
    }
    return new Promise((resolve) => {
      if (!this.isAlive) return resolve({ kind: 'lost', why: 'crashed' });
      const timer = setTimeout(() => {
        this.endCall({ kind: 'lost', why: 'late' });
        this.kill();
      }, request.timeout + GRACE_PERIOD_MS);
      const long = setTimeout(() => {
        this.#isLast = true;
        if (this.pid !== undefined) runOnlyWhenIdle(this.pid);
      }, LONG_CALL_MS);
      const id = this.beginCall((reply) => {
        clearTimeout(timer);
        clearTimeout(long);
        resolve(reply);
      });
      this.#process.stdin.write(encodeFrame({ ...request, id, owner: this.#owner }, texts));
    });
  }

  kill(): void {
    this.#process.kill('SIGKILL');
    this.lost(this.#errorOutput);
  }

  protected handleFrame(frame: Frame): void {
    const { response, text } = readResponse(frame);
    if (response.kind === 'ready') return this.started();
    this.requireCurrent(response.id);
    this.endCall({ kind: 'response', response, text });
  }
}
