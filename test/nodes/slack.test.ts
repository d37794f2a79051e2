import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { serve } from '../support/servers/http-server.ts';
import { validateConfig } from '../../src/nodes/validate-config.ts';
import { slack } from '../../src/nodes/connectors/slack.node.ts';
import { ConnectorFixture } from '../support/connector-fixture.ts';

const bench = new ConnectorFixture(slack);
const post = (part: JsonObject = {}): JsonObject => ({ operation: 'post_message', text: 'Hello', ...part });

/** Slack's Web API, as far as chat.postMessage goes: it says no with 200. */
async function webApi() {
  const server = await bench.open(
    serve((request, response, raw) => {
      const body = JSON.parse(Buffer.from(raw, 'latin1').toString()) as JsonObject;
      const say = (reply: JsonObject, status = 200, headers = {}) =>
        response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify(reply));
      if (request.headers.authorization !== 'Bearer xoxb-1234-abcd')
        return say({ ok: false, error: 'invalid_auth' });
      const channel = body['channel'] as string;
      if (channel === '#busy') return say({ ok: false, error: 'ratelimited' }, 429, { 'retry-after': '30' });
      if (channel.startsWith('#no'))
        return say({ ok: false, error: channel.slice(4), response_metadata: { messages: ['[ERROR] why'] } });
      return say({ ok: true, channel: 'C1', ts: '17.1', message: body });
    }),
  );
  bench.made = null;
  bench.secret.value = JSON.stringify({ token: 'xoxb-1234-abcd', base_url: `${server.url}/api` });
  return server;
}

describe('a bot', () => {
  it('posts a message', async () => {
    const server = await webApi();
    const part = { channel: '#orders', blocks: [{ type: 'divider' }], thread_ts: '16.1' };
    const result = await bench.result(post({ ...part, text: 'An order of {{ input.total }} é' }), {
      total: 5,
    });
    const message = { ...part, text: 'An order of 5 é' };
    expect(result).toEqual({ ok: true, channel: 'C1', ts: '17.1', message });
    expect(server.received[0]).toMatchObject({ method: 'POST', url: '/api/chat.postMessage' });
    expect(server.received[0]?.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it.each([
    ['#no channel_not_found', 'client_error'],
    ['#no internal_error', 'server_error'],
    ['#no ratelimited', 'rate_limited'],
    ['#busy', 'rate_limited'],
  ])('to %s comes to %s', async (channel, type) => {
    await webApi();
    const failure = await bench.failure(post({ channel }));
    expect(failure.type).toBe(type);
    expect(failure.message).toContain(
      channel === '#busy' ? 'ratelimited' : `${channel.slice(4)}; [ERROR] why`,
    );
    expect(failure.retryAfter).toBe(channel === '#busy' ? 30_000 : undefined);
  });

  it('with a token that is not known is a client_error; without a channel it is not called', async () => {
    const server = await webApi();
    expect(await bench.failure(post())).toMatchObject({ type: 'validation', data: { field: 'channel' } });
    expect(await bench.failure({ operation: 'post_message', channel: '#a' })).toMatchObject({
      type: 'validation',
      data: { field: 'text' },
    });
    expect(server.connections()).toBe(0);
    bench.made = null;
    bench.secret.value = JSON.stringify({ token: 'xoxb-other-token', base_url: `${server.url}/api` });
    const failure = await bench.failure(post({ channel: '#a' }));
    expect(failure).toMatchObject({ type: 'client_error', message: expect.stringContaining('invalid_auth') });
    bench.made = null;
    bench.secret.value = 'no token at all';
    expect(await bench.failure(post({ channel: '#a' }))).toMatchObject({ data: { field: 'credentials' } });
  });
});

describe('an incoming webhook', () => {
  it('posts into its own channel, and its address is not shown', async () => {
    let status = 200;
    const server = await bench.open(
      serve((_request, response) =>
        response.writeHead(status).end(status === 200 ? 'ok' : 'channel_is_archived'),
      ),
    );
    bench.secret.value = `${server.url}/services/T00/B00/XXXX`;
    expect(await bench.result(post())).toEqual({ ok: true });
    expect(server.received[0]).toMatchObject({ url: '/services/T00/B00/XXXX', body: '{"text":"Hello"}' });
    expect(await bench.failure(post({ channel: '#a' }))).toMatchObject({ data: { field: 'channel' } });
    status = 410;
    const failure = await bench.failure(post());
    expect(failure).toMatchObject({ type: 'client_error', status: 410 });
    expect(failure.message).toContain('channel_is_archived');
    expect(JSON.stringify(failure)).not.toContain('XXXX');
  });
});

it.each([
  [{ operation: 'delete' }, 'operation'],
  [{ operation: 'post_message', chanel: 'x' }, 'chanel'],
  [{ operation: 'post_message', text: 1 }, 'text'],
  [{ operation: 'post_message', blocks: {} }, 'blocks'],
] as [JsonObject, string][])('%j is an error of %2$s', (config, field) => {
  const errors = validateConfig(slack, { credentials: '{{ secrets.SLACK }}', ...config });
  expect(errors.map((error) => error.field)).toContain(field);
});
