import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { redis } from '../../../src/nodes/connectors/servers/redis.node.ts';
import { validateConfig } from '../../../src/nodes/validate-config.ts';
import { limits } from '../../../src/ports/limits.ts';
import { createRedisRunner } from '../../../src/runner/redis/redis.ts';
import { ConnectorFixture } from '../../support/connector-fixture.ts';
import { createTestEgressClient, neverAborted } from '../../support/egress-client.ts';
import { realClock } from '../../support/servers/http-server.ts';
import { redisProgram, startRedis } from '../../support/servers/redis-server.ts';
import type { RedisServer } from '../../support/servers/redis-server.ts';
import { testCertificate, testKey } from '../../support/servers/tls-certificates.ts';

const reason = redisProgram === null ? ' (skipped: Redis is not installed)' : '';
const bench = new ConnectorFixture(redis);
let server: RedisServer;

const take = async (config: JsonObject, input: Json = {}, more = {}): Promise<Json> =>
  ((await bench.result(config, input, more)) as { value: Json }).value;
const command = (...parts: string[]): Promise<Json> => take({ operation: 'command', command: parts });

describe.skipIf(redisProgram === null)(`on a real server${reason}`, () => {
  const usual = getCACertificates('default');
  beforeAll(async () => {
    server = await startRedis({ certificate: testCertificate, key: testKey });
  });
  afterAll(async () => {
    setDefaultCACertificates(usual);
    await server?.remove();
  });
  beforeEach(async () => {
    bench.secret = { value: server.url, hosts: null };
    await server.command('FLUSHALL');
  });

  describe('operations', () => {
    it('set, get, exists, delete', async () => {
      expect(await take({ operation: 'get', key: 'a' })).toBe(null);
      expect(await take({ operation: 'set', key: 'a', value: 'text ü📦' })).toBe(true);
      expect(await take({ operation: 'get', key: 'a' })).toBe('text ü📦');
      expect(await take({ operation: 'set', key: 'b', value: '{{ input }}' }, { n: [1, null] })).toBe(true);
      expect(await take({ operation: 'get', key: 'b' })).toBe('{"n":[1,null]}');
      expect(await take({ operation: 'set', key: 'a', value: 5, only_if: 'missing' })).toBe(false);
      expect(await take({ operation: 'set', key: 'c', value: 5, only_if: 'exists' })).toBe(false);
      expect(await take({ operation: 'exists', key: 'a' })).toBe(true);
      expect(await take({ operation: 'exists', key: 'c' })).toBe(false);
      expect(await take({ operation: 'delete', keys: ['a', 'b', 'c'] })).toBe(2);
      expect(await take({ operation: 'delete', keys: 'a' })).toBe(0);
    });

    it('expiry: with set, later, and what remains', async () => {
      await take({ operation: 'set', key: 'a', value: 'x', expires_in: '10m' });
      const left = await take({ operation: 'ttl', key: 'a' });
      expect(left).toBeGreaterThan(590_000);
      expect(left).toBeLessThanOrEqual(600_000);
      await take({ operation: 'set', key: 'b', value: 'x' });
      expect(await take({ operation: 'ttl', key: 'b' })).toBe(null);
      expect(await take({ operation: 'ttl', key: 'missing' })).toBe(null);
      expect(await take({ operation: 'expire', key: 'b', expires_in: '1h' })).toBe(true);
      expect(await take({ operation: 'ttl', key: 'b' })).toBeGreaterThan(3_500_000);
      expect(await take({ operation: 'expire', key: 'missing', expires_in: '1h' })).toBe(false);
    });

    it('increment keeps the digits of a large number', async () => {
      expect(await take({ operation: 'increment', key: 'n' })).toBe(1);
      expect(await take({ operation: 'increment', key: 'n', by: -3 })).toBe(-2);
      await take({ operation: 'set', key: 'n', value: '9007199254740993' });
      expect(await take({ operation: 'increment', key: 'n' })).toBe('9007199254740994');
      await take({ operation: 'set', key: 'n', value: 'x' });
      expect(await bench.failure({ operation: 'increment', key: 'n' })).toMatchObject({
        type: 'client_error',
        retryable: false,
        data: { code: 'ERR' },
      });
    });

    it('hashes and lists', async () => {
      const values = { name: 'Ada', address: { city: 'London' }, __proto__x: 'p' };
      expect(await take({ operation: 'hash_set', key: 'h', values: '{{ input }}' }, values)).toBe(3);
      expect(await take({ operation: 'hash_set', key: 'h', values: { name: 'Bob' } })).toBe(0);
      expect(await take({ operation: 'hash_get', key: 'h' })).toEqual({
        name: 'Bob',
        address: '{"city":"London"}',
        __proto__x: 'p',
      });
      expect(await take({ operation: 'hash_get', key: 'h', fields: ['name', 'other'] })).toEqual({
        name: 'Bob',
        other: null,
      });
      expect(await take({ operation: 'hash_get', key: 'missing' })).toEqual({});
      expect(await take({ operation: 'list_push', key: 'l', values: ['a', 'b', { c: 1 }] })).toBe(3);
      expect(await take({ operation: 'list_push', key: 'l', values: 'first', end: 'left' })).toBe(4);
      expect(await take({ operation: 'list_pop', key: 'l' })).toEqual(['first']);
      expect(await take({ operation: 'list_pop', key: 'l', end: 'right', count: 2 })).toEqual([
        '{"c":1}',
        'b',
      ]);
      expect(await take({ operation: 'list_pop', key: 'l', count: 5 })).toEqual(['a']);
      expect(await take({ operation: 'list_pop', key: 'l', count: 5 })).toEqual([]);
      expect(await take({ operation: 'list_pop', key: 'l' })).toEqual([]);
      expect(await bench.failure({ operation: 'get', key: 'h' })).toMatchObject({
        data: { code: 'WRONGTYPE' },
      });
    });

    it('publish, and other commands', async () => {
      expect(await take({ operation: 'publish', channel: 'news', message: { a: 1 } })).toBe(0);
      await command('ZADD', 'scores', '17', 'ada', '12.5', 'bob');
      expect(await command('zrange', 'scores', '0', '-1', 'WITHSCORES')).toEqual([
        'bob',
        '12.5',
        'ada',
        '17',
      ]);
      expect(await take({ operation: 'command', command: ['ZADD', 'scores', 1, 'c'] })).toBe(1);
      expect(
        await command(
          'EVAL',
          "return {1, 'x', {err='ERR bad'}, {'y', {}}, false, redis.status_reply('fine')}",
          '0',
        ),
      ).toEqual([1, 'x', 'ERR bad', ['y', []], null, 'fine']);
      expect(await command('EVAL', "return '\\255\\0'", '0')).toEqual({ base64: '/wA=' });
      expect(await command('EVAL', "return '\\239\\187\\191x'", '0')).toBe('\ufeffx');
      expect(await bench.failure({ operation: 'command', command: ['NOPE'] })).toMatchObject({
        type: 'client_error',
        message: expect.stringContaining("unknown command 'NOPE'") as string,
      });
    });

    it('any text comes back as it went, as key, field and value (random)', async () => {
      const texts = fc.string({ unit: 'grapheme', minLength: 1 });
      await fc.assert(
        fc.asyncProperty(texts, texts, async (name, value) => {
          const input = { name, value, values: { [name]: value } };
          await take({ operation: 'set', key: '{{ input.name }}', value: '{{ input.value }}' }, input);
          expect(await take({ operation: 'get', key: '{{ input.name }}' }, input)).toBe(value);
          await take({ operation: 'delete', keys: ['h'] });
          await take({ operation: 'hash_set', key: 'h', values: '{{ input.values }}' }, input);
          expect(await take({ operation: 'hash_get', key: 'h' })).toEqual({ [name]: value });
        }),
        { seed: 1125, numRuns: 40 },
      );
    });
  });

  it('a reply that is too large is refused', async () => {
    await server.command('SETRANGE', 'big', '100000000', 'x');
    expect(await bench.failure({ operation: 'get', key: 'big' })).toMatchObject({
      type: 'limit',
      retryable: false,
    });
    await server.command('SETRANGE', 'big', String(limits.nodeOutputBytes), 'x');
    await server.command('COPY', 'big', 'copy');
    expect((await bench.failure({ operation: 'get', key: 'big' })).type).toBe('limit');
    expect(await take({ operation: 'exists', key: 'big' })).toBe(true);
  });

  describe('sessions', () => {
    const readClients = async (): Promise<string[]> =>
      String(await server.command('CLIENT', 'LIST', 'TYPE', 'normal'))
        .trim()
        .split('\n');

    it('a session is reused by the same owner with the same credentials only', async () => {
      const count = async () => (await readClients()).length;
      await take({ operation: 'exists', key: 'a' });
      const before = await count();
      for (let i = 0; i < 5; i++) await take({ operation: 'exists', key: 'a' });
      expect(await count()).toBe(before);
      await take({ operation: 'exists', key: 'a' }, {}, { ownerId: 'usr_2' });
      expect(await count()).toBe(before + 1);
    });

    it('a session that broke while it waited is replaced, and no command is sent twice', async () => {
      for (let i = 1; i <= 5; i++) {
        expect(await take({ operation: 'increment', key: 'n' })).toBe(i);
        await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      }
    });

    it('a database of the credentials is used', async () => {
      bench.secret.value = `${server.url}/3`;
      await take({ operation: 'set', key: 'in-three', value: 'x' });
      bench.made = null;
      bench.secret.value = server.url;
      expect(await take({ operation: 'exists', key: 'in-three' })).toBe(false);
      bench.made = null;
      bench.secret.value = `${server.url}/99`;
      expect(await bench.failure({ operation: 'get', key: 'a' })).toMatchObject({
        type: 'client_error',
        message: expect.stringContaining('DB index is out of range') as string,
      });
    });

    it('a user with a password, a wrong password, and a missing permission', async () => {
      await server.command('ACL', 'SETUSER', 'weft', 'on', '>p@ss/word', '~*', '+@read', '+ping');
      bench.secret.value = server.url.replace('redis://', 'redis://weft:p%40ss%2Fword@');
      expect(await take({ operation: 'get', key: 'a' })).toBe(null);
      expect(await bench.failure({ operation: 'set', key: 'a', value: 'x' })).toMatchObject({
        type: 'client_error',
        data: { code: 'NOPERM' },
      });
      bench.made = null;
      bench.secret.value = server.url.replace('redis://', 'redis://weft:secret-word@');
      const failure = await bench.failure({ operation: 'get', key: 'a' });
      expect(failure).toMatchObject({ type: 'client_error', retryable: false, data: { code: 'WRONGPASS' } });
      expect(JSON.stringify(failure)).not.toContain('secret-word');
    });

    it('a timeout and the end of the execution close the connection', async () => {
      const slow = {
        operation: 'command',
        command: ['EVAL', 'local t = redis.call("TIME")[1] while redis.call("TIME")[1] - t < 3 do end', '0'],
      };
      expect((await bench.failure(slow, {}, { timeout: 300 })).type).toBe('timeout');
      const end = new AbortController();
      const ended = bench.failure(slow, {}, { timeout: null, signal: () => end.signal });
      end.abort();
      expect((await ended).type).toBe('stopped');
      await expect.poll(async () => (await readClients()).length, { timeout: 15_000 }).toBe(1);
    });

    it('a server that is killed in the middle is a network error, and serves again after its start', async () => {
      await server.command('CONFIG', 'SET', 'lua-time-limit', '10');
      const slow = bench.failure({ operation: 'command', command: ['EVAL', 'while true do end', '0'] });
      // While the script runs, the server refuses other commands.
      const isBusy = () =>
        server.command('PING').then(
          () => false,
          () => true,
        );
      await expect.poll(isBusy, { timeout: 15_000 }).toBe(true);
      await server.stop();
      expect(await slow).toMatchObject({
        type: 'network',
        message: `127.0.0.1:${server.port} closed the connection`,
      });
      expect((await bench.failure({ operation: 'get', key: 'a' })).type).toBe('network');
      await server.start();
      expect(await take({ operation: 'get', key: 'a' })).toBe(null);
    });

    it('the number of open connections is limited, and they are closed with the service', async () => {
      await Promise.all(
        Array.from({ length: limits.sqlConnections * 3 }, () => take({ operation: 'exists', key: 'a' })),
      );
      expect((await readClients()).length).toBeLessThanOrEqual(limits.sqlConnections + 1);
      await bench.runner().runner.close();
      await expect.poll(async () => (await readClients()).length).toBe(1);
    });
  });

  it('TLS: the certificate is checked against the name', async () => {
    const egress = createTestEgressClient('127.0.0.1', () =>
      Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    );
    bench.opened.push(egress);
    const runner = createRedisRunner(realClock);
    bench.opened.push({ close: () => Promise.resolve(runner.close()) });
    const attempt = {
      ownerId: 'usr_1',
      signal: neverAborted,
      timeout: null,
      check() {},
      connect: (goal: { host: string; port: number }, signal: AbortSignal) => egress.connect(goal, signal),
    };
    const ask = (host: string) =>
      runner.query(
        {
          host,
          port: Number(new URL(server.tlsUrl ?? '').port),
          database: '0',
          user: '',
          password: '',
          tls: true,
        },
        ['PING'],
        attempt,
      );
    await expect(ask('weft.test')).rejects.toThrow(/securely/);
    setDefaultCACertificates([...usual, testCertificate]);
    await expect(ask('third.test')).rejects.toThrow(/securely/);
    expect(await ask('weft.test')).toBe('PONG');
    // A server without TLS waits for the end of a line.
    bench.secret.value = server.url.replace('redis:', 'rediss:');
    const failure = await bench.failure({ operation: 'get', key: 'a' }, {}, { timeout: 1_000 });
    expect(failure.type).toBe('timeout');
  });

  it('no private address, and only hosts of the secret', async () => {
    bench.allowedHosts = '';
    expect((await bench.failure({ operation: 'get', key: 'a' })).type).toBe('forbidden');
    bench.allowedHosts = '127.0.0.1';
    bench.made = null;
    bench.secret.hosts = ['db.example.com'];
    expect((await bench.failure({ operation: 'get', key: 'a' })).type).toBe('forbidden');
  });
});

