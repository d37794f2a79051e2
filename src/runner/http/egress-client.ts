import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import { HttpFailure } from '../../contract/node-type.ts';
import type { FileReference } from '../../contract/byte-source.ts';
import type { HttpHead, HttpRequest, HttpResponse } from '../../contract/node-type.ts';
import type { Clock } from '../../ports/clock.ts';
import { MemoryBudget } from '../../lib/limits/memory-budget.ts';
import type { Reservation } from '../../lib/limits/memory-budget.ts';
import { onAbort } from '../../lib/async/abort.ts';
import { limits } from '../../ports/limits.ts';
import type { CallOutcome, Metrics } from '../../ports/metrics.ts';
import type { AllowedHosts } from '../allowed-hosts.ts';
import { normalizeHost } from '../allowed-hosts.ts';
import { createAddressGuard, createConnector, createAddressError } from './connector.ts';
import type { BodyStream } from './body-stream.ts';
import { ACCEPT_ENCODING, decodeBody, decodeStream } from './content-decoding.ts';
import { sendRequest } from './send-request.ts';
import type { RawRequest } from './send-request.ts';
import { Cancellation } from './cancellation.ts';
import { httpFailure, describeProgress } from './http-failure.ts';
import type { Progress } from './http-failure.ts';
import { isLocalName, parseExceptions, readProxy } from './proxy.ts';
import type { Proxy, ProxySetting } from './proxy.ts';
import { ProxyAgents } from './proxy-agents.ts';
import type { RedirectStep } from './redirect.ts';
import { MAX_REDIRECTS, followRedirect } from './redirect.ts';
import { prepareRequest } from './request-body.ts';
import type { Resolve } from '../dns-resolver.ts';
import { createCachedResolve, resolveBySystem } from '../dns-resolver.ts';
import { watchIdle } from './idle-timeout.ts';
import { connectTcp } from '../tcp-connect.ts';
import { createProxyFailure } from './tunnel.ts';

/** Default timeout of a request including all redirects. */
const DEFAULT_TIMEOUT_MS = 300_000;
/** Maximum number of connections per origin; further requests wait. */
const MAX_CONNECTIONS_PER_ORIGIN = 128;
const MAX_URL_LENGTH = 16_384;
const MAX_CACHED_CHECKS = 1000;
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Throws an HttpFailure to reject a host for this request (secrets bound to hosts). Called for every
 * redirect.
 */
export type HostCheck = (host: string, port: number) => void;

/**
 * Returns where the decoded body is streamed to; null to buffer it. `maxBytes` limits the body. The result
 * becomes the `file` of the response; null: it has none.
 */
export type Receive = (
  head: HttpHead,
) => { maxBytes: number; take(body: AsyncIterable<Uint8Array>): Promise<FileReference | null> } | null;

/**
 * The only way to make outgoing connections, used by nodes, token requests and connectors. Requests use http
 * or https without credentials in the URL, connect only to checked addresses, follow redirects with the same
 * checks, and are limited in size and time. Rejects with HttpFailure only.
 */
export type EgressClient = {
  /**
   * `place`: the memory reservation of a large response until the caller releases it. Without it the memory
   * is released immediately.
   */
  send(
    request: HttpRequest,
    signal: AbortSignal,
    checkHost?: HostCheck,
    receive?: Receive,
    reservation?: Reservation,
  ): Promise<HttpResponse>;
  /**
   * Opens a TCP connection for protocols other than HTTP (SMTP, PostgreSQL) with the same address checks. The
   * caller sets up TLS. The connection is destroyed when `signal` aborts.
   */
  connect(to: { host: string; port: number }, signal: AbortSignal, checkHost?: HostCheck): Promise<Socket>;
  close(): Promise<void>;
};

/** Limits of a request. */
type Bounds = {
  giving: Cancellation;
  progress: Progress;
  place: Reservation;
  moved?: () => void;
  end(): void;
};

export type EgressOptions = {
  clock: Clock;
  allowedHosts: AllowedHosts;
  resolve?: Resolve;
  /** The proxy for all HTTP requests; null for none. */
  proxy?: ProxySetting | null;
  /** Called after every request with its result and duration in ms. */
  called?: Metrics['called'];
  /** The memory budget for large responses. */
  memory?: MemoryBudget;
};

