import { expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import { manual } from './definitions.ts';

const { api } = useService();

const formatNameError = (length: number): string =>
  `must be 1 to ${length} characters, not only spaces, without control characters`;
const definition = { nodes: [manual], connections: [] };

test.each(['   ', '\t', 'two\nlines', 'a\u0000b', 'a\u001bb', '\u2028', '', 'x'.repeat(201)])(
  'no workflow and no API key is named %j',
  async (name) => {
    const issue = formatNameError(200);
    for (const [path, body] of [
      ['/workflows', { name, definition }],
      ['/api-keys', { name }],
    ] as const) {
      const response = await api('POST', path, { body });
      expect(response.body, path).toMatchObject({
        error: { code: 'VALIDATION_ERROR', details: { field: 'name', issue } },
      });
    }
  },
);

test.each(['two\nlines', 'a\u0000b', '\u2028'])('no user, node or tag is named %j', async (name) => {
  const issue = 'must be at most 200 characters, without control characters';
  const node = { ...manual, name };
  for (const [path, body, field, expected] of [
    ['/users', { email: 'n@example.com', password: 'a password of a user', name }, 'name', issue],
    [
      '/workflows',
      { name: 'w', definition: { nodes: [node], connections: [] } },
      'definition.nodes[0].name',
      issue,
    ],
    ['/workflows', { name: 'w', definition, tags: [name] }, 'tags[0]', formatNameError(50)],
  ] as const) {
    const response = await api('POST', path, { body });
    expect(response.body, path).toMatchObject({
      error: { code: 'VALIDATION_ERROR', details: { field, issue: expected } },
    });
  }
});

test.each(['Täglicher Bericht', ' spaces around ', '日報 📈', "Ada's"])(
  'a workflow may be named %j',
  async (name) => {
    const response = await api('POST', '/workflows', { body: { name, definition } });
    expect([response.status, response.body]).toEqual([201, expect.objectContaining({ name })]);
  },
);

test.each([
  [{ initialDelay: '2m' }, false],
  [{ initialDelay: '2m', maxDelay: '90s' }, false],
  [{ initialDelay: '2m', maxDelay: '5m' }, true],
  [{ initialDelay: '1m' }, true],
])('retryPolicy %j is refused unless its first delay fits the longest', async (retryPolicy, isTaken) => {
  const node = { id: 'wait', type: 'delay', config: { duration: '1s', retryPolicy } };
  const response = await api('POST', '/workflows', {
    body: {
      name: 'retry',
      status: 'active',
      definition: { nodes: [manual, node], connections: [{ from: manual.id, to: 'wait' }] },
    },
  });
  expect(response.status, response.text).toBe(isTaken ? 201 : 400);
  if (!isTaken)
    expect(response.body).toMatchObject({
      error: {
        details: {
          field: 'definition.nodes[1].config.retryPolicy.initialDelay',
          issue: 'must not be longer than maxDelay, which is 1m unless set',
        },
      },
    });
});