describe('a server that is none', () => {
  async function raw(talk: (socket: Socket) => void): Promise<void> {
    const sockets = new Set<Socket>();
    const listener = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('data', () => {});
      talk(socket);
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    bench.secret.value = `redis://:secret-word@127.0.0.1:${(listener.address() as AddressInfo).port}`;
    bench.opened.push({
      close: () =>
        new Promise((resolve) => {
          for (const socket of sockets) socket.destroy();
          listener.close(() => resolve());
        }),
    });
  }

  it('nothing listens', async () => {
    bench.secret.value = 'redis://127.0.0.1:1';
    expect(await bench.failure({ operation: 'get', key: 'a' })).toMatchObject({
      type: 'network',
      message: '127.0.0.1:1 refused the connection',
    });
  });

  it.each([
    ['says nothing', () => {}, ['timeout']],
    ['hangs up', (socket: Socket) => socket.destroy(), ['network']],
    ['speaks HTTP', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), ['network']],
    ['sends noise', (socket: Socket) => socket.write(Buffer.alloc(64, 7)), ['network']],
    [
      'sends without end',
      (socket: Socket) => {
        socket.write('$1000000000\r\n');
        const more = (): void => {
          while (!socket.destroyed && socket.write(Buffer.alloc(1024 * 1024, 65)));
          if (!socket.destroyed) socket.once('drain', more);
        };
        more();
      },
      ['limit', 'network', 'timeout'],
    ],
  ] as [string, (socket: Socket) => void, string[]][])('it %s', async (_title, talk, types) => {
    await raw(talk);
    const failure = await bench.failure({ operation: 'get', key: 'a' }, {}, { timeout: 3_000 });
    expect(types).toContain(failure.type);
    expect(JSON.stringify(failure)).not.toContain('secret-word');
  });
});

