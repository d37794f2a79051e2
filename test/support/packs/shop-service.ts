import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { loopbackCertificate, loopbackKey } from '../servers/tls-certificates.ts';

type Hook = { id: number; topic: string; delivery_url: string };
export type ShopService = {
  /** Host and port. */
  readonly address: string;
  readonly hooks: ReadonlyMap<number, Hook>;
  readonly orders: Map<number, object>;
  readonly authorizations: ReadonlySet<string | undefined>;
  /** The responses to the messages that announce a registration. */
  readonly pings: readonly { status: number; text: string }[];
  /** Where a delivery URL is in this test. */
  toAddress: (url: string) => string;
  /** Sends an event as WooCommerce does. */
  deliver(topic: string, body: object): Promise<Response>;
  close(): void;
};

/**
 * The part of the REST API of WooCommerce that its webhooks need. As there, a registration sends a form with
 * its id to the delivery URL before it gets its response, and deletion needs `force`.
 */
export async function startShopService(): Promise<ShopService> {
  const hooks = new Map<number, Hook>();
  const orders = new Map<number, object>();
  const authorizations = new Set<string | undefined>();
  const pings: { status: number; text: string }[] = [];
  let created = 0;
  const send = (url: string, type: string, body: string, headers: Record<string, string> = {}) =>
    fetch(self.toAddress(url), { method: 'POST', headers: { 'content-type': type, ...headers }, body });

  async function respond(method: string, url: URL, body: string): Promise<[number, unknown]> {
    const [, , , , place = '', id = ''] = url.pathname.split('/');
    if (place === 'orders') {
      const order = orders.get(Number(id));
      if (order !== undefined) return [200, order];
      return [404, { code: 'woocommerce_rest_shop_order_invalid_id', message: 'Invalid ID.' }];
    }
    if (place !== 'webhooks') return [404, { code: 'rest_no_route' }];
    if (method === 'DELETE') {
      if (url.searchParams.get('force') !== 'true')
        return [501, { code: 'woocommerce_rest_trash_not_supported' }];
      const hook = hooks.get(Number(id));
      hooks.delete(Number(id));
      return hook === undefined ? [404, { code: 'woocommerce_rest_shop_webhook_invalid_id' }] : [200, hook];
    }
    const hook: Hook = { ...(JSON.parse(body) as Omit<Hook, 'id'>), id: ++created };
    const ping = await send(hook.delivery_url, 'application/x-www-form-urlencoded', `webhook_id=${hook.id}`);
    pings.push({ status: ping.status, text: await ping.text() });
    hooks.set(hook.id, hook);
    return [201, hook];
  }

  const server = createServer({ cert: loopbackCertificate, key: loopbackKey }, (request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      authorizations.add(request.headers.authorization);
      const url = new URL(request.url ?? '/', 'https://shop');
      respond(request.method ?? '', url, body).then(
        ([status, result]) =>
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(result)),
        (error: unknown) => response.writeHead(500).end(JSON.stringify({ message: String(error) })),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const self: ShopService = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    hooks,
    orders,
    authorizations,
    pings,
    toAddress: (url) => url,
    deliver(topic, body) {
      const hook = [...hooks.values()].find((one) => one.topic === topic);
      if (hook === undefined) throw new Error(`No webhook for ${topic}`);
      return send(hook.delivery_url, 'application/json', JSON.stringify(body), {
        'x-wc-webhook-topic': topic,
        'x-wc-webhook-id': String(hook.id),
      });
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return self;
}
