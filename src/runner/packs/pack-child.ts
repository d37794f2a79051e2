import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { isObject, type Json } from '../../lib/json/json.ts';
import { ChildConnection, type LostReply } from '../sandbox/child-connection.ts';
import { encodeFrame, FrameError, type Frame } from '../sandbox/message-framing.ts';
import { lowerSessionPriority } from '../sandbox/fair-queue.ts';
import type { Launch } from '../sandbox/isolation-launcher.ts';
import { trySpawn } from '../sandbox/try-spawn.ts';
import { MAX_CONNECTIONS_PER_CALL, PackProxy } from './pack-proxy.ts';
import {
  MAX_PACK_HEADER_BYTES,
  MAX_PACK_MESSAGE_LENGTH,
  RESPONSE_PIPE,
  type PackRequest,
} from './pack-messages.ts';

/** The result of a call. */
export type PackReply =
  | { kind: 'done'; text: string }
  | { kind: 'failed'; message: string; status: number | null; body: Json }
  | LostReply;

type Distribute<T> = T extends unknown ? Omit<T, 'id'> : never;
export type PackCallRequest = Distribute<PackRequest>;

/** Time for a process to start on a busy machine. One that cannot start ends at once. */
const START_TIMEOUT_MS = 30_000;
/** Characters that are kept of what a process prints during a call. */
const MAX_PRINTED_LENGTH = 64 * 1024;
/** Bytes that a process may print until its next call. Reading them occupies the service. */
const MAX_PRINTED_BYTES = 64 * 1024 * 1024;

/** The process of one pack as seen from the service. */
export class PackChild extends ChildConnection<PackReply> {
  readonly proxy: PackProxy;
  readonly #process: ChildProcess;
  #printed = '';
  #printedBytes = 0;

  private constructor(started: ChildProcess, proxy: PackProxy, maxOutput: number, onDeath: () => void) {
    super(MAX_PACK_HEADER_BYTES + maxOutput, () => {
      proxy.close();
      onDeath();
    });
    this.proxy = proxy;
    this.#process = started;
    const { stdin, stdout, stderr } = this.#process;
    const responses = this.#process.stdio[RESPONSE_PIPE] as Readable;
    this.#process.on('error', () => this.lost(this.#printed));
    // Not `exit`: the last output may still be buffered.
    this.#process.on('close', () => this.lost(this.#printed));
    stdin!.on('error', () => this.kill());
    for (const printed of [stdout!, stderr!])
      printed
        .on('error', () => {})
        .on('data', (piece: Buffer) => {
          const left = MAX_PRINTED_LENGTH - this.#printed.length;
          if (left > 0) this.#printed += piece.toString('utf8').slice(0, left);
          this.#printedBytes += piece.length;
          if (this.#printedBytes > MAX_PRINTED_BYTES)
            this.#end(`The pack printed more than ${MAX_PRINTED_BYTES} bytes`);
        });
    responses.on('error', () => this.kill());
    responses.on('data', (piece: Buffer) => this.read(piece));
  }

  /** Starts a process; null if it does not start. `onDeath` is called once when it has ended. */
  static async start(launch: Launch, maxOutput: number, onDeath: () => void): Promise<PackChild | null> {
    let onFlood = (): void => {};
    const proxy = await PackProxy.open(() => onFlood());
    const started = trySpawn(launch, {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      // A process group of its own: the pack cannot signal the service's, and all of it is killed at once.
      detached: true,
    });
    if (started === null) {
      proxy.close();
      return null;
    }
    if (started.pid !== undefined) lowerSessionPriority(started.pid);
    const child = new PackChild(started, proxy, maxOutput, onDeath);
    onFlood = () => child.#end(`The pack opened more than ${MAX_CONNECTIONS_PER_CALL} connections`);
    return (await child.waitForStart(START_TIMEOUT_MS)) ? child : null;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Evaluates the source of the pack. */
  load(source: string, authorities: readonly string[]): Promise<PackReply> {
    const { path, token } = this.proxy;
    return this.call({ kind: 'load', proxyPath: path, token, authorities }, source);
  }

  /** Runs one call at a time. Never rejects. */
  call(request: PackCallRequest, text: string): Promise<PackReply> {
    return new Promise((resolve) => {
      if (!this.isAlive) return resolve({ kind: 'lost', why: 'crashed' });
      const id = this.beginCall(resolve);
      this.#printedBytes = 0;
      (this.#process.stdin as Writable).write(encodeFrame({ ...request, id }, [text]));
    });
  }

  /** Returns what the process printed since the last call of this function. */
  takePrinted(): string {
    const printed = this.#printed;
    this.#printed = '';
    return printed;
  }

  /** Fails the call, if one runs, and kills the process. */
  #end(message: string): void {
    this.endCall({ kind: 'failed', message, status: null, body: null });
    this.kill();
  }

  /** Kills the process and everything that it may have started, immediately. */
  kill(): void {
    try {
      if (this.#process.pid !== undefined) process.kill(-this.#process.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
    this.lost(this.#printed);
  }

  /** @throws {FrameError} for a response that has another form or belongs to no call. */
  protected handleFrame({ header, texts: [text = ''] }: Frame): void {
    if (!isObject(header)) throw new FrameError('The response is not an object');
    const { kind, id, message, status, body } = header as Record<string, Json>;
    if (kind === 'ready') return this.started();
    this.requireCurrent(id);
    if (kind === 'done') return this.endCall({ kind, text });
    if (kind !== 'failed' || typeof message !== 'string')
      throw new FrameError('The response has an unknown kind');
    const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 100 && status < 600;
    this.endCall({
      kind,
      message: message.slice(0, MAX_PACK_MESSAGE_LENGTH),
      status: isStatus ? status : null,
      body: body ?? null,
    });
  }
}
