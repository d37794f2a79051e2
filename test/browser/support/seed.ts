import { createDocumentText } from '../../support/openapi/petstore.ts';
import type { Call } from '../../support/service.ts';

const step = (id: string, type: string, x: number, config: Record<string, unknown> = {}, y = 0) => ({
  id,
  type,
  position: { x, y },
  config,
});

const manual = step('start', 'trigger', 0, { triggerType: 'manual' });
const wire = (from: string, to: string) => ({ from, to });

/** A service in use: workflows in every status, successful and failed runs, data on every page. */
export async function seed(call: Call): Promise<{ workflowIds: string[] }> {
  const make = async (method: string, path: string, body: unknown): Promise<Record<string, unknown>> => {
    const response = await call(method, path, { body });
    if (response.status >= 400) throw new Error(`${method} ${path}: ${response.text}`);
    return response.body as Record<string, unknown>;
  };
  await make('PUT', '/secrets/CRM_TOKEN', {
    value: 'crm-4f9a8b7c6d5e',
    hosts: ['api.crm.example'],
    description: 'Customer records, read and write',
  });
  await make('PUT', '/secrets/ORDERS_KEY', {
    value: 'orders-key-0123456789',
    description: 'Signs what the shop sends',
  });
  await make('PUT', '/secrets/SMTP_PASSWORD', { value: 'mail-password-123', hosts: ['mail.example'] });

  const ids: string[] = [];
  const workflow = async (body: Record<string, unknown>): Promise<string> => {
    const { id } = await make('POST', '/workflows', body);
    ids.push(String(id));
    return String(id);
  };
  await workflow({
    name: 'Import price list',
    description: 'Not finished: the address of the supplier is missing.',
    tags: ['catalog'],
    definition: {
      nodes: [
        manual,
        step('fetch', 'http_request', 240, { method: 'GET', url: 'https://supplier.example/prices' }),
      ],
      connections: [wire('start', 'fetch')],
    },
  });
  const broken = await workflow({
    name: 'Reconcile payments',
    description: 'Compares what the bank says with what the shop says.',
    tags: ['finance', 'nightly'],
    definition: {
      nodes: [
        manual,
        step('compare', 'set', 240, { fields: { difference: '{{ input.bank - input.shop }}' } }),
      ],
      connections: [wire('start', 'compare')],
    },
  });
  const orders = await workflow({
    name: 'Order intake',
    description: 'Checks an order, responds to the shop, and notifies the warehouse.',
    tags: ['shop', 'warehouse'],
    status: 'active',
    definition: {
      nodes: [
        step('order', 'trigger', 0, {
          triggerType: 'webhook',
          endpoint: 'orders',
          method: 'POST',
          authentication: 'hmac',
          secret: 'ORDERS_KEY',
        }),
        step('total', 'set', 240, { fields: { total: '{{ input.body.total }}' } }),
      ],
      connections: [wire('order', 'total')],
    },
  });
  const report = await workflow({
    name: 'Weekly report',
    description: 'Every Monday at three, before anybody is awake.',
    tags: ['finance'],
    status: 'active',
    definition: {
      nodes: [
        step('monday', 'trigger', 0, {
          triggerType: 'schedule',
          cron: '0 3 * * 1',
          timezone: 'Europe/Berlin',
        }),
        manual,
        step('sum', 'set', 240, { fields: { sum: '{{ [1, 2, 3] | size }}' } }),
      ],
      connections: [wire('monday', 'sum'), wire('start', 'sum')],
    },
  });
  await make('PUT', `/workflows/${orders}`, { status: 'inactive' });
  const welcome = await workflow({
    name: 'Welcome new customers',
    description: 'Says hello, and writes it down.',
    tags: ['shop'],
    status: 'active',
    definition: {
      nodes: [manual, step('greet', 'set', 240, { fields: { text: 'Hello {{ input.name }}' } })],
      connections: [wire('start', 'greet')],
    },
  });
  for (let i = 0; i < 6; i++)
    await make('POST', `/workflows/${welcome}/execute`, { input: { name: `Customer ${i}` }, wait: '30s' });
  await make('POST', `/workflows/${report}/execute`, { wait: '30s' });
  await make('POST', `/workflows/${broken}/execute`, { input: { bank: 12 }, wait: '30s' });

  await make('POST', '/api-keys', { name: 'Nightly export', scopes: ['executions:read', 'workflows:read'] });
  await make('POST', '/api-keys', { name: 'Deploy from CI', expires_at: '2030-01-01T00:00:00.000Z' });
  await make('POST', '/oauth/clients', {
    name: 'Warehouse dashboard',
    redirect_uris: ['https://warehouse.example/callback'],
    scopes: ['executions:read', 'workflows:read'],
  });
  await make('POST', '/oauth/clients', {
    name: 'Billing service',
    scopes: ['executions:write', 'workflows:read'],
  });
  await make('POST', '/connections', {
    name: 'github_work',
    provider: 'github',
    client_id: 'Iv1.a1b2c3d4e5f6',
    client_secret: 'not-a-real-one',
  });
  await make('POST', '/users', {
    email: 'ines@example.com',
    name: 'Ines Okafor',
    password: 'a long enough password',
    plan: 'pro',
  });
  await make('POST', '/users', { email: 'tomas@example.com', password: 'a long enough password' });
  await make('POST', '/nodes', {
    nodeType: 'parse_iban',
    description: 'Checks an account number and returns its country.',
    inputs: { iban: { type: 'string', required: true } },
    outputs: { country: 'string', valid: 'boolean' },
    implementation: {
      runtime: 'javascript',
      handler: [
        'export default function ({ iban }) {',
        '  const text = iban.replaceAll(" ", "");',
        '  return { country: text.slice(0, 2), valid: text.length > 14 };',
        '}',
      ].join('\n'),
    },
  });
  await make('POST', '/packs', { document: createDocumentText('https://pets.example.com/v1') });
  return { workflowIds: ids };
}
