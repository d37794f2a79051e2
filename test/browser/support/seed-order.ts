import type { Call } from '../../support/service.ts';

/** Creates an active workflow that checks and prices an order, and runs it once through its webhook. */
export async function runOrder(call: Call, origin: string): Promise<{ id: string; run: string }> {
  const node = (id: string, name: string, type: string, x: number, y: number, config: object) => ({
    id,
    name,
    type,
    position: { x, y },
    config,
  });
  const created = await call('POST', '/workflows', {
    body: {
      name: 'Price incoming orders',
      description: 'Checks and prices an order, and notifies sales of a large one.',
      tags: ['shop'],
      status: 'active',
      definition: {
        nodes: [
          node('order', 'Order received', 'trigger', -280, 0, {
            triggerType: 'webhook',
            endpoint: 'incoming-orders',
            method: 'POST',
            authentication: 'none',
            respond: 'respond',
          }),
          node('check', 'Check the order', 'data_validator', 0, 0, {
            schema: {
              type: 'object',
              properties: {
                body: {
                  type: 'object',
                  required: ['customer', 'net'],
                  properties: { customer: { type: 'string' }, net: { type: 'number' } },
                },
              },
            },
          }),
          node('price', 'Price the order', 'set', 280, 0, {
            fields: {
              customer: '{{ input.body.customer }}',
              total: '{{ round(input.body.net * 1.19, 2) }}',
              currency: 'EUR',
            },
          }),
          node('large', 'Large order?', 'condition', 560, 0, {
            condition: { field: 'total', operator: 'greater_than', value: 100 },
          }),
          node('tell', 'Tell sales', 'notify', 840, -80, {
            level: 'info',
            message: 'Order of {{ input.total }} EUR from {{ input.customer }}',
          }),
          node('announced', 'Confirm large order', 'respond', 1120, -80, {
            status: 201,
            body: { total: '{{ nodes.price.total }}' },
          }),
          node('confirmed', 'Confirm order', 'respond', 840, 80, {
            status: 201,
            body: { total: '{{ input.total }}' },
          }),
          node('rejected', 'Reject', 'respond', 280, 160, { status: 422, body: '{{ input }}' }),
        ],
        connections: [
          { from: 'order', to: 'check' },
          { from: 'check', to: 'price' },
          { from: 'check', to: 'rejected', sourcePort: 'error' },
          { from: 'price', to: 'large' },
          { from: 'large', to: 'tell', sourcePort: 'true' },
          { from: 'large', to: 'confirmed', sourcePort: 'false' },
          { from: 'tell', to: 'announced' },
        ],
      },
    },
  });
  if (created.status !== 201) throw new Error(`The workflow was not created: ${created.text}`);
  const { id } = created.body as { id: string };
  const response = await fetch(`${origin}/v1/webhooks/incoming-orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      customer: 'Ines Okafor',
      net: 193,
      items: [
        { name: 'Desk lamp', price: 64 },
        { name: 'Bookshelf', price: 129 },
      ],
    }),
  });
  if (response.status !== 201) throw new Error(`The order was not accepted: ${await response.text()}`);
  return { id, run: response.headers.get('x-weft-execution-id') ?? '' };
}
