import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseAllowedHosts } from '../allowed-hosts.ts';
import type { EgressClient } from './egress-client.ts';
import { createEgressClient } from './egress-client.ts';
import type { Resolve } from '../dns-resolver.ts';
import {
  closeAll,
  expectFailure,
  createTestEgressClient,
  get,
  neverAborted,
  startServer,
  decodeText,
} from '../../../test/support/egress-client.ts';
import { realClock, serve } from '../../../test/support/servers/http-server.ts';
import type { TestServer } from '../../../test/support/servers/http-server.ts';

afterEach(closeAll);

describe('addresses that must not be reached', () => {
  let listener: TestServer;
  let egress: EgressClient;
  const responses: Record<string, string[]> = {
    localhost: ['127.0.0.1', '::1'],
    'sub.localhost': ['127.0.0.1'],
    '127.0.0.1.nip.io': ['127.0.0.1'],
    'metadata.google.internal': ['169.254.169.254'],
    'mapped.example': ['::ffff:127.0.0.1'],
    'nat64.example': ['64:ff9b::7f00:1'],
    'both.example': ['8.8.8.8', '127.0.0.1'],
    'none.example': [],
    'nonsense.example': ['127.1'],
  };
  const resolve: Resolve = (host) =>
    Promise.resolve(
      (responses[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  beforeAll(async () => {
    listener = await serve((_q, r) => r.end('reached'));
    egress = createEgressClient({ clock: realClock, allowedHosts: parseAllowedHosts(''), resolve });
  });
  afterAll(async () => {
    await egress.close();
    await listener.close();
  });

  it.each([
    'http://127.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://127.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f000001:PORT/',
    'http://0x7f.0.0.1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://017700000001:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://127.255.255.254:PORT/',
    'http://0:PORT/',
    'http://0.0.0.0:PORT/',
    'http://１２７.０.０.１:PORT/',
    'http://①②⑦.0.0.1:PORT/',
    'http://127。0。0。1:PORT/',
    'http://%31%32%37.0.0.1:PORT/',
    'http://[::1]:PORT/',
    'http://[::]:PORT/',
    'http://[0:0:0:0:0:0:0:1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://[64:ff9b::127.0.0.1]:PORT/',
    'http://[2002:7f00:1::]:PORT/',
    'http://[2001:0:7f00:1::]:PORT/',
    'http://[fe80::1]:PORT/',
    'http://[fd00::1]:PORT/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://172.16.0.1/',
    'http://100.100.100.200/',
    'http://255.255.255.255/',
    'http://224.0.0.1/',
    'http://localhost:PORT/',
    'http://LOCALHOST:PORT/',
    'http://localhost.:PORT/',
    'http://sub.localhost:PORT/',
    'http://127.0.0.1.nip.io:PORT/',
    'http://metadata.google.internal/',
    'http://mapped.example:PORT/',
    'http://nat64.example:PORT/',
    'http://both.example:PORT/',
    'http://none.example:PORT/',
    'http://nonsense.example:PORT/',
    'https://127.0.0.1:PORT/',
    'https://localhost:PORT/',
    'http://user:pass@127.0.0.1:PORT/',
    'http://user@8.8.8.8/',
    'http://8.8.8.8@127.0.0.1:PORT/',
    'http://127.0.0.1:PORT\\@8.8.8.8/',
    'file:///etc/passwd',
    'ftp://8.8.8.8/',
    'data:,x',
    'gopher://127.0.0.1:PORT/',
    'ws://127.0.0.1:PORT/',
    'javascript:0',
    'blob:http://127.0.0.1/x',
  ])('refuses %s', async (template) => {
    const failure = await expectFailure(
      egress.send(get(template.replace('PORT', String(listener.port))), neverAborted),
    );
    expect(failure.type).toBe('forbidden');
    expect(listener.connections()).toBe(0);
  });

  it.each(['', 'nothing', 'http://', 'http://a b/', 'http://[::1', '//x', '/x', 'http://1.2.3.4.5/'])(
    'takes %j for no URL',
    async (url) => {
      expect((await expectFailure(egress.send(get(url), neverAborted))).type).toBe('validation');
    },
  );

  it('rejects a name that resolves to another address the second time', async () => {
    const target = await startServer((_q, r) => r.end('private'));
    // Only 127.0.0.3 may be called, and no server listens there; 127.0.0.1 is where the name leads
    // afterwards.
    const lists = [['127.0.0.3'], ['127.0.0.1'], ['127.0.0.3', '127.0.0.1']];
    let asked = 0;
    // No cache in time: the clock leaps an hour at each look.
    let now = 0;
    const clock = { ...realClock, now: () => (now += 3_600_000) };
    const rebinding: Resolve = () =>
      Promise.resolve((lists[asked++] ?? []).map((address) => ({ address, family: 4 as const })));
    const other = createTestEgressClient('127.0.0.3', rebinding, clock);
    const url = `http://rebind.example:${target.port}/`;
    // It is the checked address that is connected to, whatever the name says later.
    expect((await expectFailure(other.send(get(url), neverAborted))).message).toMatch(
      /refused the connection/,
    );
    expect((await expectFailure(other.send(get(url), neverAborted))).type).toBe('forbidden');
    expect((await expectFailure(other.send(get(url), neverAborted))).type).toBe('forbidden');
    expect(asked).toBe(3);
    expect(target.connections()).toBe(0);
  });

  it('allows what the list names, at its port only', async () => {
    const target = await startServer((_q, r) => r.end('hello'));
    const allowing = createTestEgressClient(`127.0.0.1:${target.port}`);
    expect((await allowing.send(get(target.url), neverAborted)).status).toBe(200);
    expect((await expectFailure(allowing.send(get(listener.url), neverAborted))).type).toBe('forbidden');
    expect(listener.connections()).toBe(0);
  });

  it('allows a host name with whatever addresses it has', async () => {
    const target = await startServer((q, r) => r.end(q.headers.host));
    const allowing = createTestEgressClient('printer.local', () =>
      Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    );
    const response = await allowing.send(get(`http://printer.local:${target.port}/`), neverAborted);
    expect(decodeText(response.body)).toBe(`printer.local:${target.port}`);
    expect(
      (await expectFailure(allowing.send(get(`http://other.local:${target.port}/`), neverAborted))).type,
    ).toBe('forbidden');
  });
});
