import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { isObject, type Json } from '../../lib/json/json.ts';
import { encodeFrame, FrameError, FrameReader, type Frame } from '../sandbox/message-framing.ts';
import type { Launch } from '../sandbox/isolation-launcher.ts';
import { PackGate } from './pack-gate.ts';
import { MAX_PACK_HEADER, MAX_PACK_MESSAGE, RESPONSE_PIPE, type PackRequest } from './pack-messages.ts';

/** The result of a call. `lost`: the process ended, broke the protocol, or was killed. */
export type PackReply =
  | { kind: 'done'; text: string }
  | { kind: 'failed'; message: string; status: number | null; body: Json }
  | { kind: 'lost'; why: 'out_of_memory' | 'crashed' };

type Distribute<T> = T extends unknown ? Omit<T, 'id'> : never;
export type PackCallRequest = Distribute<PackRequest>;

/** Time for a process to start on a busy machine. One that cannot start ends at once. */
const START_TIMEOUT_MS = 30_000;
/** Characters that are kept of what a process prints during a call. */
const MAX_PRINTED = 64 * 1024;

/** The process of one pack as seen from the service. On any violation of the protocol it is killed. */
export class PackChild {
  readonly gate: PackGate;
  readonly #process: ChildProcess;
  readonly #reader: FrameReader;
  readonly #onDeath: () => void;
  #printed = '';
  #started: ((isUp: boolean) => void) | null = null;
  #call: { id: number; end(reply: PackReply): void } | null = null;
  #calls = 0;
  #dead = false;

  private constructor(launch: Launch, gate: PackGate, maxOutput: number, onDeath: () => void) {
    this.gate = gate;
    this.#onDeath = onDeath;
    this.#reader = new FrameReader(MAX_PACK_HEADER + maxOutput);
    this.#process = spawn(launch.command, launch.args, {
      env: {},
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      // A process group of its own: the pack cannot signal the service's, and all of it is killed at once.
      detached: true,
    });
    const { stdin, stdout, stderr } = this.#process;
    const responses = this.#process.stdio[RESPONSE_PIPE] as Readable;
    this.#process.on('error', () => this.#lost());
    // Not `exit`: the last output may still be buffered.
    this.#process.on('close', () => this.#lost());
    stdin!.on('error', () => this.kill());
    for (const printed of [stdout!, stderr!])
      printed
        .on('error', () => {})
        .on('data', (piece: Buffer) => {
          const left = MAX_PRINTED - this.#printed.length;
          if (left > 0) this.#printed += piece.toString('utf8').slice(0, left);
        });
    responses.on('error', () => this.kill());
    responses.on('data', (piece: Buffer) => this.#read(piece));
  }

  /** Starts a process; null if it does not start. `onDeath` is called once when it has ended. */
  static async start(launch: Launch, maxOutput: number, onDeath: () => void): Promise<PackChild | null> {
    const child = new PackChild(launch, await PackGate.open(), maxOutput, onDeath);
    const isUp = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), START_TIMEOUT_MS);
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

  /** Evaluates the source of the pack. */
  load(source: string, authorities: readonly string[]): Promise<PackReply> {
    const { path, token } = this.gate;
    return this.call({ kind: 'load', gate: path, token, authorities }, source);
  }

  /** Runs one call at a time. Never rejects. */
  call(request: PackCallRequest, text: string): Promise<PackReply> {
    const id = ++this.#calls;
    return new Promise((resolve) => {
      if (this.#dead) return resolve({ kind: 'lost', why: 'crashed' });
      this.#call = { id, end: resolve };
      (this.#process.stdin as Writable).write(encodeFrame({ ...request, id }, [text]));
    });
  }

  /** Returns what the process printed since the last call of this function. */
  takePrinted(): string {
    const printed = this.#printed;
    this.#printed = '';
    return printed;
  }

  /** Kills the process and everything that it may have started, immediately. */
  kill(): void {
    try {
      if (this.#process.pid !== undefined) process.kill(-this.#process.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
    this.#lost();
  }

  #end(reply: PackReply): void {
    const call = this.#call;
    this.#call = null;
    call?.end(reply);
  }

  #lost(): void {
    if (this.#dead) return;
    this.#dead = true;
    this.gate.close();
    this.#started?.(false);
    const isMemory = /out of memory|invalid size|allocation failed/i.test(this.#printed);
    this.#end({ kind: 'lost', why: isMemory ? 'out_of_memory' : 'crashed' });
    this.#onDeath();
  }

  #read(piece: Buffer): void {
    if (this.#dead) return;
    try {
      for (const frame of this.#reader.push(piece)) this.#take(frame);
    } catch {
      // The process violated the protocol, so it is not trusted any more.
      this.kill();
    }
  }

  /** @throws {FrameError} for a response that has another form or belongs to no call. */
  #take({ header, texts: [text = ''] }: Frame): void {
    if (!isObject(header)) throw new FrameError('The response is not an object');
    const { kind, id, message, status, body } = header as Record<string, Json>;
    if (kind === 'ready' && this.#started !== null) return this.#started(true);
    if (this.#call === null || this.#call.id !== id)
      throw new FrameError('The response does not belong to the current call');
    if (kind === 'done') return this.#end({ kind, text });
    if (kind !== 'failed' || typeof message !== 'string')
      throw new FrameError('The response has an unknown kind');
    const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 100 && status < 600;
    this.#end({
      kind,
      message: message.slice(0, MAX_PACK_MESSAGE),
      status: isStatus ? status : null,
      body: body ?? null,
    });
  }
}
