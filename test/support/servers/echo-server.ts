import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { afterEach } from 'vitest';
import { createUnauthorizedError } from '../../../src/auth/authenticate.ts';
import { validate } from '../../../src/contract/validate.ts';
import { createConflictError } from '../../../src/contract/errors.ts';
import type { Principal } from '../../../src/contract/principal.ts';
import { createTimeOrderedIds } from '../../../src/lib/ids.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { idPrefixes, type Ids } from '../../../src/ports/ids.ts';
import { createUnstoredRateLimit } from '../rate-limit.ts';
import { createAdmission } from '../../../src/api/http/admission.ts';
import { createLog } from '../../../src/api/http/log.ts';
import type { EventSink, Route } from '../../../src/api/rest/route.ts';
import { createServer, drainServer, type ServerOptions } from '../../../src/api/http/server.ts';

export const clock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
  soon: (run) => void setImmediate(run),
};
const nextId = createTimeOrderedIds(
  () => clock.now(),
  (bytes) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
);
const ids: Ids = { next: (kind) => `${idPrefixes[kind]}_${nextId()}` };

const alice: Principal = {
  userId: 'usr_alice',
  role: 'member',
  plan: 'standard',
  scopes: null,
  via: 'session',
  sessionId: 's',
};
const Echo = Type.Object(
  { a: Type.Optional(Type.Unknown()), deep: Type.Optional(Type.Unknown()) },
  { additionalProperties: false },
);
export type EchoServers = {
  /** A server with the routes below. It is drained after the test. */
  readonly server: (
    change?: Partial<ServerOptions>,
    config?: Partial<ServerOptions['config']>,
  ) => FastifyInstance;
  /** The log of this test. */
  readonly lines: string[];
  readonly routes: readonly Route[];
  /** The streams that `/events` opened, oldest first. */
  readonly sinks: EventSink[];
  /** Ends the pending request to `/slow`; null when there is none. */
  readonly release: () => (() => void) | null;
};

/** Servers whose routes return what they received. Call it once in a test file. */
export function createEchoServers(): EchoServers {
  const lines: string[] = [];
  const open: FastifyInstance[] = [];
  const sinks: EventSink[] = [];
  let release: (() => void) | null = null;
  const routes = createRoutes({ sinks, slow: (end) => (release = end) });
  afterEach(async () => {
    lines.length = 0;
    for (const app of open.splice(0)) await drainServer(app, clock, 100);
  });

  function server(change: Partial<ServerOptions> = {}, config: Partial<ServerOptions['config']> = {}) {
    const app = createServer({
      config: { version: '9.8.7', corsOrigins: [], trustProxy: [], ...config },
      admission: createAdmission(
        ({ authorization }) => {
          if (authorization === 'Bearer good') return alice;
          throw createUnauthorizedError('No.');
        },
        createUnstoredRateLimit({ standard: 1000, pro: null, enterprise: null }, clock),
        { read: () => undefined },
      ),
      routes,
      log: createLog('info', { write: (line: string) => void lines.push(line) }),
      clock,
      ids,
      ...change,
    });
    open.push(app);
    return app;
  }

  return { server, lines, routes, sinks, release: () => release };
}

function createRoutes(seen: { sinks: EventSink[]; slow(end: () => void): void }): Route[] {
  return [
    {
      method: 'POST',
      path: '/echo',
      operation: 'echo',
      status: 201,
      scope: 'public',
      summary: 'Gives the body back.',
      response: Type.Unknown(),
      body: Type.Unknown(),
      handle: (ctx) => ({ body: validate(Echo, ctx.body) }),
    },
    {
      method: 'GET',
      path: '/things/{id}',
      operation: 'getThing',
      status: 200,
      scope: 'public',
      summary: 'Gives path and query back.',
      response: Type.Unknown(),
      query: Type.Object({ page: Type.Integer(), name: Type.String(), flag: Type.Boolean() }),
      handle: (ctx) => ({
        id: ctx.params['id'],
        query: ctx.query,
        ip: ctx.origin.address,
        request: ctx.requestId,
      }),
    },
    {
      method: 'POST',
      path: '/ping',
      operation: 'ping',
      status: 200,
      scope: 'any',
      summary: 'Takes no body.',
      response: Type.Unknown(),
      handle: () => ({ pong: true }),
    },
    {
      method: 'GET',
      path: '/broken',
      operation: 'breakDown',
      status: 200,
      scope: 'public',
      summary: 'Fails.',
      response: Type.Unknown(),
      handle: () => {
        throw new Error('SELECT password FROM /etc/shadow');
      },
    },
    {
      method: 'GET',
      path: '/conflict',
      operation: 'getConflict',
      status: 200,
      scope: 'public',
      summary: 'Conflicts.',
      response: Type.Unknown(),
      handle: () => {
        throw createConflictError('Taken.', { endpoint: 'x' });
      },
    },
    {
      method: 'GET',
      path: '/slow',
      operation: 'getSlow',
      status: 200,
      scope: 'public',
      summary: 'Waits until it is released.',
      response: Type.Unknown(),
      handle: () => new Promise((resolve) => seen.slow(() => resolve({ done: true }))),
    },
    {
      method: 'GET',
      path: '/events',
      operation: 'followEvents',
      status: 200,
      scope: 'any',
      summary: 'A stream.',
      response: Type.Unknown(),
      handle: (ctx) =>
        ctx.stream((sink) => {
          seen.sinks.push(sink);
          sink.send({ n: 1 }, 'first', '0');
          sink.send({ n: 2 });
        }),
    },
  ];
}

export async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

/** Sends bytes unchanged and reads until the other side closes the connection, or `enough` returns true. */
export async function sendRaw(port: number, text: string, enough?: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let response = '';
  socket.on('data', (data) => {
    response += data.toString();
    if (enough !== undefined && response.includes(enough)) socket.destroy();
  });
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  return response;
}

export const json = { 'content-type': 'application/json' };
