import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startShopService, type ShopService } from '../../support/packs/shop-service.ts';
import { buildArchive } from '../../support/servers/npm-registry.ts';
import { loopbackCertificate } from '../../support/servers/tls-certificates.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';

/* A webhook trigger of a published package, WooCommerce, against a fake of its service. */

const PUBLIC_URL = 'https://weft.example.com';
const FOLDER = new URL('../../../node_modules/@activepieces/piece-woocommerce/', import.meta.url);
const folder = createTempFolder();
const authority = path.join(folder.path, 'authority.pem');
let shop: ShopService;
let service: SpawnedService;
let call: Call;

beforeAll(async () => {
  writeFileSync(authority, loopbackCertificate);
  shop = await startShopService();
  shop.toAddress = (url) => {
    expect(url.startsWith(`${PUBLIC_URL}/v1/pack-webhooks/`)).toBe(true);
    return url.replace(`${PUBLIC_URL}/v1`, service.url);
  };
  await start();
  const read = (file: string): string => readFileSync(new URL(file, FOLDER), 'utf8');
  const about = JSON.parse(read('package.json')) as { name: string; version: string };
  const archive = buildArchive(about.name, about.version, { 'src/index.js': read('src/index.js') }, about);
  const installed = await call('POST', '/packs', { body: { archive: archive.toString('base64') } });
  expect(installed.status, installed.text).toBe(201);
  for (const [name, value] of [
    ['SHOP_KEY', 'ck_key'],
    ['SHOP_SECRET', 'cs_secret'],
  ])
    await call('PUT', `/secrets/${name}`, { body: { value, hosts: ['127.0.0.1'] } });
});
afterAll(async () => {
  await service?.kill9();
  shop?.close();
  folder.remove();
});

async function start(): Promise<void> {
  const env = { NODE_EXTRA_CA_CERTS: authority, WEFT_PUBLIC_URL: PUBLIC_URL };
  service = await spawnService({ dataDir: folder.path, env });
  call = await service.login();
}

async function create(event: string): Promise<string> {
  const authentication = {
    type: 'fields',
    fields: {
      baseUrl: `https://${shop.address}`,
      consumerKey: '{{ secrets.SHOP_KEY }}',
      consumerSecret: '{{ secrets.SHOP_SECRET }}',
    },
  };
  const trigger = { id: 'orders', type: 'npm.woocommerce.trigger', config: { event, authentication } };
  const definition = { nodes: [trigger], connections: [] };
  const reply = await call('POST', '/workflows', { body: { name: event, status: 'active', definition } });
  expect(reply.status, reply.text).toBe(201);
  return (reply.body as { id: string }).id;
}

type Item = { id: number; total?: string };
async function listItems(workflow: string): Promise<Item[]> {
  const { body } = await call('GET', `/workflows/${workflow}/executions?limit=100`);
  const details = (body as { executions: { id: string }[] }).executions.map(
    async ({ id }) => (await call('GET', `/executions/${id}`)).body as { output: { item: Item } | null },
  );
  return (await Promise.all(details)).flatMap(({ output }) => (output === null ? [] : [output.item]));
}
const untilItems = async (workflow: string, ids: number[]): Promise<Item[]> => {
  const sorted = (items: Item[]): number[] => items.map(({ id }) => id).toSorted((a, b) => a - b);
  const items = await waitUntil(
    () => listItems(workflow),
    ({ length }) => length >= ids.length,
  );
  expect(sorted(items)).toEqual(ids);
  return items;
};
const untilHooks = (count: number) =>
  waitUntil(
    () => Promise.resolve(shop.hooks.size),
    (size) => size === count,
  );

test('WooCommerce: registered, pinged, delivered across kill -9, and removed', async () => {
  const event = '$woocommerce_trigger_order_created';
  const workflow = await create(event);
  await untilHooks(1);
  // The handshake of the package.
  expect(shop.pings).toEqual([{ status: 200, text: '{"webhook_id":"1"}' }]);
  expect([...shop.hooks.values()]).toMatchObject([{ topic: 'order.created' }]);
  const credentials = Buffer.from('ck_key:cs_secret').toString('base64');
  expect(shop.authorizations).toEqual(new Set([`Basic ${credentials}`]));

  expect((await shop.deliver('order.created', { id: 1, total: '2.00' })).status).toBe(200);
  expect(await untilItems(workflow, [1])).toEqual([{ id: 1, total: '2.00' }]);
  const acknowledged = [1];
  for (let kill = 0; kill < 3; kill++) {
    for (let n = 0; n < 4; n++) {
      const id = acknowledged.length + 1;
      expect((await shop.deliver('order.created', { id })).status).toBe(200);
      acknowledged.push(id);
    }
    await service.kill9();
    await start();
  }
  await untilItems(workflow, acknowledged);
  // It is still the first registration.
  expect([...shop.hooks.keys()]).toEqual([1]);

  const changed = await call('PUT', `/workflows/${workflow}`, { body: { status: 'inactive' } });
  expect(changed.status, changed.text).toBe(200);
  await untilHooks(0);
  await untilItems(workflow, acknowledged);
}, 120_000);

test('WooCommerce: the package asks the service about a deleted order', async () => {
  const workflow = await create('$woocommerce_trigger_order_deleted');
  await untilHooks(1);
  shop.orders.set(7, { id: 7, status: 'trash' });
  expect((await shop.deliver('order.deleted', { id: 7 })).status).toBe(200);
  expect(await untilItems(workflow, [7])).toEqual([{ id: 7, status: 'trash' }]);
  expect((await shop.deliver('order.deleted', { id: 8 })).status).toBe(200);
  await untilItems(workflow, [7, 8]);
}, 60_000);
