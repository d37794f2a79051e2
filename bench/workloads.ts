// The workloads: the definitions as a user would send them, the request to their webhook, and the expected
// output of every node.
import { createHmac } from 'node:crypto';

export type Baseline = 'f2' | 'w3';

export type Workload = {
  readonly name: 'W1' | 'W1-10k' | 'W1-100k' | 'W1-hmac' | 'W2' | 'W3';
  readonly title: string;
  readonly baseline: Baseline;
  readonly definition: { nodes: readonly unknown[]; connections: readonly unknown[] };
  readonly secrets: Readonly<Record<string, string>>;
  readonly body: string;
  /** Built for each load, because a signature is valid for five minutes. */
  readonly headers: () => Record<string, string>;
  readonly withKeys: boolean;
  /** The expected response of the webhook. */
  readonly answer: unknown;
  /** Expected output of each node; `undefined` where only its status is compared. */
  readonly outputs: Readonly<Record<string, unknown>>;
};

type Order = { name: string; email: string; amount: number; items?: unknown[] };

const HMAC_KEY = 'benchmark-key-0123456789abcdef';
const order: Order = { name: 'Ada Lovelace', email: 'Ada@Example.com', amount: 42 };

/** An order of about `bytes` bytes, with many small items like real payloads. */
function createOrder(bytes: number): Order {
  const items: unknown[] = [];
  const one = (index: number) => ({
    sku: `SKU-${10_000 + index}`,
    title: 'Warp thread, undyed',
    quantity: 3,
    price: 12.5,
  });
  const perItem = JSON.stringify(one(0)).length + 1;
  while (items.length * perItem < bytes - 100) items.push(one(items.length));
  return { ...order, items };
}

const node = (id: string, type: string, x: number, config: object) => ({
  id,
  type,
  position: { x, y: 0 },
  config,
});
const chain = (ids: readonly string[]) => ids.slice(1).map((id, index) => ({ from: ids[index], to: id }));

const webhook = (endpoint: string, extra: object = { authentication: 'none' }) =>
  node('hook', 'trigger', 0, {
    triggerType: 'webhook',
    endpoint,
    method: 'POST',
    respond: 'respond',
    ...extra,
  });

function w1(name: Workload['name'], title: string, body: Order, hmac: boolean): Workload {
  const endpoint = `bench-${name.toLowerCase()}`;
  const text = JSON.stringify(body);
  const shaped = { greeting: `Dear ${body.name}`, email: body.email.toLowerCase(), total: body.amount * 2 };
  return {
    name,
    title,
    baseline: 'f2',
    definition: {
      nodes: [
        webhook(
          endpoint,
          hmac ? { authentication: 'hmac', secret: 'BENCH_HMAC' } : { authentication: 'none' },
        ),
        node('shape', 'data_transformer', 200, {
          operations: [
            { action: 'map', input: 'body.name', output: 'greeting', transform: 'Dear {{ value }}' },
            { action: 'map', input: 'body.email', output: 'email', transform: '{{ value | downcase }}' },
            { action: 'map', input: 'body.amount', output: 'total', transform: '{{ value * 2 }}' },
          ],
        }),
        node('large', 'condition', 400, {
          condition: { field: 'total', operator: 'greater_than', value: 10 },
          trueAction: 'answer',
        }),
        node('answer', 'respond', 600, {
          status: 200,
          body: { ok: true, greeting: '{{ input.greeting }}', total: '{{ input.total }}' },
        }),
      ],
      connections: chain(['hook', 'shape', 'large']),
    },
    secrets: hmac ? { BENCH_HMAC: HMAC_KEY } : {},
    body: text,
    headers: () => (hmac ? { 'X-Weft-Signature': signature(text) } : {}),
    withKeys: hmac,
    answer: { ok: true, greeting: shaped.greeting, total: shaped.total },
    outputs: { hook: { body }, shape: shaped, large: shaped, answer: undefined },
  };
}

function signature(text: string): string {
  const seconds = Math.floor(Date.now() / 1000);
  return `t=${seconds},v1=${createHmac('sha256', HMAC_KEY).update(`${seconds}.${text}`).digest('hex')}`;
}

function w2(): Workload {
  const steps = Array.from({ length: 10 }, (_, index) => `step${index + 1}`);
  const outputs: Record<string, unknown> = { hook: { body: order }, answer: undefined };
  steps.forEach((id, index) => {
    outputs[id] = { name: order.name, count: order.amount + index + 1 };
  });
  return {
    name: 'W2',
    title: 'webhook → 10 data_transformer → respond',
    baseline: 'f2',
    definition: {
      nodes: [
        webhook('bench-w2'),
        ...steps.map((id, index) =>
          node(id, 'data_transformer', 200 * (index + 1), {
            operations: [
              { action: 'map', input: index === 0 ? 'body.name' : 'name', output: 'name' },
              {
                action: 'map',
                input: index === 0 ? 'body.amount' : 'count',
                output: 'count',
                transform: '{{ value + 1 }}',
              },
            ],
          }),
        ),
        node('answer', 'respond', 2200, {
          status: 200,
          body: { name: '{{ input.name }}', count: '{{ input.count }}' },
        }),
      ],
      connections: chain(['hook', ...steps, 'answer']),
    },
    secrets: {},
    body: JSON.stringify(order),
    headers: () => ({}),
    withKeys: false,
    answer: { name: order.name, count: order.amount + 10 },
    outputs,
  };
}

function w3(upstream: string): Workload {
  const accepted = { accepted: true, reference: 'R-1001' };
  return {
    name: 'W3',
    title: 'webhook → http_request → respond',
    baseline: 'w3',
    definition: {
      nodes: [
        webhook('bench-w3'),
        node('call', 'http_request', 200, {
          method: 'POST',
          url: upstream,
          body_type: 'json',
          body: { name: '{{ input.body.name }}', amount: '{{ input.body.amount }}' },
        }),
        node('answer', 'respond', 400, {
          status: 200,
          body: { ok: true, status: '{{ input.status }}', answer: '{{ input.body }}' },
        }),
      ],
      connections: chain(['hook', 'call', 'answer']),
    },
    secrets: {},
    body: JSON.stringify(order),
    headers: () => ({}),
    withKeys: false,
    answer: { ok: true, status: 200, answer: accepted },
    outputs: { hook: { body: order }, call: { status: 200, body: accepted }, answer: undefined },
  };
}

/** `upstream` is the URL that W3 calls. */
export function listWorkloads(upstream: string): readonly Workload[] {
  return [
    w1('W1', 'webhook → data_transformer → condition → respond', order, false),
    w1('W1-10k', 'W1, body of 10 KB', createOrder(10_000), false),
    w1('W1-100k', 'W1, body of 100 KB', createOrder(100_000), false),
    w1('W1-hmac', 'W1, hmac and an idempotency key', order, true),
    w2(),
    w3(upstream),
  ];
}
