import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, isIP, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { HttpFailure, type NodeFailure } from '../../contract/node-type.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import type { OpenConnection } from '../../ports/pack-runner.ts';
import { PROXY_PREFIX_BYTES, MAX_PROXY_HEADER_BYTES } from './pack-messages.ts';

/** Connections of one process that may be open at once. */
const MAX_CONNECTIONS = 64;
/** Connections of one call, and of the time until the next one. */
export const MAX_CONNECTIONS_PER_CALL = 10_000;
/** ms for the head of a connection. */
const HEAD_TIMEOUT_MS = 10_000;
/** A name without any character that has a meaning elsewhere (RFC 1123, with the underscores in use). */
const HOST_NAME =
  /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/;

type Current = { open: OpenConnection; signal: AbortSignal; opened: number; refusal: NodeFailure | null };

/**
 * The Unix socket through which the process of a pack opens connections: the only way out of it. Connections
 * are opened while a call runs, with the rights of that call, and end with it.
 */
export class PackProxy {
  readonly path: string;
  readonly token = randomUUID();
  readonly #folder: string;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #onFlood: () => void;
  #current: Current | null = null;
  #accepted = 0;

  private constructor(onFlood: () => void) {
    this.#onFlood = onFlood;
    this.#folder = mkdtempSync(path.join(tmpdir(), 'weft-pack-'));
    // The process has another user. The name cannot be listed by it.
    chmodSync(this.#folder, 0o711);
    this.path = path.join(this.#folder, randomUUID());
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** `onFlood` is called when a call opens too many connections, which would occupy the service. */
  static async open(onFlood: () => void): Promise<PackProxy> {
    const proxy = new PackProxy(onFlood);
    try {
      await new Promise<void>((resolve, reject) => {
        proxy.#server.once('error', reject).listen(proxy.path, resolve);
      });
      chmodSync(proxy.path, 0o666);
    } catch (error) {
      proxy.close();
      throw error;
    }
    proxy.#server.unref();
    return proxy;
  }

  /**
   * Opens connections for a call. The returned function ends them: it returns their number, and why the first
   * refused one was refused.
   */
  allow(open: OpenConnection, signal: AbortSignal): () => { opened: number; refusal: NodeFailure | null } {
    const current: Current = { open, signal, opened: 0, refusal: null };
    this.#current = current;
    this.#accepted = 0;
    return () => {
      this.#current = null;
      for (const socket of this.#sockets) socket.destroy();
      return { opened: current.opened, refusal: current.refusal };
    };
  }

  close(): void {
    this.#current = null;
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #accept(socket: Socket): void {
    this.#hold(socket);
    if (++this.#accepted > MAX_CONNECTIONS_PER_CALL) return this.#onFlood();
    const current = this.#current;
    if (current === null) return void socket.destroy();
    const timer = setTimeout(() => socket.destroy(), HEAD_TIMEOUT_MS);
    socket.once('close', () => clearTimeout(timer));
    let held = Buffer.alloc(0);
    const read = (piece: Buffer): void => {
      held = Buffer.concat([held, piece]);
      if (held.length < PROXY_PREFIX_BYTES) return;
      const end = PROXY_PREFIX_BYTES + held.readUInt16BE(0);
      if (end > PROXY_PREFIX_BYTES + MAX_PROXY_HEADER_BYTES) return void socket.destroy();
      if (held.length < end) return;
      clearTimeout(timer);
      socket.off('data', read).pause();
      void this.#join(socket, current, held.subarray(PROXY_PREFIX_BYTES, end), held.subarray(end));
    };
    socket.on('data', read);
  }

  async #join(socket: Socket, current: Current, head: Buffer, early: Buffer): Promise<void> {
    try {
      const to = readHead(head, this.token);
      const outer = await current.open(to, current.signal);
      current.opened++;
      this.#hold(outer);
      if (socket.destroyed || this.#current !== current) return void outer.destroy();
      socket.once('close', () => outer.destroy());
      outer.once('close', () => socket.destroySoon());
      if (early.length > 0) outer.write(early);
      socket.pipe(outer);
      outer.pipe(socket);
    } catch (error) {
      if (error instanceof HttpFailure) current.refusal ??= error.failure;
      socket.destroy();
    }
  }

  #hold(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => this.#sockets.delete(socket));
  }
}

/** @throws {HttpFailure} */
function readHead(bytes: Buffer, token: string): { host: string; port: number } {
  let head: Json;
  try {
    head = JSON.parse(bytes.toString('utf8')) as Json;
  } catch {
    throw refuse('The pack requested a connection in an unknown form');
  }
  if (!isObject(head) || head['token'] !== token)
    throw refuse('The pack requested a connection without its token');
  const { host, port } = head;
  if (typeof host !== 'string' || (isIP(host) === 0 && !HOST_NAME.test(host)))
    throw refuse('The pack requested a connection to an invalid host name or IP address');
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw refuse('The pack requested a connection to a port outside of 1 to 65535');
  return { host, port };
}

function refuse(message: string): HttpFailure {
  return new HttpFailure({ type: 'forbidden', message, retryable: false });
}
