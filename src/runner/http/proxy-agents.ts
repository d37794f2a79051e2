import type { Agent } from 'undici';
import type { OpeningDeps } from './connector.ts';
import type { Proxy } from './proxy.ts';
import { createProxyConnector, createTunnelConnector } from './tunnel.ts';

const MAX_POOLS = 100;

/** Creates an agent with a connector, provided by the egress client. */
type MakeAgent = (connect: ReturnType<typeof createProxyConnector>) => Promise<Agent>;

/**
 * Connection pools by proxy, credentials and mode. The least recently used one is closed when there are too
 * many.
 */
export class ProxyAgents {
  readonly #deps: OpeningDeps;
  readonly #make: MakeAgent;
  readonly #pools = new Map<string, Promise<Agent>>();

  constructor(deps: OpeningDeps, make: MakeAgent) {
    this.#deps = deps;
    this.#make = make;
  }

  /** `tunnel`: for https. Otherwise the proxy makes the requests. */
  of(proxy: Proxy, tunnel: boolean): Promise<Agent> {
    const key = JSON.stringify([proxy, tunnel]);
    const pool =
      this.#pools.get(key) ??
      this.#make((tunnel ? createTunnelConnector : createProxyConnector)(this.#deps, proxy));
    this.#pools.delete(key);
    this.#pools.set(key, pool);
    if (this.#pools.size > MAX_POOLS) {
      const [oldest] = this.#pools;
      if (oldest !== undefined) {
        this.#pools.delete(oldest[0]);
        // Running requests still finish.
        void oldest[1].then((agent) => agent.close());
      }
    }
    return pool;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map(async (pool) => (await pool).destroy()));
  }
}
