import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { WeftError, validationError } from '../../contract/errors.ts';
import type { Ids } from '../../ports/ids.ts';
import { errorBody } from './errors.ts';

/** ms for the headers, and for the whole request with its body: a client that trickles bytes holds nothing for long. */
const HEADERS_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 60_000;
/** ms that an idle connection stays open: longer than the usual 60 s of proxies, so that they are the ones to close. */
const KEEP_ALIVE = 65_000;
const CHECK_INTERVAL = 2_000;
const MAX_CONNECTIONS = 10_000;
/** Bytes of a refused request that are looked at. */
const MAX_REQUEST_LINE = 4_096;

/** Connections that are closed once their last whole request is answered. */
const refused = new WeakSet<Socket>();

/** Time-outs, and an answer in our form to what is not HTTP. */
export function socketOptions(version: string, ids: Ids) {
  return {
    keepAliveTimeout: KEEP_ALIVE,
    requestTimeout: REQUEST_TIMEOUT,
    http: {
      headersTimeout: HEADERS_TIMEOUT,
      connectionsCheckingInterval: CHECK_INTERVAL,
      // Refused in our own form by `guardSockets`.
      requireHostHeader: false,
      shouldUpgradeCallback: asksForWebSocket,
    },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket): void => {
      if (error.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy();
        return;
      }
      // Whatever still comes there is a fault again.
      if (refused.has(socket)) return;
      refused.add(socket);
      // What came whole before the fault on the same connection gets its own answer first.
      const refuse = (): void => {
        const before = underWay(socket);
        if (before?.req.complete === true) before.once('close', refuse);
        else if (socket.writable) socket.end(refusal(explain(error), version, ids));
      };
      refuse();
    },
  };
}

/**
 * The answer that Node is at on a connection, if any. Node tells it nowhere else; to note each request as it comes would keep
 * the last one of every connection alive, and cost all requests for the sake of those that are no HTTP.
 */
function underWay(socket: Socket): ServerResponse | null {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? null;
}

/** Whether a request asks for a WebSocket. Any other `Upgrade` (h2c) is served as if it were not there, as HTTP allows. */
function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** A whole answer as text, for where no request exists that could be answered. */
export function refusal(error: WeftError, version: string, ids: Ids): string {
  const body = JSON.stringify(errorBody(error));
  const retryAfter = error.details['retry_after'];
  const retry = typeof retryAfter === 'number' ? `Retry-After: ${retryAfter}\r\n` : '';
  return (
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\nX-Request-Id: ${ids.next('request')}\r\nWeft-Version: ${version}\r\n` +
    `${retry}Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  );
}

function unknownMethod(method: string): WeftError {
  return new WeftError('NOT_FOUND', `There is no ${method} at this path.`);
}

function explain(error: NodeJS.ErrnoException): WeftError {
  const { code } = error;
  if (code === 'HPE_INVALID_METHOD') {
    // A method that Node has never heard of is unknown like any other; bytes that are no request line are no HTTP.
    const line = faultyLine(error);
    const [, method] = /^([A-Za-z][\w-]{0,31}) \S+ HTTP\/1\.[01]\r\n/.exec(line) ?? [];
    if (method !== undefined) return unknownMethod(method);
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new WeftError('PAYLOAD_TOO_LARGE', 'The headers are larger than 16384 bytes.', { limit: 16_384 });
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return validationError([{ field: 'request', issue: 'did not arrive in time' }]);
  }
  return validationError([{ field: 'request', issue: 'is not valid HTTP' }]);
}

/** From where the request begins that could not be read: whole ones may stand before it. */
function faultyLine(error: Error): string {
  const { rawPacket: packet, bytesParsed } = error as { rawPacket?: unknown; bytesParsed?: unknown };
  if (!Buffer.isBuffer(packet)) return '';
  const fault = typeof bytesParsed === 'number' ? bytesParsed : 0;
  const start = fault === 0 ? 0 : packet.lastIndexOf('\n', fault - 1) + 1;
  return packet.toString('latin1', start, start + MAX_REQUEST_LINE);
}

/** What the options cannot say: the cap on connections, and requests that Node would answer with a status of its own. */
export function limitConnections(app: FastifyInstance, version: string, ids: Ids): void {
  app.server.maxConnections = MAX_CONNECTIONS;
  // Node answers 417 to an Expect other than 100-continue; it is served as if it were not there.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // Without a listener Node closes the connection of a CONNECT without a word.
  app.server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(refusal(unknownMethod('CONNECT'), version, ids));
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const issue = findHostError(request.raw);
    done(issue === null ? undefined : validationError([{ field: 'host', issue }]));
  });
  endUnused(app);
}

/** Of two hosts a proxy may have taken the other one. */
export function findHostError({
  rawHeaders,
  httpVersionMajor,
  httpVersionMinor,
}: IncomingMessage): string | null {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) return 'is given more than once';
  if (httpVersionMajor !== 1) return 'cannot be told: the version must be HTTP/1.1';
  return hosts === 0 && httpVersionMinor === 1 ? 'is required in HTTP/1.1' : null;
}

/** A connection that a client opened ahead of any request is not idle to Node: a drain would wait for it to the end of its grace. */
function endUnused(app: FastifyInstance): void {
  const open = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', (done) => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    done();
  });
}
