import { describe, expect, test } from 'vitest';
import { adminEmail, adminPassword, caller, waitUntil, type ApiResponse } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const service = useService();
const { api } = service;

const inputs = { n: { type: 'number', required: true } };
const outputs = { doubled: 'number' };
const handler = (text: string) => ({ runtime: 'javascript', handler: text });
const doubler = handler('export default async ({ n }) => ({ doubled: n * 2 })');

describe('a test of a custom node', () => {
  const run = (body: object): Promise<ApiResponse> =>
    api('POST', '/nodes/test', { body: { inputs, outputs, timeout: '30s', ...body } });

  test('returns the outputs and the log, and registers nothing', async () => {
    const code = `export default ({ n }) => { console.log('n is', n); return { doubled: n * 2, more: 1 }; }`;
    const before = (await api('GET', '/nodes?category=custom')).text;
    const tested = await run({ implementation: handler(code), values: { n: 21 } });
    expect(tested.status, tested.text).toBe(200);
    expect(tested.body).toMatchObject({
      status: 'completed',
      output: { doubled: 42 },
      error: null,
      logs: [
        { level: 'info', message: 'n is 21' },
        { level: 'warning', message: 'Dropped fields that are not declared as outputs: more' },
      ],
      duration: expect.any(Number),
    });
    expect((await api('GET', '/nodes?category=custom')).text).toBe(before);
  });

  test.each([
    ['export default () => {\n  throw new Error("no")\n}', 'code', /no/],
    ['export default (', 'code', /Unexpected/],
    ['export const a = 1', 'code', /default/],
    ['export default () => ({ tripled: 1 })', 'code', 'The handler did not return the output doubled'],
  ])('reports a failure of the code: %j', async (code, type, message) => {
    const tested = await run({ implementation: handler(code), values: { n: 1 } });
    expect(tested.status, tested.text).toBe(200);
    expect(tested.body).toMatchObject({ status: 'failed', output: null, error: { type } });
    expect((tested.body as { error: { message: string } }).error.message).toMatch(message);
  });

  test('ends at its timeout', async () => {
    const implementation = handler('export default () => { for (;;); }');
    const tested = await run({ implementation, values: { n: 1 }, timeout: '200ms' });
    expect(tested.body).toMatchObject({ status: 'failed', error: { type: 'timeout' } });
  });

  test.each([
    [{ values: { n: 'two' } }, 'values.n', 'must be a number'],
    [{ values: {} }, 'values.n', 'is required'],
    [{ values: { n: 1, m: 2 } }, 'values.m', /not a known field|unknown|no such|must not/],
    [
      { values: { n: 1, timeout: '5m' } },
      'values.timeout',
      'is not an input: use the field timeout of the request',
    ],
    [{ values: { n: 1 }, timeout: '31s' }, 'timeout', 'must be a duration of at most 30s, such as 5s'],
    [{ values: { n: 1 }, timeout: 'soon' }, 'timeout', 'must be a duration of at most 30s, such as 5s'],
    [{ values: { n: 1 }, nodeType: 'x' }, 'nodeType', /./],
    [{ inputs: { '1a': { type: 'number' } } }, 'inputs["1a"]', /must be a name/],
  ])('refuses %j', async (body, field, issue) => {
    const refused = await run({ implementation: doubler, ...body });
    expect(refused.status, refused.text).toBe(400);
    const { details } = (
      refused.body as { error: { details: { errors: { field: string; issue: string }[] } } }
    ).error;
    expect(details.errors.find((one) => one.field === field)?.issue, refused.text).toMatch(issue);
  });

  test('fails by the validation of an input as in an execution', async () => {
    const tested = await run({
      inputs: { n: { type: 'number', validation: { minimum: 10 } } },
      implementation: doubler,
      values: { n: 1 },
    });
    expect(tested.body).toMatchObject({ status: 'failed', error: { type: 'validation' } });
  });

  test('needs the scope nodes:write', async () => {
    const made = await api('POST', '/api-keys', { body: { name: 'reader', scopes: ['nodes:read'] } });
    const reader = caller(service.weft.url, { 'x-api-key': (made.body as { key: string }).key });
    const body = { inputs, outputs, implementation: doubler, values: { n: 1 } };
    expect((await reader('POST', '/nodes/test', { body })).status).toBe(403);
  });

  test('two tests of a user run at a time, and one ends when its client disconnects', async () => {
    const { url } = service.weft;
    const login = await service.weft.call('POST', '/auth/login', {
      body: { email: adminEmail, password: adminPassword },
    });
    const { token } = login.body as { token: string };
    const endless = handler('export default () => { for (;;); }');
    const body = JSON.stringify({ implementation: endless, timeout: '30s' });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const gone = new AbortController();
    // Sent again while a test of the loop below has its place.
    const hold = async (): Promise<void> => {
      while (!gone.signal.aborted) {
        const sent = fetch(`${url}/nodes/test`, { method: 'POST', headers, body, signal: gone.signal });
        await sent.then((response) => response.text()).catch(() => {});
      }
    };
    const left = [hold(), hold()];
    await waitUntil(
      () => run({ implementation: doubler, values: { n: 1 } }),
      ({ status }) => status === 429,
    );
    gone.abort();
    await Promise.all(left);
    const free = await waitUntil(
      () => run({ implementation: doubler, values: { n: 1 } }),
      ({ status }) => status === 200,
    );
    expect(free.body).toMatchObject({ output: { doubled: 2 } });
  });
});
