import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { WeftError, createValidationError } from '../../contract/errors.ts';
import type { Ids } from '../../ports/ids.ts';
import { createErrorBody } from './errors.ts';

/**
 * Time for the headers and for the whole request with its body, so that slow clients do not hold connections.
 */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
/**
 * How long an idle connection stays open: longer than the usual 60 s of proxies, so that the proxy closes it
 * first.
 */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const CHECK_INTERVAL_MS = 2_000;
const MAX_CONNECTIONS = 10_000;
/** Bytes of a rejected request that are searched for a request line. */
const MAX_REQUEST_LINE_BYTES = 4_096;

/** Connections that are closed after the response to their last complete request. */
const rejectedSockets = new WeakSet<Socket>();

/** Time-outs, and an error response of the API for bytes that are not HTTP. */
export function createSocketOptions(version: string, ids: Ids) {
  return {
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      // `limitConnections` rejects a missing host with an error response of the API.
      requireHostHeader: false,
      shouldUpgradeCallback: isWebSocketUpgrade,
    },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket): void => {
      if (error.code === 'ECONNRESET' || !socket.writable || isUnused(error, socket)) {
        socket.destroy();
        return;
      }
      // The rest of a rejected request causes another parse error.
      if (rejectedSockets.has(socket)) return;
      rejectedSockets.add(socket);
      // Complete requests that arrived earlier on the same connection get their responses first.
      const refuse = (): void => {
        const before = findCurrentResponse(socket);
        if (before?.req.complete === true) before.once('close', refuse);
        else if (socket.writable) socket.end(formatRefusal(convertParseError(error), version, ids));
      };
      refuse();
    },
  };
}

/**
 * Whether a connection timed out before any request. Browsers open such connections in advance, and would
 * take a response for the one to the request that they send at that moment.
 */
function isUnused({ code }: NodeJS.ErrnoException, { bytesRead }: Socket): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && bytesRead === 0;
}

/**
 * The response that is in progress on a connection, if any. Node exposes it nowhere else; tracking it for
 * each request would keep the last request of every connection in memory.
 */
function findCurrentResponse(socket: Socket): ServerResponse | null {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? null;
}

/** Whether a request asks for a WebSocket. Any other `Upgrade` (h2c) is ignored, as HTTP allows. */
function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** A complete error response as text, for connections without a parsed request. */
export function formatRefusal(error: WeftError, version: string, ids: Ids): string {
  const body = JSON.stringify(createErrorBody(error));
  const retryAfter = error.details['retry_after'];
  const retry = typeof retryAfter === 'number' ? `Retry-After: ${retryAfter}\r\n` : '';
  return (
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\nX-Request-Id: ${ids.next('request')}\r\nWeft-Version: ${version}\r\n` +
    `${retry}Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  );
}

function createMethodError(method: string): WeftError {
  return new WeftError('NOT_FOUND', `This path does not exist or does not support ${method}.`);
}

function convertParseError(error: NodeJS.ErrnoException): WeftError {
  const { code } = error;
  if (code === 'HPE_INVALID_METHOD') {
    // A method that Node does not know is NOT_FOUND like any other; bytes without a request line are not
    // HTTP.
    const line = readFailedLine(error);
    const [, method] = /^([A-Za-z][\w-]{0,31}) \S+ HTTP\/1\.[01]\r\n/.exec(line) ?? [];
    if (method !== undefined) return createMethodError(method);
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new WeftError('PAYLOAD_TOO_LARGE', 'The headers are larger than 16384 bytes.', { limit: 16_384 });
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return createValidationError([{ field: 'request', issue: 'did not arrive in time' }]);
  }
  return createValidationError([{ field: 'request', issue: 'is not valid HTTP' }]);
}

/** The line that failed to parse. The packet may begin with complete requests. */
function readFailedLine(error: Error): string {
  const { rawPacket: packet, bytesParsed } = error as { rawPacket?: unknown; bytesParsed?: unknown };
  if (!Buffer.isBuffer(packet)) return '';
  const failedAt = typeof bytesParsed === 'number' ? bytesParsed : 0;
  const start = failedAt === 0 ? 0 : packet.lastIndexOf('\n', failedAt - 1) + 1;
  return packet.toString('latin1', start, start + MAX_REQUEST_LINE_BYTES);
}

/**
 * Limits the connections, and handles the requests that Node would otherwise reject with a status of its own.
 */
export function limitConnections(app: FastifyInstance, version: string, ids: Ids): void {
  app.server.maxConnections = MAX_CONNECTIONS;
  // Node rejects an Expect other than 100-continue with 417; this ignores the header instead.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // Without a listener, Node closes the connection of a CONNECT without a response.
  app.server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(formatRefusal(createMethodError('CONNECT'), version, ids));
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const issue = findHostError(request.raw);
    done(issue === null ? undefined : createValidationError([{ field: 'host', issue }]));
  });
  closeUnusedConnections(app);
}

/** Duplicate hosts are rejected: a proxy may have routed by the other one. */
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
  if (hosts > 1) return 'must not be repeated';
  if (httpVersionMajor !== 1) return 'cannot be read: the version must be HTTP/1.1';
  return hosts === 0 && httpVersionMinor === 1 ? 'is required in HTTP/1.1' : null;
}

/**
 * Closes connections without any request. Node does not consider them idle, so a drain would wait for them.
 */
function closeUnusedConnections(app: FastifyInstance): void {
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
