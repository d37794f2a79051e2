import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { WebSocketServer } from 'ws';
import { WeftError, validationError } from '../../contract/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import { limits } from '../../ports/limits.ts';
import { refusal } from '../http/connection-limits.ts';
import type { HostCheck } from '../http/host-check.ts';
import { createAddressReader } from './client-address.ts';
import { createConnectionRegistry } from './connection-registry.ts';
import { createConnectionLimits, full, type ConnectionLimits } from './connection-limits.ts';
import type { SocketApi, SocketApis } from './socket-plugin.ts';

/** ms that a peer gets to answer a close, and to read a refusal. */
const CLOSE_TIMEOUT = 3_000;
/** Pieces of one message that wait for its rest: each costs memory of its own, however small. */
const MAX_PIECES = 1_024;

/**
 * Hands each WebSocket to the door of its path, and refuses all others with an answer in our form. Pages of any origin
 * may open a socket and send a token; whether the session cookie of the upgrade counts, `session-cookie.ts` decides by `Origin`.
 */
export function guardUpgrades(
  app: FastifyInstance,
  options: {
    readonly doors: SocketApis;
    readonly trustProxy: readonly string[];
    readonly version: string;
    readonly clock: Clock;
    readonly ids: Ids;
    readonly caps?: ConnectionLimits;
    readonly hosts: HostCheck | null;
  },
): void {
  const { version, clock, ids } = options;
  const caps = options.caps ?? createConnectionLimits();
  const open = createConnectionRegistry(clock);
  const addressOf = createAddressReader(options.trustProxy);
  const doors = new Map(
    Object.entries(options.doors).map(([path, door]) => [path, { door, server: serverOf(door) }]),
  );
  let draining = false;

  function refuse(socket: Duplex, error: WeftError): void {
    socket.resume();
    socket.once('finish', () => clock.after(CLOSE_TIMEOUT, () => socket.destroy()));
    socket.end(refusal(error, version, ids));
  }
  for (const { server } of doors.values()) {
    server.on('headers', (headers) => {
      headers.push(`X-Request-Id: ${ids.next('request')}`, `Weft-Version: ${version}`);
    });
    server.on('wsClientError', (error, socket) =>
      refuse(
        socket,
        validationError([{ field: 'upgrade', issue: `is no WebSocket handshake: ${error.message}` }]),
      ),
    );
  }

  app.server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    // Of a socket that fails nothing is left to do: it is destroyed by itself, and `close` follows.
    stream.on('error', () => {});
    const entry = doors.get((request.url ?? '').split('?', 1)[0] ?? '');
    const refusal = options.hosts?.refusal(request, undefined) ?? null;
    if (entry === undefined || refusal !== null) {
      refuse(stream, refusal ?? new WeftError('NOT_FOUND', 'There is no WebSocket at this path.'));
      return;
    }
    if (stream.destroyed) return;
    try {
      if (draining) throw full('The service is stopping.', 0);
      const address = addressOf(request);
      const place = caps.enter(address);
      stream.once('close', () => place.leave());
      entry.server.handleUpgrade(request, stream, head, (socket) => {
        open.add(socket);
        // The library closes the socket after an error of the protocol, with the code that says which.
        socket.on('error', () => {});
        entry.door.accept(socket, { request, address, stream, proved: (userId) => place.proved(userId) });
      });
    } catch (error) {
      if (!(error instanceof WeftError)) app.log.error({ err: error }, 'an upgrade failed');
      refuse(stream, error instanceof WeftError ? error : new WeftError('INTERNAL_ERROR'));
    }
  });
  app.addHook('preClose', (done) => {
    draining = true;
    open.closeAll();
    done();
  });
}

/** Options that the types of the library do not know yet. */
const newerOptions = { maxBufferedChunks: MAX_PIECES, maxFragments: MAX_PIECES, closeTimeout: CLOSE_TIMEOUT };

function serverOf({ protocols }: SocketApi): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // A compressed message has no size that a bound could hold to, and each socket would keep a window for it.
    perMessageDeflate: false,
    maxPayload: limits.socketMessage,
    ...newerOptions,
    handleProtocols: (offered) => protocols.find((name) => offered.has(name)) ?? false,
  });
}
