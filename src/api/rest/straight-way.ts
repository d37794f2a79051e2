import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { hostFault } from './sockets.ts';

/** Bodies (bytes) from here on are the framework's to read: it counts how much of them is in memory. */
const SMALL = 16 * 1024;
const NOTHING = Buffer.alloc(0);

export type StraightCall = { url: string; headers: IncomingHttpHeaders; body: Buffer };
/** `body` is undefined where the status has none. Header names in lower case. */
export type StraightAnswer = { status: number; headers: Record<string, string>; body: string | undefined };

export type StraightWay = {
  /** From now on `serve` answers plain calls below `prefix`, such as `/v1/webhooks/`; when it fails, the framework answers. */
  open(prefix: string, serve: (call: StraightCall) => Promise<StraightAnswer>): void;
  /** What `serve` failed with, of a request that came to the framework for its answer; undefined: it did not. */
  failureOf(request: IncomingMessage): { error: unknown } | undefined;
  /** ms that a request had taken before it came to the framework for its answer. */
  spentBefore(request: IncomingMessage): number;
};

type Failed = { error: unknown; ms: number };

/**
 * The way past the framework, for the one route that is called thousands of times a second: of a short webhook, routing, hooks
 * and objects for a request and its reply cost a tenth. It takes what needs none of them: a `POST` with a small body of known
 * length, not from a page of another origin, while the service is not about to end. All else goes to the framework, and so does
 * what failed: how an error is answered is said in one place.
 */
export function createStraightWay(
  app: FastifyInstance,
  options: {
    /** What every answer carries, with an id for the request. */
    standingHeaders(): Record<string, string>;
    isLeaving(): boolean;
    /** Whether the host that a request names is one on which the route is served. */
    isServedHere(request: IncomingMessage, route: string): boolean;
    answered(route: string, status: number, ms: number): void;
  },
): StraightWay {
  const failed = new WeakMap<IncomingMessage, Failed>();

  return {
    open(prefix, serve) {
      const [toFramework] = app.server.listeners('request') as [
        (request: IncomingMessage, response: ServerResponse) => void,
      ];
      const route = `${prefix}*`;
      app.server.removeListener('request', toFramework);
      app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        const url = request.url ?? '';
        const isTaken = url.startsWith(prefix) && isPlain(request) && options.isServedHere(request, route);
        if (!isTaken || options.isLeaving()) {
          toFramework.call(app.server, request, response);
          return;
        }
        const began = performance.now();
        const answer = ({ status, headers, body }: StraightAnswer): void => {
          response.writeHead(status, Object.assign(options.standingHeaders(), headers));
          response.end(body);
          options.answered(route, status, performance.now() - began);
        };
        whole(request, (body) => {
          serve({ url, headers: request.headers, body })
            .then(answer)
            .catch((error: unknown) => {
              failed.set(request, { error, ms: performance.now() - began });
              toFramework.call(app.server, request, response);
            });
        });
      });
    },
    failureOf: (request) => failed.get(request),
    spentBefore: (request) => failed.get(request)?.ms ?? 0,
  };
}

function isPlain(request: IncomingMessage): boolean {
  const { method, headers } = request;
  if (method !== 'POST' || headers.origin !== undefined || headers['transfer-encoding'] !== undefined)
    return false;
  return Number(headers['content-length'] ?? Infinity) < SMALL && hostFault(request) === null;
}

/** Of a client that leaves in the middle nothing is heard any more, and nobody waits for an answer. */
function whole(request: IncomingMessage, done: (body: Buffer) => void): void {
  let body: Buffer = NOTHING;
  request.on('data', (chunk: Buffer) => {
    body = body.length === 0 ? chunk : Buffer.concat([body, chunk]);
  });
  request.on('end', () => done(body));
}