describe('what it takes', () => {
  it.each([
    ['postgres://u:secret-word@x/0'],
    ['redis://:secret-word@x/a'],
    ['redis://:secret-word@x/0/1'],
    ['redis://:secret-word@x/0?tls=on'],
    ['redis://:secret-word@x/0?tls=off&family=6'],
    ['rediss://:secret-word@x/0?tls=off'],
    ['secret-word'],
  ])('a secret that is no address of a server is refused without being shown: %s', async (value) => {
    bench.secret.value = value;
    const failure = await bench.failure({ operation: 'get', key: 'a' });
    expect(failure).toMatchObject({ type: 'validation', data: { field: 'credentials' } });
    expect(JSON.stringify(failure)).not.toContain('secret-word');
  });

  it.each([
    [{ operation: 'get' }, 'key'],
    [{ operation: 'get', key: '' }, 'key'],
    [{ operation: 'set', key: 'a' }, 'value'],
    [{ operation: 'set', key: 'a', value: 'x', expires_in: 'soon' }, 'expires_in'],
    [{ operation: 'set', key: 'a', value: 'x', only_if: 'maybe' }, 'only_if'],
    [{ operation: 'delete', keys: [] }, 'keys'],
    [{ operation: 'delete', keys: ['a', 1] }, 'keys[1]'],
    [{ operation: 'increment', key: 'a', by: 1.5 }, 'by'],
    [{ operation: 'hash_set', key: 'a', values: {} }, 'values'],
    [{ operation: 'list_push', key: 'a', values: [] }, 'values'],
    [{ operation: 'list_pop', key: 'a', count: 0 }, 'count'],
    [{ operation: 'command', command: [] }, 'command'],
    [{ operation: 'command', command: [1] }, 'command[0]'],
    [{ operation: 'command', command: ['blpop', 'a', 0] }, 'command[0]'],
    [{ operation: 'command', command: ['SUBSCRIBE', 'a'] }, 'command[0]'],
    [{ operation: 'command', command: ['select', '1'] }, 'command[0]'],
    [{ operation: 'command', command: ['FLUSHALL'] }, 'command[0]'],
    [{ operation: 'command', command: ['XREAD', 'BLOCK', 0, 'STREAMS', 's', '0'] }, 'command[0]'],
    [{ operation: 'flush' }, 'operation'],
    [{ operation: 'get', key: 'a', credentials: 'redis://x' }, 'credentials'],
  ] as [JsonObject, string][])('%j is an error of %s', (config, field) => {
    const errors = validateConfig(redis, { credentials: '{{ secrets.REDIS }}', ...config });
    expect(errors.map((error) => error.field)).toContain(field);
  });

  it('a command that data names is refused when it arrives', async () => {
    bench.secret.value = 'redis://127.0.0.1:1';
    const config = { operation: 'command', command: ['{{ input.name }}', 'x'] };
    for (const name of ['Client', 'SHUTDOWN', 'MULTI', '', 'GET x'])
      expect(await bench.failure(config, { name })).toMatchObject({
        type: 'validation',
        data: { field: 'command[0]' },
      });
  });
});
