import type { HttpRequest, TokenRequest } from '../contract/node-type.ts';
import { secretForms } from '../lib/mask.ts';
import { readProxyUrl } from '../lib/proxy-url.ts';
import { plainHost } from './allowed-hosts.ts';
import type { HostCheck } from './egress-gate.ts';
import { httpFailure } from './http-failure.ts';

/** A secret as the runner gets it; `hosts` null: it may be sent anywhere. */
export type LoadedSecret = { value: string; hosts: readonly string[] | null };

/** One of a secret's `hosts`, read; `port` null: any. */
type BoundHost = { text: string; host: string; port: number | null };
type Bound = {
  /** `The secret NAME`. */
  what: string;
  forms: string[];
  hosts: readonly BoundHost[];
  /** Meant for a token endpoint, or for a proxy. */ forToken: boolean;
};

/**
 * Keeps secrets with `hosts` at their hosts. A configuration that reads such a secret may call only those hosts: where
 * in a request the secret ended up, perhaps hashed or cut, cannot be told. The one exception is a secret that is the
 * client's in a token request: it binds that request, and any other only when it stands in it.
 */
export class SecretUse {
  readonly #bound: Bound[];

  constructor(secrets: ReadonlyMap<string, LoadedSecret>) {
    this.#bound = [...secrets].flatMap(([name, { value, hosts }]) =>
      hosts === null
        ? []
        : [
            {
              what: `The secret ${name}`,
              forms: [value, ...secretForms(value)],
              hosts: hosts.map(readHost),
              forToken: false,
            },
          ],
    );
  }

  /** A connected account whose token may go to `hosts` only: whatever the node calls from now on. */
  bindConnection(name: string, hosts: readonly string[]): void {
    const what = `The token of the connection ${name}`;
    if (this.#bound.some((one) => one.what === what)) return;
    this.#bound.push({ what, forms: [], hosts: hosts.map(readHost), forToken: false });
  }

  /** Null when nothing is bound. */
  forRequest(request: HttpRequest): HostCheck | undefined {
    if (request.proxy !== undefined) this.#checkProxy(request.proxy);
    const binding = this.#bound.filter((secret) => !secret.forToken || holds(secret, request));
    return binding.length === 0 ? undefined : (host, port) => check(binding, host, port);
  }

  /** A secret that stands in the proxy's URL is for the proxy. */
  #checkProxy(url: string): void {
    const proxy = readProxyUrl(url);
    const binding = this.#bound.filter(({ forms }) => forms.some((form) => url.includes(form)));
    for (const secret of binding) secret.forToken = true;
    if (proxy !== null) check(binding, plainHost(proxy.host), proxy.port);
  }

  /** What goes over a connection cannot be looked into: every bound secret binds it. */
  forConnection(): HostCheck | undefined {
    return this.#bound.length === 0 ? undefined : (host, port) => check(this.#bound, host, port);
  }

  forToken(request: TokenRequest): HostCheck | undefined {
    const sent = [request.client_id, request.client_secret, request.refresh_token].filter(
      (text) => text !== undefined,
    );
    const binding = this.#bound.filter(({ forms }) =>
      sent.some((text) => forms.some((form) => text.includes(form))),
    );
    for (const secret of binding) secret.forToken = true;
    return binding.length === 0 ? undefined : (host, port) => check(binding, host, port);
  }
}

function holds(secret: Bound, request: HttpRequest): boolean {
  // A form or bytes are not searched: what cannot be looked into may hold it.
  if (request.body !== undefined && typeof request.body !== 'string') return true;
  const text = [request.url, request.body ?? '', ...Object.values(request.headers ?? {})].join('\n');
  return secret.forms.some((form) => text.includes(form));
}

/** `api.example.com`, `10.0.0.5:8443`, `[::1]:80`: the host in the one spelling that a URL gives it. */
function readHost(text: string): BoundHost {
  const [, name = text, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
  const host = plainHost(URL.parse(`http://${name}`)?.hostname ?? name);
  return { text, host, port: port === undefined ? null : Number(port) };
}

function check(binding: readonly Bound[], host: string, port: number): void {
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
