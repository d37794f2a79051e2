import { describe, expect, test } from 'vitest';
import { builtinNodes } from '../../src/nodes/registry.ts';
import { presentNode } from '../../src/api/serializers/node.ts';
import { createCatalog, type NodeType } from '../../web/src/canvas/model/catalog.ts';
import { loadProviders } from '../../src/contract/connections/connection-providers.ts';
import type { ConnectionProvider } from 'weft-client';
import { listCredentials } from '../../web/src/canvas/model/credentials.ts';
import { formatNextRun } from '../../web/src/canvas/model/schedule-text.ts';
import { createUniqueName } from '../../web/src/credentials/credential-name.ts';
import { parseSecretTemplate, listSecretsInText } from '../../web/src/credentials/credential.ts';
import { findProviderByHost } from '../../web/src/credentials/provider-host.ts';
import { getServiceHost } from '../../web/src/node-panel/model/service-host.ts';

const catalog = createCatalog(builtinNodes.map((type) => presentNode(type) as unknown as NodeType));
const used = (type: string, config: Record<string, unknown>): string[] =>
  listCredentials({ id: 'x', type, config } as never, catalog).map(({ kind, name }) => `${kind} ${name}`);

describe('the credentials of a node', () => {
  test.each([
    ['set', { fields: { a: 1 } }, []],
    ['trigger', { triggerType: 'webhook', endpoint: 'a', secret: 'HOOK' }, ['secret HOOK']],
    [
      'http_request',
      { url: 'https://x.example', authentication: { type: 'oauth2', credential: 'crm' } },
      ['connection crm'],
    ],
    [
      'http_request',
      {
        url: 'https://x.example',
        headers: { a: '{{ secrets.B }}{{ secrets["C"] }}' },
        authentication: { type: 'bearer', token: '{{ secrets.A }}' },
      },
      ['secret B', 'secret C', 'secret A'],
    ],
    [
      'email',
      { credentials: '{{ secrets.MAIL }}', connection: 'google', template: { text: 'no secrets.X here' } },
      ['connection google', 'secret MAIL'],
    ],
    ['unknown_type', { any: ['{{ secrets.A }}', '{{ secrets.A | upcase }}'] }, ['secret A']],
  ])('%s %j', (type, config, expected) => {
    expect(used(type, config)).toEqual(expected);
  });

  test.each([
    ['{{ secrets.A }}', 'A'],
    [' {{secrets.A_1}} ', 'A_1'],
    ['{{ secrets.A }}x', null],
    ['{{ secrets.A | upcase }}', null],
    ['A', null],
  ])('%j is the secret %j', (text, name) => {
    expect(parseSecretTemplate(text)).toBe(name);
  });

  test('only templates read secrets', () => {
    expect(listSecretsInText('secrets.A {{ input.secrets }} {{ secrets.B }}')).toEqual(['B']);
  });
});

describe('a new connection', () => {
  test.each([
    ['api.example.com:8080', [], 'api_example_com_8080'],
    ['127.0.0.1', [], 'host_127_0_0_1'],
    ['slack', ['slack', 'slack_2'], 'slack_3'],
    ['---', [], 'account'],
  ])('%j gets a free name', (text, taken, name) => {
    expect(createUniqueName(text, taken)).toBe(name);
  });

  test('is for the service of the node', async () => {
    const catalog = [...(await loadProviders())].map(([id, provider]) => ({ id, ...provider }));
    const providers = catalog as unknown as readonly ConnectionProvider[];
    expect(
      findProviderByHost(getServiceHost('http_request', { url: 'https://api.github.com/user' })!, providers),
    ).toBe('github');
    expect(findProviderByHost(getServiceHost('slack', {})!, providers)).toBe('slack');
    expect(findProviderByHost(getServiceHost('customer_records', { service: 'hubspot' })!, providers)).toBe(
      'hubspot',
    );
    expect(getServiceHost('http_request', { url: 'https://{{ input.host }}/x' })).toBeNull();
    expect(findProviderByHost('notgithub.com', providers)).toBeNull();
  });
});

test.each([
  [-5_000, 'next in < 1 min'],
  [59_000, 'next in < 1 min'],
  [300_000, 'next in 5 min'],
  [4 * 3_600_000, 'next in 4 h'],
  [72 * 3_600_000, 'next in 3 days'],
])('%d ms: %s', (away, text) => {
  expect(formatNextRun(away)).toBe(text);
});
