import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { encodeFrame, FrameReader, type Frame } from './message-framing.ts';
import type { Launch } from './isolation-launcher.ts';
import { MAX_HEADER, type Answer, type Request } from './messages.ts';
import { readAnswer } from './read-response.ts';
import { putLast, retire } from './fair-queue.ts';

/** What came of a call: an answer with its text, or that the process was lost on the way. */
export type Reply =
  | { kind: 'answer'; answer: Exclude<Answer, { kind: 'ready' }>; text: string }
  /** `late`: it was still at work when its time and the grace were over. */
  | { kind: 'lost'; why: 'late' | 'out_of_memory' | 'crashed' };

/** ms that a process gets to start. What cannot start here ends at once; a busy machine must not pass for that. */
const START_TIME = 60_000;
/** ms that a process gets to tell of the end of a call's time by itself. */
const GRACE = 1_000;
/** What is kept of what a dying process prints. */
const LAST_WORDS = 16_384;
/** ms after which a call is one that takes long. */
const LONG = 200;

/** One process that runs user code, seen from the service: what comes from it is checked, and when in doubt it is killed. */
export class SandboxChild {
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #reader: FrameReader;
  #lastWords = '';
  #started: ((isUp: boolean) => void) | null = null;
  #call: { id: number; end(reply: Reply): void } | null = null;
  #calls = 0;
  #dead = false;
  #isLast = false;
  /** Whose code ran last; only that owner's isolate is in there. */
  ownerId: string | null = null;
  #owner = 0;
  #onDeath: () => void;

  private constructor(launch: Launch, maxOutput: number, onDeath: () => void) {
    this.#onDeath = onDeath;
    this.#reader = new FrameReader(MAX_HEADER + maxOutput);
    this.#process = spawn(launch.command, launch.args, {
      env: {},
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.#process.on('error', () => this.#lost());
    // Not `exit`: what it said last may still be on its way.
    this.#process.on('close', () => this.#lost());
    this.#process.stdin.on('error', () => this.kill());
    this.#process.stdout.on('error', () => this.kill());
    this.#process.stdout.on('data', (piece: Buffer) => this.#read(piece));
    this.#process.stderr.on('data', (piece: Buffer) => {
      if (this.#lastWords.length < LAST_WORDS)
        this.#lastWords += piece.toString('latin1').slice(0, LAST_WORDS - this.#lastWords.length);
    });
  }

  /**
   * Null when it does not come up. `onDeath` is called once when one that was up is gone. When `closing` is aborted it is
   * killed, up or not.
   */
  static async start(
    launch: Launch,
    maxOutput: number,
    closing: AbortSignal,
    onDeath: () => void,
  ): Promise<SandboxChild | null> {
    if (closing.aborted) return null;
    const child = new SandboxChild(launch, maxOutput, () => {
      closing.removeEventListener('abort', close);
      onDeath();
    });
    const close = (): void => child.kill();
    closing.addEventListener('abort', close);
    const { pid } = child.#process;
    if (pid !== undefined) retire(pid);
    const isUp = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), START_TIME);
      child.#started = (up) => {
        clearTimeout(timer);
        resolve(up);
      };
    });
    child.#started = null;
    if (isUp) return child;
    child.kill();
    return null;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }
  get isAlive(): boolean {
    return !this.#dead;
  }
  /** It was put behind everything else, for good: only those who may do more can take that back. */
  get isLast(): boolean {
    return this.#isLast;
  }
  /** Calls that it has served. */
  get calls(): number {
    return this.#calls;
  }

  /** One call at a time. Never rejects. */
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
    const id = ++this.#calls;
    return new Promise((resolve) => {
      if (this.#dead) return resolve({ kind: 'lost', why: 'crashed' });
      const timer = setTimeout(() => {
        this.#end({ kind: 'lost', why: 'late' });
        this.kill();
      }, request.timeout + GRACE);
      const long = setTimeout(() => {
        this.#isLast = true;
        if (this.pid !== undefined) putLast(this.pid);
      }, LONG);
      this.#call = {
        id,
        end(reply) {
          clearTimeout(timer);
          clearTimeout(long);
          resolve(reply);
        },
      };
      this.#process.stdin.write(encodeFrame({ ...request, id, owner: this.#owner }, texts));
    });
  }

  /** Ends it at once, whatever it does. */
  kill(): void {
    this.#process.kill('SIGKILL');
    this.#lost();
  }

  #end(reply: Reply): void {
    const call = this.#call;
    this.#call = null;
    call?.end(reply);
  }

  #lost(): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#started?.(false);
    const isMemory = /out of memory|invalid size|allocation failed/i.test(this.#lastWords);
    this.#end({ kind: 'lost', why: isMemory ? 'out_of_memory' : 'crashed' });
    this.#onDeath();
  }

  #read(piece: Buffer): void {
    if (this.#dead) return;
    try {
      for (const frame of this.#reader.push(piece)) this.#take(frame);
    } catch {
      // Whatever it is by now, it is not our program.
      this.kill();
    }
  }

  #take(frame: Frame): void {
    const { answer, text } = readAnswer(frame);
    if (answer.kind === 'ready') {
      if (this.#started === null) throw new Error('A process that starts twice');
      this.#started(true);
      return;
    }
    if (this.#call?.id !== answer.id) throw new Error('An answer to a call that was not made');
    this.#end({ kind: 'answer', answer, text });
  }
}
