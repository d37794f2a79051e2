import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { NodeType } from '../../src/contract/node-type.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { serve } from '../support/servers/http-server.ts';
import { customerRecords } from '../../src/nodes/connectors/customer-records.node.ts';
import { slack } from '../../src/nodes/connectors/slack.node.ts';
import { ConnectorFixture } from '../support/connector-fixture.ts';

/*
 * What holds for every connector over HTTP: its end reaches the socket, nothing is held without a bound, and
 * nothing that arrives makes it fall over.
 */
type Service = {
  title: string;
  type: NodeType;
  secret: (url: string) => string;
  /** A call that carries `text`. */
  config: (text: Json) => JsonObject;
};
const services: Service[] = [
  {
    title: 'customer_records: rest',
    type: customerRecords,
    secret: (url) => JSON.stringify({ base_url: url, token: 'tok-123456' }),
    config: (text) => ({ service: 'rest', operation: 'create', data: { note: text } }),
  },
  {
    title: 'customer_records: hubspot',
    type: customerRecords,
    secret: (url) => JSON.stringify({ base_url: url, token: 'tok-123456' }),
    config: (text) => ({ service: 'hubspot', operation: 'create', data: { note: text } }),
  },
  {
    title: 'customer_records: salesforce',
    type: customerRecords,
    secret: (url) => JSON.stringify({ instance_url: url, token: 'tok-123456' }),
    config: (text) => ({ service: 'salesforce', operation: 'create', data: { Note__c: text } }),
  },
  {
    title: 'slack: a bot',
    type: slack,
    secret: (url) => JSON.stringify({ base_url: url, token: 'xoxb-1234-abcd' }),
    config: (text) => ({ operation: 'post_message', channel: '#a', blocks: [text] }),
  },
  {
    title: 'slack: a webhook',
    type: slack,
    secret: (url) => `${url}/services/T1/B1/x`,
    config: (text) => ({ operation: 'post_message', blocks: [text] }),
  },
];

for (const { title, type, secret, config } of services) {
  describe(title, () => {
    const bench = new ConnectorFixture(type);
    const serving = async (reply: Parameters<typeof serve>[0]) => {
      const server = await bench.open(serve(reply));
      bench.secret.value = secret(server.url);
      return server;
    };

    it('a time-out and the end of the execution close the connection', async () => {
      const closed: true[] = [];
      const server = await serving((request) => void request.socket.once('close', () => closed.push(true)));
      expect((await bench.failure(config('x'), {}, { timeout: 100 })).type).toBe('timeout');
      // On a busy machine the time may be over before anything was sent, or what was sent may come later.
      const before = server.received.length;
      const ending = new AbortController();
      const running = bench.failure(config('x'), {}, { signal: () => ending.signal });
      while (server.received.length === before) await sleep(5);
      ending.abort();
      expect((await running).type).toBe('stopped');
      for (let i = 0; i < 2_000 && closed.length < server.received.length; i++) await sleep(5);
      expect(closed.length).toBe(server.received.length);
    });

    it('an endless response is a limit error; one that breaks off, and one that is not HTTP, are network errors', async () => {
      await serving((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const chunk = Buffer.alloc(1024 * 1024, '"');
        const more = (): void => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', more);
        more();
      });
      expect(await bench.failure(config('x'))).toMatchObject({ type: 'limit', retryable: false });
      bench.made = null;
      await serving((_request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"ok":');
        response.socket?.destroy();
      });
      expect((await bench.failure(config('x'))).type).toBe('network');
      bench.made = null;
      await serving((request) => void request.socket.end('SSH-2.0-OpenSSH\r\n'));
      expect((await bench.failure(config('x'))).type).toBe('network');
    });

    it('large data goes out whole', async () => {
      const server = await serving((_request, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'),
      );
      const text = 'é'.repeat(1_000_000);
      await bench.result(config('{{ input.text }}'), { text });
      const [seen] = server.received;
      expect(Buffer.from(seen?.body ?? '', 'latin1').toString()).toContain(text);
      expect(Number(seen?.headers['content-length'])).toBe(seen?.body.length);
    });

    it.each([
      null,
      0,
      '',
      [],
      [[[]]],
      { '': { __proto__: 1, constructor: null } },
      '{{ secrets.CREDENTIALS }}',
      '\u0000\ud800',
    ])('whatever arrives, %j, is sent as data or refused with a reason', async (input) => {
      const server = await serving((_request, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'),
      );
      const outcome = await bench.run(config('{{ input }}'), input as Json);
      if (outcome.kind === 'failed') expect(outcome.error.type).toBe('validation');
      else expect(server.received.length).toBe(1);
      expect(bench.runner().errors).toEqual([]);
      // What looks like a template is data.
      if (typeof input === 'string' && input.startsWith('{{'))
        expect(server.received[0]?.body).toContain('{{ secrets.CREDENTIALS }}');
    });
  });
}
