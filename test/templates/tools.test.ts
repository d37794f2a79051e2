import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendMcpRequest } from '../support/ai/mcp-request.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { useService } from '../support/use-service.ts';
import { install } from './template.ts';

const service = useService();
let upstream: Upstream;
let key: string;

beforeAll(async () => {
  upstream = await startUpstream();
  await install(
    service.api,
    'refund-tool',
    { refunds_url: `${upstream.url}/refunds` },
    { SHOP_TOKEN: 'token-of-the-shop' },
  );
  const made = await service.api('POST', '/api-keys', { body: { name: 'assistant' } });
  ({ key } = made.body as { key: string });
});
afterAll(() => upstream.close());

const call = (params: object) =>
  sendMcpRequest(service.weft.url, { 'x-api-key': key }, 'tools/call', {
    name: 'refund_order',
    arguments: {},
    ...params,
    _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } },
  });
const refunds = () => upstream.received.map(({ body }) => (body as { order: string }).order);
const input = (order: string, amount: number) => ({ arguments: { order, amount, reason: 'It was broken.' } });

test('a small refund is made at once', async () => {
  expect(await call(input('small', 20))).toMatchObject({
    structuredContent: { refunded: true, order: 'small', amount: 20 },
  });
  expect(upstream.received.at(-1)).toMatchObject({
    path: '/refunds',
    headers: { authorization: 'Bearer token-of-the-shop' },
    body: { order: 'small', amount: 20, reason: 'It was broken.' },
  });
});

test.each([
  ['accept', true],
  ['decline', false],
])('a large refund asks the person, who can %s', async (action, refunded) => {
  const asked = await call(input(action, 90));
  expect(asked).toMatchObject({
    resultType: 'input_required',
    inputRequests: {
      approve: { params: { message: `Refund 90 for the order ${action}?\n\nIt was broken.` } },
    },
  });
  expect(refunds()).not.toContain(action);
  const { requestState } = asked;
  const result = await call({ ...input(action, 90), requestState, inputResponses: { approve: { action } } });
  expect(result).toMatchObject({ structuredContent: { refunded, order: action } });
  expect(refunds().filter((order) => order === action)).toHaveLength(refunded ? 1 : 0);
});

test('a refund without an amount starts nothing', async () => {
  const before = upstream.received.length;
  const result = await call({ arguments: { order: 'none', reason: 'x' } });
  expect(result).toMatchObject({ isError: true });
  expect(JSON.stringify(result)).toContain('amount: is required');
  expect(upstream.received).toHaveLength(before);
});
