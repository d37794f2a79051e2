import { connect as connectTcp, isIP } from 'node:net';
import type { LookupFunction, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import type { Clock } from '../../ports/clock.ts';
import { normalizeAddress, isPublicAddress } from '../address-ranges.ts';
import type { AllowedHosts } from '../allowed-hosts.ts';
import { normalizeHost } from '../allowed-hosts.ts';
import { httpFailure } from './http-failure.ts';
import type { Resolve, ResolvedAddress } from '../dns-resolver.ts';

/** Timeout for opening a connection. */
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_PROBE_MS = 60_000;

/** Returns whether an address may be called for the requested host name. */
export type AddressGuard = (host: string, address: string, port: number) => boolean;

export function createAddressGuard(allowed: AllowedHosts): AddressGuard {
  return (host, address, port) => isPublicAddress(address) || allowed.permits(host, address, port);
}

/**
 * Opens connections for the pool to allowed addresses only. The name is resolved here, every address is
 * checked, and the connection uses exactly these addresses, so that a second DNS lookup cannot return a
 * different one. The host name is still used for the Host header and the certificate check. The peer address
 * of the connection is checked again.
 */
export function createConnector(deps: OpeningDeps): buildConnector.connector {
  return (options, callback) => {
    const host = normalizeHost(options.hostname);
    const secure = options.protocol === 'https:';
    openChecked(deps, { host, port: Number(options.port) || (secure ? 443 : 80), secure }, callback);
  };
}

export type OpeningDeps = { guard: AddressGuard; resolve: Resolve; clock: Clock };

/** `host` without brackets, in lower case. `secure`: HTTPS, with the certificate checked for `host`. */
export function openChecked(
  deps: OpeningDeps,
  to: { host: string; port: number; secure: boolean },
  callback: buildConnector.Callback,
): void {
  const { host, port } = to;
  resolveAddresses(host, deps.resolve)
    .then((addresses) => {
      if (addresses.length === 0 || !addresses.every(({ address }) => deps.guard(host, address, port)))
        throw createAddressError(host);
      open({ ...deps, ...to, addresses }, callback);
    })
    .catch((error: unknown) => callback(toError(error), null));
}

/** The error for a disallowed address. It does not disclose the resolved address. */
export function createAddressError(host: string): Error {
  return httpFailure(
    'forbidden',
    `${host} is or resolves to a private or reserved address, which may not be called; the operator can allow it with WEFT_ALLOWED_HOSTS`,
  );
}

async function resolveAddresses(host: string, resolve: Resolve): Promise<ResolvedAddress[]> {
  const family = isIP(host);
  return family === 0 ? resolve(host) : [{ address: host, family: family === 6 ? 6 : 4 }];
}

function open(
  target: {
    guard: AddressGuard;
    clock: Clock;
    host: string;
    port: number;
    addresses: ResolvedAddress[];
    secure: boolean;
  },
  callback: buildConnector.Callback,
): void {
  const { host, port, addresses } = target;
  const lookup: LookupFunction = (_name, options, done) => {
    if (options.all === true) done(null, addresses);
    else done(null, addresses[0]?.address ?? '', addresses[0]?.family ?? 4);
  };
  const common = { host, port, lookup, autoSelectFamily: true };
  const socket: Socket = target.secure
    ? connectTls({
        ...common,
        // Overrides settings of the environment.
        rejectUnauthorized: true,
        ALPNProtocols: ['http/1.1'],
        ...(isIP(host) === 0 ? { servername: host } : {}),
      })
    : connectTcp({ ...common, noDelay: true });
  socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
  let isSettled = false;
  const settle = (error: Error | null): void => {
    if (isSettled) return;
    isSettled = true;
    cancel();
    if (error === null) {
      callback(null, socket);
    } else {
      socket.destroy();
      callback(error, null);
    }
  };
  const cancel = target.clock.after(CONNECT_TIMEOUT_MS, () =>
    settle(
      httpFailure('timeout', `${host} did not accept a connection within ${CONNECT_TIMEOUT_MS / 1000} s`),
    ),
  );
  // Checked before TLS starts: the peer must be one of the checked addresses.
  socket.once('connect', () => {
    const peer = normalizeAddress(socket.remoteAddress ?? '');
    const known = addresses.some(({ address }) => normalizeAddress(address) === peer);
    if (peer === null || !known || !target.guard(host, peer, port)) settle(createAddressError(host));
  });
  socket.once(target.secure ? 'secureConnect' : 'connect', () => settle(null));
  socket.on('error', settle);
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
