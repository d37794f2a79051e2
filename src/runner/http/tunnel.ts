import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import type { OpeningDeps } from './connector.ts';
import { openChecked } from './connector.ts';
import { createConnectionFailure, httpFailure } from './http-failure.ts';
import type { Proxy } from './proxy.ts';

/** Timeout of each step: the response of the proxy, and the TLS handshake through it. */
const STEP_TIMEOUT_MS = 30_000;
const MAX_RESPONSE_BYTES = 16 * 1024;

/** Connects to the proxy itself, for http requests that the proxy makes. */
export function createProxyConnector(deps: OpeningDeps, proxy: Proxy): buildConnector.connector {
  return (_options, callback) => openProxy(deps, proxy, callback);
}

/** Connects through the proxy: a CONNECT tunnel with TLS to the destination, whose certificate is checked. */
export function createTunnelConnector(deps: OpeningDeps, proxy: Proxy): buildConnector.connector {
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const port = Number(options.port) || 443;
    const shown = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
    openProxy(deps, proxy, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      openTunnel(deps, socket, proxy, shown)
        .then(() => startTls(deps, socket, host, shown))
        .then(
          (tls) => callback(null, tls),
          (reason: unknown) => {
            socket.destroy();
            callback(createConnectionFailure(shown, reason), null);
          },
        );
    });
  };
}

function openProxy(deps: OpeningDeps, proxy: Proxy, callback: buildConnector.Callback): void {
  const { host, port, secure: isSecure } = proxy;
  const guard = proxy.isOwn ? () => true : deps.guard;
  openChecked({ ...deps, guard }, { host, port, secure: isSecure }, (...[error, socket]) => {
    if (error === null) callback(null, socket);
    else callback(createConnectionFailure(`The proxy ${proxy.shown}`, error), null);
  });
}

/**
 * Requests a tunnel. No data can be lost after the proxy's response because the destination does not send
 * first.
 */
async function openTunnel(deps: OpeningDeps, socket: Socket, proxy: Proxy, to: string): Promise<void> {
  const credentials = proxy.authorization === null ? '' : `Proxy-Authorization: ${proxy.authorization}\r\n`;
  socket.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n${credentials}\r\n`);
  const status = await readConnectStatus(deps, socket, proxy, to);
  if (status >= 200 && status < 300) return;
  throw createProxyFailure(proxy, status, to);
}

function readConnectStatus(deps: OpeningDeps, socket: Socket, proxy: Proxy, to: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const end = (act: () => void): void => {
      cancel();
      socket.off('data', onData).off('error', onError).off('close', onClose);
      socket.pause();
      act();
    };
    const fail = (issue: string): void =>
      end(() => reject(httpFailure('network', `The proxy ${proxy.shown} ${issue}`)));
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const head = received.indexOf('\r\n\r\n');
      if (head === -1)
        return void (received.length > MAX_RESPONSE_BYTES && fail('did not respond with valid HTTP'));
      const status = /^HTTP\/1\.[01] (\d{3})(?: |\r)/.exec(received.toString('latin1', 0, head + 2))?.[1];
      if (status === undefined) return fail('did not respond with valid HTTP');
      const rest = received.subarray(head + 4);
      end(() => {
        if (rest.length > 0) socket.unshift(rest);
        resolve(Number(status));
      });
    };
    const onError = (error: Error): void =>
      end(() => reject(createConnectionFailure(`The proxy ${proxy.shown}`, error)));
    const onClose = (): void => fail('closed the connection before responding');
    const cancel = deps.clock.after(STEP_TIMEOUT_MS, () =>
      end(() =>
        reject(
          httpFailure(
            'timeout',
            `The proxy ${proxy.shown} did not open a tunnel to ${to} within ${STEP_TIMEOUT_MS / 1000} s`,
          ),
        ),
      ),
    );
    socket.on('data', onData).on('error', onError).on('close', onClose);
  });
}

/** The failure for a proxy's error response: credentials (407), or a refused destination. */
export function createProxyFailure(proxy: Proxy, status: number, to: string): Error {
  if (status !== 407)
    return httpFailure(
      'network',
      `The proxy ${proxy.shown} did not open a tunnel to ${to}: it responded with ${status}`,
    );
  const issue = proxy.authorization === null ? 'requires credentials' : 'rejected the credentials';
  return httpFailure('client_error', `The proxy ${proxy.shown} ${issue} (407)`, false);
}

function startTls(deps: OpeningDeps, socket: Socket, host: string, shown: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const tls = connectTls({
      socket,
      host,
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
      ...(isIP(host) === 0 ? { servername: host } : {}),
    });
    const cancel = deps.clock.after(STEP_TIMEOUT_MS, () =>
      tls.destroy(
        httpFailure(
          'timeout',
          `${shown} did not complete the TLS handshake within ${STEP_TIMEOUT_MS / 1000} s`,
        ),
      ),
    );
    const onError = (error: Error): void => {
      cancel();
      reject(error);
    };
    tls.once('error', onError);
    tls.once('close', () =>
      onError(httpFailure('network', `${shown} closed the connection during the TLS handshake`)),
    );
    tls.once('secureConnect', () => {
      cancel();
      tls.off('error', onError);
      resolve(tls);
    });
  });
}
