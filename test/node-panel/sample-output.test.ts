import { describe, expect, test } from 'vitest';
import { toDoc, type Definition } from '../../web/src/canvas/model/document.ts';
import { completeBarePath } from '../../web/src/node-panel/model/completion.ts';
import { createSampleOutput } from '../../web/src/node-panel/model/sample-output.ts';
import { referencesExample } from '../../web/src/node-panel/model/template-scope.ts';
import { buildNodeScope, type DisplayedData } from '../../web/src/node-panel/template-scope-for-node.ts';
import { createNpmTrigger } from '../../src/nodes/npm/npm-trigger.ts';
import { builtinCatalog } from '../canvas/support/builtin-catalog.ts';

const doc = toDoc({
  nodes: [
    {
      id: 'start',
      type: 'trigger',
      config: {
        triggerType: 'webhook',
        endpoint: 'orders',
        authentication: 'none',
        expectedSchema: { sku: 'string', amount: 'number', note: 'any' },
      },
    },
    { id: 'big', type: 'condition', config: { condition: { field: 'body.amount', operator: 'exists' } } },
    { id: 'call', type: 'http_request', config: { url: 'https://example.com' } },
    { id: 'last', type: 'set', config: { fields: { a: 1 } } },
    { id: 'end', type: 'set', config: { fields: { a: 1 } } },
  ],
  connections: [
    { from: 'start', to: 'big' },
    { from: 'big', to: 'call', sourcePort: 'true' },
    { from: 'call', to: 'last' },
    { from: 'last', to: 'end' },
  ],
} as unknown as Definition);

const createScope = (id: string, data: Partial<DisplayedData> = {}) =>
  buildNodeScope(doc, builtinCatalog, id, { run: null, pinned: new Map(), path: null, ...data });

test('of a trigger of a pack is the example that the package has', () => {
  const trigger = {
    title: 'T',
    description: '',
    properties: [],
    security: [],
    handshake: null,
    renewal: null,
  };
  const type = createNpmTrigger({
    kind: 'npm',
    name: 'demo',
    version: '1.0.0',
    documentVersion: '1.0.0',
    title: 'Demo',
    description: '',
    package: { name: 'demo', integrity: '', signedBy: null, license: null },
    servers: [],
    securitySchemes: [],
    operations: [],
    triggers: [
      { ...trigger, id: 'received', strategy: 'webhook', sample: { id: 7, tags: ['new'] } },
      { ...trigger, id: 'polled', strategy: 'polling', sample: null },
    ],
    warnings: [],
  });
  const sampleOf = (event: string) =>
    createSampleOutput({ config_schema: type?.config } as never, { config: { event }, input: undefined });
  expect(sampleOf('received')).toEqual({
    item: { id: 7, tags: ['new'] },
    key: 'text',
    received_at: '2026-01-01T12:00:00Z',
  });
  expect(sampleOf('polled')).toEqual({ item: null, key: 'text', polled_at: '2026-01-01T12:00:00Z' });
});

describe('data before the first run', () => {
  test('is an example of what the trigger expects, through nodes that pass their input on', () => {
    const { scope, source } = createScope('call');
    expect(source).toEqual({ kind: 'example', nodeId: 'start' });
    expect(scope.input).toMatchObject({ body: { sku: 'text', amount: 1, note: null }, method: 'POST' });
    expect(scope.trigger).toMatchObject({ body: { amount: 1 } });
    expect(completeBarePath('body.am', 7, scope)?.options.map(({ label }) => label)).toEqual(['amount']);
  });

  test('is a pinned output before an example', () => {
    const pinned = new Map([['start', { output: { body: { sku: 'pinned' } }, ports: null }]]);
    const { scope, source } = createScope('call', { pinned });
    expect(source).toEqual({ kind: 'pin', nodeId: 'start' });
    expect(scope.input).toEqual({ body: { sku: 'pinned' } });
  });

  test('is an example of the result of the node before', () => {
    const { scope, source } = createScope('last');
    expect(source).toEqual({ kind: 'example', nodeId: 'call' });
    expect(scope.input).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: null,
    });
  });

  test('is unknown for node types without an example', () => {
    expect(createScope('end').scope.input).toBeUndefined();
    expect(createScope('end').source).toBeNull();
  });

  test('marks previews of examples', () => {
    const { scope } = createScope('last');
    expect(scope.examples).toEqual(new Set(['input', 'trigger', 'start', 'big', 'call']));
    for (const text of [
      '{{ body }}',
      '{{ trigger.body.sku }}',
      '{{ nodes.call.status }}',
      '{{ nodes["big"].x }}',
    ])
      expect(referencesExample(text, scope), text).toBe(true);
    const pinned = new Map([['start', { output: { body: { sku: 'pinned' } }, ports: null }]]);
    expect(referencesExample('{{ body.sku }}', createScope('call', { pinned }).scope)).toBe(false);
  });
});

describe('an example of a schema', () => {
  const inferType = (output: object, config: object = {}) =>
    createSampleOutput(
      { ...builtinCatalog.get('set')!, config_schema: { type: 'object', 'x-output': output } },
      { config: { ...config }, input: { given: 1 } },
    );

  test.each([
    [{ type: 'string', format: 'date-time' }, '2026-01-01T12:00:00Z'],
    [{ type: 'integer', minimum: 3 }, 3],
    [{ enum: ['b', 'a'] }, 'b'],
    [{ const: 5 }, 5],
    [{ type: 'string', examples: ['x'], default: 'y' }, 'x'],
    [{ type: ['string', 'null'], default: 'y' }, 'y'],
    [{ type: 'array', items: { type: 'boolean' } }, [true]],
    [{ anyOf: [{ type: 'null' }, { type: 'string' }] }, null],
    [{ allOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { const: 2 } } }] }, { a: 1, b: 2 }],
    [{ properties: { all: { 'x-from': 'input' } } }, { all: { given: 1 } }],
    [true, undefined],
  ])('%j', (schema, value) => {
    expect(inferType(schema as object)).toEqual(value);
  });

  test('of the field of a configuration, in full or in short', () => {
    const output = { 'x-from': 'config.schema' };
    expect(inferType(output, { schema: { a: 'integer' } })).toEqual({ a: 1 });
    expect(inferType(output, { schema: { type: 'object', properties: { a: { const: 2 } } } })).toEqual({
      a: 2,
    });
    expect(inferType(output)).toBeUndefined();
  });

  test('of a schema that contains itself ends', () => {
    const schema: Record<string, unknown> = { type: 'object' };
    schema['properties'] = { again: schema };
    expect(JSON.stringify(inferType(schema)).length).toBeLessThan(200);
  });
});
