import { describe, expect, test } from 'vitest';
import { builtinNodes } from '../../src/nodes/registry.ts';
import { extractInputPath } from '../../web/src/node-panel/model/completion.ts';
import { listFields, type Schema } from '../../web/src/node-panel/model/field.ts';
import { arrangeFields, selectShape } from '../../web/src/node-panel/model/form-layout.ts';

type Config = Record<string, unknown>;

function shown(type: string, config: Config): { main: string[]; options: string[]; settings: string[] } {
  const schema = builtinNodes.find((one) => one.type === type)!.config as Schema;
  const { main, options, groups } = arrangeFields(listFields(selectShape(schema, config)), config);
  const keys = (fields: readonly { key: string }[]): string[] => fields.map(({ key }) => key);
  return { main: keys(main), options: keys(options), settings: keys(groups[0]?.fields ?? []) };
}

describe('the fields that a form shows', () => {
  const webhook = { triggerType: 'webhook', endpoint: 'a', authentication: 'none' };

  test('depend on the choices made', () => {
    expect(shown('trigger', webhook).main).not.toContain('secret');
    expect(shown('trigger', webhook).main).not.toContain('scheme');
    expect(shown('trigger', { ...webhook, authentication: 'hmac' }).main).toEqual(
      expect.arrayContaining(['secret', 'scheme']),
    );
    expect(shown('trigger', webhook).main).not.toContain('timeout');
    expect(shown('trigger', { ...webhook, respond: 'respond' }).main).toContain('timeout');
    expect(shown('http_request', { url: 'x' }).main).toEqual([
      'method',
      'url',
      'query',
      'headers',
      'authentication',
    ]);
    expect(shown('http_request', { url: 'x', method: 'POST' }).main).toContain('body');
  });

  test('contain every field that has a value', () => {
    const config = { ...webhook, secret: 'KEY', cors: ['*'], retryPolicy: {} };
    expect(shown('trigger', config).main).toEqual(expect.arrayContaining(['secret', 'cors']));
    expect(shown('trigger', config).settings).toEqual(['retryPolicy']);
    expect(shown('http_request', { url: 'x', body: 'y' }).main).toContain('body');
  });

  test('put common settings into their own section, without settings that have no effect', () => {
    expect(shown('http_request', { url: 'x' }).settings).toEqual(['retryPolicy', 'timeout']);
    expect(shown('trigger', { triggerType: 'manual' }).settings).toEqual([]);
    expect(shown('trigger', webhook).options).toContain('cors');
  });

  test('omit a choice with one option', () => {
    expect(shown('email', { service: 'smtp', operation: 'send' }).main).not.toContain('service');
    expect(shown('email', { service: 'other', operation: 'send' }).main).toContain('service');
  });
});

test.each([
  ['{{ input.amount }}', 'amount'],
  ['{{ input.a["b c"][0] }}', 'a["b c"][0]'],
  [' {{amount}} ', 'amount'],
  ['{{ input }}', null],
  ['{{ nodes.a.b }}', null],
  ['{{ input.a | upcase }}', null],
  ['x {{ input.a }}', null],
  ['amount', null],
])('the path of the template %s', (text, path) => {
  const scope = { input: {}, trigger: undefined, nodes: new Map<string, unknown>(), secrets: [], loop: null };
  expect(extractInputPath(text, scope)).toBe(path);
});
