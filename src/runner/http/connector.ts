import { connect as connectTcp, isIP } from 'node:net';
import type { LookupFunction, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import type { Clock } from '../../ports/clock.ts';
import { canonicalAddress, isPublicAddress } from '../address-ranges.ts';
import type { AllowedHosts } from '../allowed-hosts.ts';
import { plainHost } from '../allowed-hosts.ts';
import { httpFailure } from './http-failure.ts';
import type { Resolve, ResolvedAddress } from '../dns-resolver.ts';

/** How long it may take until a connection stands, ms. */
const CONNECT_MS = 10_000;
const KEEP_ALIVE_PROBE_MS = 60_000;

/** Says whether an address may be called under the name that was asked for. */
export type AddressGuard = (host: string, address: string, port: number) => boolean;

export function createAddressGuard(allowed: AllowedHosts): AddressGuard {
  return (host, address, port) => isPublicAddress(address) || allowed.permits(host, address, port);
}

/**
 * Opens connections for the pool, only to addresses that passed the guard: a name is looked up here, every one of its
 * addresses is checked, and those very addresses are connected to, so that a second look-up cannot give another
 * answer. The name stays in Host and in the certificate's check. What the kernel says it connected to is checked again.
 */
export function createConnector(deps: OpeningDeps): buildConnector.connector {
  return (options, callback) => {
    const host = plainHost(options.hostname);
    const secure = options.protocol === 'https:';
    openChecked(deps, { host, port: Number(options.port) || (secure ? 443 : 80), secure }, callback);
  };
}

export type OpeningDeps = { guard: AddressGuard; resolve: Resolve; clock: Clock };

/** `host` without brackets, in lower case. `secure`: TLS for HTTP, with the certificate checked for `host`. */
export function openChecked(
  deps: OpeningDeps,
  to: { host: string; port: number; secure: boolean },
  callback: buildConnector.Callback,
): void {
  const { host, port } = to;
  addressesOf(host, deps.resolve)
    .then((addresses) => {
      if (addresses.length === 0 || !addresses.every(({ address }) => deps.guard(host, address, port)))
        throw refusedAddress(host);
      open({ ...deps, ...to, addresses }, callback);
    })
    .catch((error: unknown) => callback(asError(error), null));
}

/** The gate's word for an address that nodes must not call; it does not tell what the name led to. */
export function refusedAddress(host: string): Error {
  return httpFailure(
    'forbidden',
    `${host} is or leads to a private or reserved address, which may not be called; whoever runs the service may allow it by WEFT_ALLOWED_HOSTS`,
  );
}

async function addressesOf(host: string, resolve: Resolve): Promise<ResolvedAddress[]> {
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
  const lookup: LookupFunction = (_name, options, answer) => {
    if (options.all === true) answer(null, addresses);
    else answer(null, addresses[0]?.address ?? '', addresses[0]?.family ?? 4);
  };
  const common = { host, port, lookup, autoSelectFamily: true };
  const socket: Socket = target.secure
    ? connectTls({
        ...common,
        // Whatever the environment says.
        rejectUnauthorized: true,
        ALPNProtocols: ['http/1.1'],
        ...(isIP(host) === 0 ? { servername: host } : {}),
      })
    : connectTcp({ ...common, noDelay: true });
  socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
  let answered = false;
  const settle = (error: Error | null): void => {
    if (answered) return;
    answered = true;
    cancel();
    if (error === null) {
      callback(null, socket);
    } else {
      socket.destroy();
      callback(error, null);
    }
  };
  const cancel = target.clock.after(CONNECT_MS, () =>
    settle(httpFailure('timeout', `${host} did not accept a connection within ${CONNECT_MS / 1000} s`)),
  );
  // Before TLS says a word: the peer must be one of the addresses that were checked.
  socket.once('connect', () => {
    const peer = canonicalAddress(socket.remoteAddress ?? '');
    const known = addresses.some(({ address }) => canonicalAddress(address) === peer);
    if (peer === null || !known || !target.guard(host, peer, port)) settle(refusedAddress(host));
  });
  socket.once(target.secure ? 'secureConnect' : 'connect', () => settle(null));
  socket.on('error', settle);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