export function createEgressClient({
  clock,
  allowedHosts,
  resolve = resolveBySystem,
  proxy = null,
  called,
  memory = new MemoryBudget(limits.liveValueBytes),
}: EgressOptions): EgressClient {
  const guard = createAddressGuard(allowedHosts);
  const verdicts = new Map<string, boolean>();
  const opening = { guard, resolve: createCachedResolve(resolve, clock), clock };
  /** Loaded with the first request, so that a service that makes none does not load the library. */
  let made: Promise<Agent> | null = null;
  let agent: Agent | null = null;
  const openAgent = (): Promise<Agent> =>
    (made ??= makeAgent(createConnector(opening)).then((one) => {
      agent = one;
      return one;
    }));
  // Uses the default export, the only one that a bundle exposes of a CommonJS module.
  const makeAgent = (connect: buildConnector.connector): Promise<Agent> =>
    import('undici').then(({ default: undici }) => {
      return new undici.Agent({
        connect,
        connections: MAX_CONNECTIONS_PER_ORIGIN,
        pipelining: 1,
        allowH2: false,
        maxHeaderSize: MAX_HEADER_BYTES,
        // Every request has a separate deadline.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
    });
  const pools = new ProxyAgents(opening, makeAgent);
  const own = proxy === null ? null : readProxy(proxy.url, true);
  const isExcepted = parseExceptions(proxy?.except ?? []);

  /** Chooses the proxy for a request; a node's proxy only if the service has none. Throws HttpFailure. */
  function selectProxy(url: URL, given: Proxy | null): Proxy | null {
    const host = normalizeHost(url.hostname);
    const via = own === null ? given : isExcepted(host, readPort(url)) ? null : own;
    // The proxy resolves the name, so only its text can be checked here.
    if (via !== null && isLocalName(host) && !guard(host, '127.0.0.1', readPort(url)))
      throw createAddressError(host);
    return via;
  }

  /** A node's own proxy, which must not bypass the service's proxy. */
  function parseNodeProxy(text: string | undefined): Proxy | null {
    if (text === undefined) return null;
    if (own !== null)
      throw httpFailure(
        'forbidden',
        'proxy must not be set: this service sends all requests through its own proxy',
      );
    return readProxy(text, false);
  }

  function checkUrl(url: URL): void {
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw httpFailure('forbidden', `The URL must use http or https, not ${url.protocol.slice(0, -1)}`);
    if (url.username !== '' || url.password !== '')
      throw httpFailure('forbidden', 'The URL must not contain a user name or password; use authentication');
    // Literal addresses are checked here, names when they are resolved for a connection.
    if (!mayCallOrigin(url)) throw createAddressError(normalizeHost(url.hostname));
  }

  /** Cached, because the result for an origin never changes and services are called repeatedly. */
  function mayCallOrigin(url: URL): boolean {
    let verdict = verdicts.get(url.origin);
    if (verdict === undefined) {
      const host = normalizeHost(url.hostname);
      verdict = isIP(host) === 0 || guard(host, host, readPort(url));
      if (verdicts.size >= MAX_CACHED_CHECKS) verdicts.clear();
      verdicts.set(url.origin, verdict);
    }
    return verdict;
  }

  async function follow(
    first: RedirectStep,
    request: HttpRequest,
    { giving, progress, place, moved }: Bounds,
    checkHost?: HostCheck,
    receive?: Receive,
    given: Proxy | null = null,
  ): Promise<HttpResponse> {
    const maxBytes = request.maxBytes ?? limits.nodeOutputBytes;
    let hop = first;
    for (let count = 0; ; count++) {
      checkUrl(hop.url);
      checkHost?.(normalizeHost(hop.url.hostname), readPort(hop.url));
      const { url } = hop;
      let receiver: ReturnType<Receive> = null;
      Object.assign(progress, { host: url.host, at: 'connection', received: 0, announced: null });
      const via = selectProxy(url, given);
      // With http, a node's proxy sees the whole request, so it counts as a host.
      if (via !== null && !via.isOwn && url.protocol === 'http:')
        checkHost?.(normalizeHost(via.host), via.port);
      const raw = await sendRequest(
        via === null ? (agent ?? (await openAgent())) : await pools.of(via, url.protocol === 'https:'),
        {
          ...(via === null || url.protocol === 'https:'
            ? buildDirectRequest(hop)
            : buildProxiedRequest(hop, via)),
          host: via === null ? url.host : `${url.host} (through the proxy ${via.shown})`,
          method: hop.method,
          body: hop.body,
          maxBytes,
          giving,
          progress,
          place,
          ...(moved === undefined ? {} : { moved }),
          ...(receive === undefined
            ? {}
            : {
                streams: (status, headers) => {
                  const isHop =
                    request.redirect !== 'return' &&
                    followRedirect(hop, status, headers['location']) !== null;
                  receiver = isHop ? null : receive({ status, headers, url: url.href });
                  return receiver?.maxBytes ?? null;
                },
              }),
        },
      );
      const { status, headers, stream } = raw;
      if (via !== null && status === 407) throw createProxyFailure(via, status, url.host);
      if (receiver !== null && stream !== null) {
        const file = await receiveBody(receiver, url.host, stream, headers['content-encoding']);
        return { status, headers, url: url.href, body: NO_BODY, ...(file === null ? {} : { file }) };
      }
      const next = request.redirect === 'return' ? null : followRedirect(hop, status, headers['location']);
      if (next === null) {
        const encoding = headers['content-encoding'];
        const body =
          encoding === undefined
            ? raw.body
            : await decodeBody(url.host, raw.body, encoding, { maxBytes, giving, progress, place });
        return { status, headers, url: url.href, body };
      }
      if (count === MAX_REDIRECTS)
        throw httpFailure('limit', `${first.url.host} redirected more than ${MAX_REDIRECTS} times`, false);
      hop = next;
    }
  }

  return {
    send,
    connect: (to, signal, checkHost) => connectTcp(opening, to, signal, checkHost),
    close: async () => {
      await Promise.all([made?.then((one) => one.destroy()), pools.close()]);
    },
  };

  async function send(
    request: HttpRequest,
    signal: AbortSignal,
    checkHost?: HostCheck,
    receive?: Receive,
    reservation?: Reservation,
  ): Promise<HttpResponse> {
    const began = performance.now();
    let outcome: CallOutcome = 'internal';
    let bounds: Bounds | null = null;
    try {
      const url = parseUrl(request.url);
      const via = parseNodeProxy(request.proxy);
      const { headers, body } = prepareRequest(request);
      headers['accept-encoding'] ??= ACCEPT_ENCODING;
      headers['user-agent'] ??= 'weft';
      bounds = createBounds(request, url.host, signal, reservation ?? memory.place(null));
      const first = { url, method: request.method, headers, body };
      const response = await follow(first, request, bounds, checkHost, receive, via);
      outcome = classes[Math.floor(response.status / 100) - 1] ?? '5xx';
      return response;
    } catch (error) {
      bounds?.place.leave();
      if (error instanceof HttpFailure) outcome = error.failure.type;
      throw error;
    } finally {
      bounds?.end();
      if (reservation === undefined) bounds?.place.leave();
      called?.(outcome, performance.now() - began);
    }
  }

  /** Cancels the request on timeout, on inactivity and with `signal`, until `end` is called. */
  function createBounds(
    request: HttpRequest,
    host: string,
    signal: AbortSignal,
    reservation: Reservation,
  ): Bounds {
    const giving = new Cancellation();
    const ms = request.timeout ?? DEFAULT_TIMEOUT_MS;
    const progress: Progress = { host, at: 'connection', received: 0, announced: null };
    const cancel = clock.after(ms, () =>
      giving.now(
        httpFailure(
          'timeout',
          progress.at === 'memory'
            ? describeMemoryTimeout(progress.host, ms)
            : `${progress.host} did not ${describeExpectation(progress)} within ${ms} ms`,
        ),
      ),
    );
    const idle = request.idleTimeout;
    const watch =
      idle === undefined
        ? null
        : watchIdle(clock, idle, () =>
            giving.now(
              httpFailure(
                'timeout',
                progress.at === 'memory'
                  ? describeMemoryTimeout(progress.host, idle)
                  : `${progress.host} sent and received nothing for ${idle} ms${describeProgress(progress)}`,
              ),
            ),
          );
    const leave = onAbort(signal, () =>
      giving.now(httpFailure('timeout', `The request to ${host} was canceled`)),
    );
    return {
      giving,
      progress,
      place: reservation,
      ...(watch === null ? {} : { moved: watch.moved }),
      end() {
        cancel();
        watch?.stop();
        leave();
      },
    };
  }
}

function buildDirectRequest({ url, headers }: RedirectStep): Pick<RawRequest, 'origin' | 'path' | 'headers'> {
  return { origin: url.origin, path: `${url.pathname}${url.search}`, headers };
}

/** A request made by the proxy (RFC 9112 §3.2.2): http only, so the proxy sees its content. */
function buildProxiedRequest(
  { url, headers }: RedirectStep,
  via: Proxy,
): Pick<RawRequest, 'origin' | 'path' | 'headers'> {
  return {
    origin: `${via.secure ? 'https' : 'http'}://${via.shown}`,
    path: `${url.origin}${url.pathname}${url.search}`,
    headers: {
      ...headers,
      host: url.host,
      ...(via.authorization === null ? {} : { 'proxy-authorization': via.authorization }),
    },
  };
}

async function receiveBody(
  receiver: NonNullable<ReturnType<Receive>>,
  host: string,
  stream: BodyStream,
  encoding: string | undefined,
): Promise<FileReference | null> {
  try {
    return await receiver.take(
      encoding === undefined ? stream : decodeStream(host, stream, encoding, receiver.maxBytes),
    );
  } finally {
    stream.cancel();
  }
}

function describeExpectation({ at }: Progress): string {
  return at === 'connection' ? 'accept a connection' : at === 'response' ? 'respond' : 'finish its response';
}

function describeMemoryTimeout(host: string, ms: number): string {
  return `No memory was available for the response of ${host} within ${ms} ms`;
}

const NO_BODY = new Uint8Array();
const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

function readPort(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
}

function parseUrl(text: string): URL {
  if (text.length > MAX_URL_LENGTH)
    throw httpFailure('validation', `The URL must have at most ${MAX_URL_LENGTH} characters`);
  if (!URL.canParse(text))
    throw httpFailure('validation', 'The URL must have http:// or https:// and a host');
  return new URL(text);
}
