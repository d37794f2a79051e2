import type { TokenRequest } from '../contract/connections/connection-credentials.ts';
import type { HttpRequest, NodeType } from '../contract/node-type.ts';
import type { SecretDestination, SecretRead } from '../contract/secret-fields.ts';
import { findSecretDestination, findSecretReadIssue } from '../contract/secret-fields.ts';
import type { FieldError } from '../contract/errors.ts';
import { readProxyUrl } from '../lib/network/proxy-url.ts';
import { normalizeHost } from './allowed-hosts.ts';
import type { HostCheck } from './http/egress-client.ts';
import { httpFailure } from './http/http-failure.ts';

/** A decrypted secret. `hosts` null: it may be sent to any host. */
export type LoadedSecret = { value: string; hosts: readonly string[] | null };

/** A parsed entry of a secret's `hosts`. `port` null: any port. */
type BoundHost = { text: string; host: string; port: number | null };
type Bound = {
  /** Description for messages, such as `The secret NAME`. */
  what: string;
  hosts: readonly BoundHost[];
  destinations: ReadonlySet<SecretDestination>;
};

const REQUEST: ReadonlySet<SecretDestination> = new Set(['request']);

/** Returns an error for the first field that reads a secret although its node type does not allow it. */
export function checkSecretRead(type: NodeType, reads: readonly SecretRead[]): FieldError | null {
  for (const { pointer } of reads) {
    const issue = findSecretReadIssue(type, pointer);
    if (issue !== null) return { field: pointer, issue };
  }
  return null;
}

/**
 * Restricts secrets with `hosts` to these hosts. The decision depends on the templates only: a field that
 * reads a secret, through any filters, binds all requests to the field's destination. Values are never
 * searched for secrets.
 */
export class AttemptSecrets {
  readonly #bound: Bound[] = [];

  constructor(type: NodeType, reads: readonly SecretRead[], secrets: ReadonlyMap<string, LoadedSecret>) {
    for (const [name, { hosts }] of secrets) {
      if (hosts === null) continue;
      const destinations = reads
        .filter((read) => read.name === name)
        .map(({ pointer }) => findSecretDestination(type.secrets, pointer) ?? 'request');
      this.#bound.push({
        what: `The secret ${name}`,
        hosts: hosts.map(readHost),
        destinations: new Set(destinations),
      });
    }
  }

  /**
   * A field that is only used for computation must contain a bound secret as a whole. A part of it or a
   * comparison would let the output reveal the secret bit by bit.
   */
  static findLocalError(
    type: NodeType,
    reads: readonly SecretRead[],
    secrets: ReadonlyMap<string, LoadedSecret>,
  ): FieldError | null {
    const read = reads.find(
      ({ pointer, name, isWhole }) =>
        !isWhole &&
        (secrets.get(name)?.hosts ?? null) !== null &&
        findSecretDestination(type.secrets, pointer) === 'local',
    );
    if (read === undefined) return null;
    return {
      field: read.pointer,
      issue: `must be exactly {{ secrets.${read.name} }}: the secret is bound to hosts, so it cannot be used in expressions here`,
    };
  }

  /** Binds all further requests of the node to `hosts`, because it uses a connected account. */
  bindConnection(name: string, hosts: readonly string[]): void {
    const what = `The credential of the connection ${name}`;
    if (this.#bound.some((one) => one.what === what)) return;
    this.#bound.push({ what, hosts: hosts.map(readHost), destinations: REQUEST });
  }

  /** Undefined if no secret is bound. */
  forRequest(request: HttpRequest): HostCheck | undefined {
    this.#checkProxy(request.proxy);
    return this.#checkFor('request');
  }

  /** For connections that do not use HTTP. */
  forConnection(): HostCheck | undefined {
    return this.#checkFor('request');
  }

  forToken(request: TokenRequest): HostCheck | undefined {
    this.#checkProxy(request.proxy);
    return this.#checkFor('token');
  }

  #checkProxy(url: string | undefined): void {
    const proxy = url === undefined ? null : readProxyUrl(url);
    if (proxy !== null) this.#checkFor('proxy')?.(normalizeHost(proxy.host), proxy.port);
  }

  #checkFor(destination: SecretDestination): HostCheck | undefined {
    const binding = this.#bound.filter(({ destinations }) => destinations.has(destination));
    return binding.length === 0 ? undefined : (host, port) => checkHosts(binding, host, port);
  }
}

/** Parses `api.example.com`, `10.0.0.5:8443` or `[::1]:80` and normalizes the host as a URL does. */
function readHost(text: string): BoundHost {
  const [, name = text, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
  const host = normalizeHost(URL.parse(`http://${name}`)?.hostname ?? name);
  return { text, host, port: port === undefined ? null : Number(port) };
}

function checkHosts(binding: readonly Bound[], host: string, port: number): void {
  const refusing = binding.find(
    ({ hosts }) => !hosts.some((one) => one.host === host && (one.port ?? port) === port),
  );
  if (refusing === undefined) return;
  const shown = refusing.hosts.some((one) => one.port !== null)
    ? `${host.includes(':') ? `[${host}]` : host}:${port}`
    : host;
  throw httpFailure(
    'forbidden',
    `${refusing.what} may not be sent to ${shown}; it is bound to ${refusing.hosts.map((one) => one.text).join(', ')}`,
  );
}

/** A proxy sees the whole content of an http request, so it counts as a host. */
export function checkUrlHost(
  text: string,
  proxyUrl: string | undefined,
  checkHost: HostCheck | undefined,
): void {
  const url = URL.parse(text);
  // The egress client rejects invalid URLs.
  if (checkHost === undefined || url === null) return;
  checkHost(normalizeHost(url.hostname), Number(url.port) || (url.protocol === 'https:' ? 443 : 80));
  const proxy = proxyUrl === undefined || url.protocol === 'https:' ? null : readProxyUrl(proxyUrl);
  if (proxy !== null) checkHost(normalizeHost(proxy.host), proxy.port);
}
