import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { parseExactJson } from '../../../src/lib/json/parse-json.ts';
import { limits } from '../../../src/ports/limits.ts';
import { findPostgresPrograms, startPostgres } from '../../support/servers/postgres-wire-server.ts';
import type { PostgresServer } from '../../support/servers/postgres-wire-server.ts';
import { realClock } from '../../support/servers/http-server.ts';
import { testCertificate } from '../../support/servers/tls-certificates.ts';
import { validateConfig } from '../../../src/nodes/validate-config.ts';
import { postgres } from '../../../src/nodes/connectors/servers/postgres.node.ts';
import { ConnectorFixture } from '../../support/connector-fixture.ts';

const programs = findPostgresPrograms();
const reason = programs === null ? ' (skipped: PostgreSQL is not installed)' : '';
const bench = new ConnectorFixture(postgres);
let server: PostgresServer;

type Result = { rows: JsonObject[]; row_count: number; fields: { name: string; type: string }[] };
const createQueryConfig = (query: string, parameters: Json[] = []): JsonObject => ({
  operation: 'query',
  query,
  parameters: '{{ input.parameters }}',
  ...(parameters.length === 0 ? { parameters: [] } : {}),
});
async function query(text: string, parameters: Json[] = []): Promise<Result> {
  return (await bench.result(createQueryConfig(text, parameters), { parameters })) as unknown as Result;
}
const failing = (text: string, parameters: Json[] = [], more = {}) =>
  bench.failure(createQueryConfig(text, parameters), { parameters }, more);
async function until(condition: () => Promise<boolean>): Promise<void> {
  await expect.poll(condition).toBe(true);
}
const sleeping = async () =>
  (
    await server.sql(
      `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND pid <> pg_backend_pid() AND state = 'active'`,
    )
  ).length;

describe.skipIf(programs === null)(`on a real server${reason}`, () => {
  const usual = getCACertificates('default');
  beforeAll(async () => {
    server = await startPostgres(programs ?? '');
    await server.sql(
      'CREATE TABLE orders (id text PRIMARY KEY, total numeric, lines jsonb, tags text[], raw bytea, "odd ""name" int)',
    );
  });
  afterAll(async () => {
    setDefaultCACertificates(usual);
    await server?.close();
  });
  beforeEach(async () => {
    bench.secret = { value: server.url, hosts: null };
    await server.sql('TRUNCATE orders');
  });

  describe('types', () => {
    it.each([
      ['bool', 'true', true],
      ['int2', '-32768', -32768],
      ['int4', '2147483647', 2147483647],
      ['int8', '9223372036854775807', '9223372036854775807'],
      ['numeric', '12345678901234567890.000100', '12345678901234567890.000100'],
      ['float8', '0.1', 0.1],
      ['float8', 'NaN', 'NaN'],
      ['float4', '1.5', 1.5],
      ['text', 'a\'b"c\\\\ü📦', 'a\'b"c\\\\ü📦'],
      ['bpchar', 'a', 'a'],
      ['json', '{"a": [1, null]}', { a: [1, null] }],
      ['jsonb', '[1, "x"]', [1, 'x']],
      ['bytea', '\\x00ff', 'AP8='],
      ['timestamptz', '2026-01-01 12:00:00.123456+02', '2026-01-01T10:00:00.123456Z'],
      ['timestamptz', '0044-03-15 12:00:00+00 BC', '0044-03-15 12:00:00+00 BC'],
      ['timestamptz', 'infinity', 'infinity'],
      ['timestamp', '2026-01-01 12:00:00', '2026-01-01T12:00:00'],
      ['date', '2026-01-31', '2026-01-31'],
      ['time', '12:00:00', '12:00:00'],
      ['interval', '1 day 02:00:00', 'P1DT2H'],
      ['uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
      ['inet', '10.0.0.1/8', '10.0.0.1/8'],
      ['int4[]', '{1,NULL,3}', [1, null, 3]],
      [
        'int4[]',
        '{{1,2},{3,4}}',
        [
          [1, 2],
          [3, 4],
        ],
      ],
      ['int4[]', '[0:1]={1,2}', [1, 2]],
      ['text[]', '{"a b","NULL",NULL,"",x\\\\y,"q\\"{,}"}', ['a b', 'NULL', null, '', 'x\\y', 'q"{,}']],
      ['int8[]', '{9223372036854775807}', ['9223372036854775807']],
      ['timestamptz[]', '{"2026-01-01 00:00:00+00"}', ['2026-01-01T00:00:00Z']],
      ['jsonb[]', '{"{\\"a\\": 1}"}', [{ a: 1 }]],
      ['int4range', '[1,5)', '[1,5)'],
    ] as [string, string, Json][])('%s %s is given as %j', async (type, text, value) => {
      const { rows, fields } = await query(`SELECT $1::text::${type} AS v`, [text]);
      expect(rows).toEqual([{ v: value }]);
      expect(fields[0]?.type).toBe(type === 'int4range' ? 'oid 3904' : type);
    });

    it.each([
      ['bool', true],
      ['int4', -5],
      ['int8', '9223372036854775807'],
      ['numeric', '0.10'],
      ['float8', 1e300],
      ['text', "'; DROP TABLE orders; --"],
      ['jsonb', { a: [1, 'x', null, { b: true }] }],
      ['jsonb', ['a', 1]],
      ['jsonb', 'a text'],
      ['json', null],
      ['bytea', 'AP8='],
      ['text[]', ['a', null, 'b"c\\', '{}', 'NULL', '']],
      [
        'int4[]',
        [
          [1, 2],
          [3, 4],
        ],
      ],
      ['int4[]', []],
      ['timestamptz', '2026-01-01T10:00:00.5Z'],
      ['uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
    ] as [string, Json][])('a parameter of %s comes back as it went: %j', async (type, value) => {
      expect((await query(`SELECT $1::${type} AS v`, [value])).rows).toEqual([{ v: value }]);
    });

    it('any text and any JSON come back as they went (random)', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
          fc.jsonValue({ maxDepth: 3, noUnicodeString: true } as object),
          fc.array(fc.option(fc.string({ unit: 'grapheme-ascii' }))),
          async (text, json, list) => {
            const clean = JSON.parse(JSON.stringify(json).replaceAll('-0', '0')) as Json;
            const { rows } = await query('SELECT $1::text AS t, $2::json AS j, $3::text[] AS l', [
              text,
              clean,
              list,
            ]);
            expect(rows).toEqual([{ t: text, j: parseExactJson(JSON.stringify(clean)), l: list }]);
          },
        ),
        { seed: 1121, numRuns: 40 },
      );
    });
  });

  describe('statements', () => {
    it('insert, upsert, update and query', async () => {
      const insert = {
        operation: 'insert',
        table: 'public.orders',
        values: '{{ input }}',
        returning: ['id'],
      };
      const row = { id: 'a', total: 9.5, lines: [{ sku: 1 }], tags: ['x', 'y'], raw: 'AP8=', 'odd "name': 3 };
      expect(await bench.result(insert, row)).toEqual({
        rows: [{ id: 'a' }],
        row_count: 1,
        fields: [{ name: 'id', type: 'text' }],
      });
      const upsert = {
        operation: 'upsert',
        table: 'orders',
        values: [
          { id: 'a', total: '1.10' },
          { id: 'b', total: null },
        ],
        conflict: ['id'],
      };
      expect(await bench.result(upsert)).toEqual({ rows: [], row_count: 2, fields: [] });
      const update = {
        operation: 'update',
        table: 'orders',
        values: { total: 7 },
        where: { total: null, id: 'b' },
      };
      expect(await bench.result(update)).toMatchObject({ row_count: 1 });
      expect(
        await query('SELECT id, total, lines, tags, raw, "odd ""name" AS odd FROM orders ORDER BY id'),
      ).toMatchObject({
        rows: [
          { id: 'a', total: '1.10', lines: [{ sku: 1 }], tags: ['x', 'y'], raw: 'AP8=', odd: 3 },
          { id: 'b', total: '7' },
        ],
        row_count: 2,
      });
      expect((await query('CREATE TABLE t2 AS SELECT generate_series(1, 5)')).row_count).toBe(5);
      expect(await query('DROP TABLE t2')).toEqual({ rows: [], row_count: 0, fields: [] });
    });

    it('names of columns that come from outside are only ever names (random)', async () => {
      const unit = fc.constantFrom('"', "'", ';', ')', ' ', '--', 'a', '$1', '\\', 'total');
      await fc.assert(
        fc.asyncProperty(fc.string({ unit, minLength: 1, maxLength: 8 }), async (name) => {
          fc.pre(name !== 'total');
          const failure = await bench.failure(
            { operation: 'insert', table: 'orders', values: '{{ input }}' },
            { [name]: 1 },
          );
          expect(failure).toMatchObject({ type: 'client_error', data: { code: '42703' } });
        }),
        { seed: 1121, numRuns: 40 },
      );
      expect(
        await bench.failure({ operation: 'insert', table: 'orders', values: '{{ input }}' }, { 'a\0b': 1 }),
      ).toMatchObject({
        type: 'validation',
        data: { field: 'values' },
      });
    });

    it('there is only one at a time, and no COPY', async () => {
      expect(await failing("INSERT INTO orders (id) VALUES ('x'); DROP TABLE orders")).toMatchObject({
        type: 'client_error',
        retryable: false,
        data: { code: '42601' },
      });
      expect(await failing('COPY orders TO STDOUT')).toMatchObject({ type: 'validation' });
      expect(await failing('COPY orders FROM STDIN')).toMatchObject({ type: 'validation' });
      expect((await query('SELECT count(*)::int AS n FROM orders')).rows).toEqual([{ n: 0 }]);
    });

    it('errors are specific: the number of values, names of columns, the message of the server', async () => {
      expect((await failing('SELECT $1::int', [])).message).toContain('has 1 parameters ($1, $2, …), but 0');
      expect((await failing('SELECT 1', [1, 2])).message).toContain('has 0 parameters');
      expect((await failing('SELECT 1 AS a, 2 AS a')).message).toContain('two columns are named a');
      expect(await failing('SELEC 1')).toMatchObject({
        type: 'client_error',
        data: { code: '42601', position: '1' },
      });
      await query("INSERT INTO orders (id) VALUES ('a')");
      expect(await failing("INSERT INTO orders (id) VALUES ('a')")).toMatchObject({
        type: 'client_error',
        retryable: false,
        data: { code: '23505', constraint: 'orders_pkey', detail: 'Key (id)=(a) already exists.' },
      });
      expect(await query('-- nothing')).toEqual({ rows: [], row_count: 0, fields: [] });
    });

    it('more rows or bytes than allowed are a failure, and nothing is done', async () => {
      const insert = "INSERT INTO orders (id) SELECT 'r' || n FROM generate_series(1, 1200) n RETURNING id";
      const limited = (max: number) => ({ operation: 'query', query: insert, max_rows: max });
      expect(await bench.failure(limited(1199))).toMatchObject({ type: 'limit', retryable: false });
      expect((await query('SELECT count(*)::int AS n FROM orders')).rows).toEqual([{ n: 0 }]);
      const result = (await bench.result(limited(1200))) as Result;
      expect([result.rows.length, result.row_count]).toEqual([1200, 1200]);
      expect((await query('SELECT id FROM orders ORDER BY id')).row_count).toBe(1200);
      const much = `SELECT repeat('x', ${limits.sqlBytes / 8}) AS x FROM generate_series(1, 9)`;
      expect((await failing(much)).type).toBe('limit');
      expect((await failing(`SELECT repeat('x', 200000000) AS x`)).type).toBe('limit');
      expect((await failing('SELECT generate_series(1, 10001)')).type).toBe('limit');
    });

    it('a session is reused, and no state of one use reaches the next', async () => {
      const pid = async () => (await query('SELECT pg_backend_pid() AS pid')).rows[0]?.['pid'];
      const first = await pid();
      await query("SET search_path TO 'nowhere'");
      await query('CREATE TEMPORARY TABLE orders (x int)');
      await query("SELECT pg_advisory_lock(17) IS NULL AS a, set_config('DateStyle', 'German', false) AS b");
      expect((await query('SHOW search_path')).rows).toEqual([{ search_path: '"$user", public' }]);
      expect((await query('SHOW DateStyle')).rows).toEqual([{ DateStyle: expect.stringMatching(/^ISO/) }]);
      expect((await query('SELECT id FROM orders')).rows).toEqual([]);
      expect((await server.sql("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'")).length).toBe(0);
      expect(await pid()).toBe(first);
      await query('BEGIN');
      expect(await pid()).not.toBe(first);
      const second = await pid();
      await failing('SELECT 1/0');
      expect(await pid()).not.toBe(second);
    });

    it('it is not shared: another owner, another password, another time, other hosts', async () => {
      const text = 'SELECT pg_backend_pid() AS pid';
      const of = async (more = {}) => (await bench.result(createQueryConfig(text), {}, more)) as Result;
      const pids = [await of(), await of(), await of({ ownerId: 'usr_2' }), await of({ timeout: 5_000 })];
      const [first, again, ...others] = pids.map(({ rows }) => rows[0]?.['pid']);
      expect(again).toBe(first);
      expect(new Set([first, ...others]).size).toBe(3);
      bench.secret.value = server.url.replace('p%40ss%2Fword', 'wrong');
      expect(await failing(text)).toMatchObject({ data: { code: '28P01' } });
      bench.secret.value = server.url;
      bench.secret.hosts = ['db.example.com'];
      expect((await failing(text)).type).toBe('forbidden');
    });

    it('a session that broke while it waited is replaced', async () => {
      for (let i = 0; i < 5; i++) {
        const { rows } = await query('SELECT pg_backend_pid() AS pid');
        const pid = rows[0]?.['pid'];
        await server.sql('SELECT pg_terminate_backend($1)', [pid]);
        // A statement that reaches a session before its end would fail, and rightly so.
        await until(
          async () => (await server.sql('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])).length === 0,
        );
        await query("INSERT INTO orders (id) VALUES ('r' || $1)", [String(i)]);
      }
      expect((await query('SELECT id FROM orders')).row_count).toBe(5);
    });
  });

  describe('time and ends', () => {
    it('a time-out ends the statement on the server, and nothing of it stays', async () => {
      const slow = "INSERT INTO orders (id) SELECT 'x' FROM pg_sleep(30)";
      const failure = await failing(slow, [], { timeout: 300 });
      expect(failure.type).toBe('timeout');
      await until(async () => (await sleeping()) === 0);
      expect((await query('SELECT id FROM orders')).rows).toEqual([]);
    });

    it('the end of the execution does, too, where the server keeps no time', async () => {
      const end = new AbortController();
      const ended = failing('SELECT pg_sleep(30)', [], { timeout: null, signal: () => end.signal });
      await until(async () => (await sleeping()) === 1);
      end.abort();
      expect((await ended).type).toBe('stopped');
      await until(async () => (await sleeping()) === 0);
    });

    it('a session that is ended by the server is a server_error, a broken one a network error', async () => {
      const failed = failing('SELECT pg_sleep(30)');
      await until(async () => (await sleeping()) === 1);
      await server.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()",
      );
      expect(await failed).toMatchObject({ type: 'server_error', data: { code: '57P01' } });
    });

    it('the number of open connections is limited; the others wait', async () => {
      const count =
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'weft', pg_sleep(0.05)";
      const text = count.replace(', pg_sleep(0.05)', '') + ' AND pg_sleep(0.05) IS NOT NULL';
      const results = await Promise.all(Array.from({ length: limits.sqlConnections * 3 }, () => query(text)));
      expect(Math.max(...results.map(({ rows }) => rows[0]?.['n'] as number))).toBeLessThanOrEqual(
        limits.sqlConnections + 2,
      );
    });

    it('idle sessions count: those of other owners are closed for a new one', async () => {
      const text = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'weft'";
      const seen: number[] = [];
      for (let i = 0; i < limits.sqlConnections * 3; i++) {
        const result = await bench.result(createQueryConfig(text), {}, { ownerId: `usr_${i}` });
        seen.push((result as Result).rows[0]?.['n'] as number);
      }
      // A session that was just ended may still be on its way out.
      expect(Math.max(...seen)).toBeLessThanOrEqual(limits.sqlConnections + 3);
      expect(Math.max(...seen)).toBeGreaterThan(5);
    });

    it('connections are closed with the service', async () => {
      const open = async () =>
        (await server.sql("SELECT 1 FROM pg_stat_activity WHERE application_name = 'weft'")).length;
      await until(async () => (await open()) === 0);
      await Promise.all(Array.from({ length: 5 }, () => query('SELECT 1 AS a')));
      expect(await open()).toBeGreaterThan(0);
      await bench.runner().runner.close();
      await until(async () => (await open()) === 0);
    });
  });

  describe('where it goes', () => {
    it('a wrong password, a missing database', async () => {
      bench.secret.value = server.url.replace('p%40ss%2Fword', 'secret-word');
      const failure = await failing('SELECT 1');
      expect(failure).toMatchObject({ type: 'client_error', retryable: false, data: { code: '28P01' } });
      bench.made = null;
      bench.secret.value = server.url.replace('/postgres', '/nothing').replace('weft:', 'weft:');
      expect((await failing('SELECT 1')).data).toMatchObject({ code: '3D000' });
    });

    it('TLS: the certificate is checked, and no password sent before', async () => {
      bench.secret.value = `${server.url}?sslmode=require`;
      expect(await failing('SELECT 1')).toMatchObject({
        type: 'network',
        message: expect.stringContaining('securely'),
      });
      setDefaultCACertificates([...usual, testCertificate]);
      bench.made = null;
      expect(await failing('SELECT 1')).toMatchObject({
        type: 'network',
        message: expect.stringContaining('securely'),
      });
      const { createPostgres } = await import('../../../src/runner/postgres/postgres.ts');
      const { createTestEgressClient: egressTo, neverAborted: never } =
        await import('../../support/egress-client.ts');
      const egress = egressTo('127.0.0.1', () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]));
      bench.opened.push(egress);
      const to = {
        system: 'postgresql' as const,
        host: 'weft.test',
        port: server.port,
        database: 'postgres',
        user: 'weft',
        password: 'p@ss/word',
        tls: true,
      };
      const sessions = createPostgres(realClock);
      bench.opened.push({ close: () => Promise.resolve(sessions.close()) });
      const statement = {
        text: 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
        values: [],
        maxRows: 1,
      };
      const attempt = {
        ownerId: 'usr_1',
        signal: never,
        timeout: null,
        check() {},
        connect: (to: { host: string; port: number }, signal: AbortSignal) => egress.connect(to, signal),
      };
      expect((await sessions.query(to, statement, attempt)).rows).toEqual([{ ssl: true }]);
    });

    it('no private address, and only hosts of the secret', async () => {
      bench.allowedHosts = '';
      expect((await failing('SELECT 1')).type).toBe('forbidden');
      bench.allowedHosts = '127.0.0.1';
      bench.made = null;
      bench.secret.hosts = ['db.example.com'];
      expect((await failing('SELECT 1')).type).toBe('forbidden');
    });
  });
});

describe('a server that does not speak the protocol', () => {
  async function raw(talk: (socket: Socket, bytes: Buffer) => void): Promise<void> {
    const sockets = new Set<Socket>();
    const listener = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('data', (bytes) => talk(socket, bytes));
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    bench.secret.value = `postgres://weft:secret-word@127.0.0.1:${(listener.address() as AddressInfo).port}/db`;
    bench.opened.push({
      close: () =>
        new Promise((resolve) => {
          for (const socket of sockets) socket.destroy();
          listener.close(() => resolve());
        }),
    });
  }

  it('nothing listens', async () => {
    bench.secret.value = 'postgres://weft:secret-word@127.0.0.1:1/db';
    expect(await failing('SELECT 1')).toMatchObject({
      type: 'network',
      message: '127.0.0.1:1 refused the connection',
    });
  });

  it.each([
    ['says nothing', () => {}, 'timeout'],
    ['hangs up', (socket: Socket) => socket.destroy(), 'network'],
    ['speaks HTTP', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'network'],
    ['offers no TLS', (socket: Socket) => socket.write('N'), 'network'],
  ] as [string, (socket: Socket) => void, string][])('it %s', async (title, talk, type) => {
    await raw(talk);
    if (title === 'offers no TLS') bench.secret.value += '?sslmode=require';
    expect((await failing('SELECT 1', [], { timeout: 500 })).type).toBe(type);
  });

  it('it sends without end', async () => {
    await raw((socket) => {
      // One message that says it is a gigabyte long.
      socket.write(Buffer.from([0x52, 0x3f, 0xff, 0xff, 0xff]));
      const more = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(1024 * 1024)));
        if (!socket.destroyed) socket.once('drain', more);
      };
      more();
    });
    expect(['limit', 'network']).toContain((await failing('SELECT 1')).type);
  });
});

describe('configuration', () => {
  it.each([
    ['mysql://u:secret-word@x/db'],
    ['postgres://x/db'],
    ['postgres://u:secret-word@x/a/b'],
    ['postgres://u:secret-word@x/db?sslmode=prefer'],
    ['postgres://u:secret-word@x/db?host=/tmp'],
    ['secret-word'],
  ])('a secret that is no address of a server is refused without being shown: %s', async (value) => {
    bench.secret.value = value;
    const failure = await failing('SELECT 1');
    expect(failure).toMatchObject({ type: 'validation', data: { field: 'credentials' } });
    expect(JSON.stringify(failure)).not.toContain('secret-word');
  });

  it.each([
    [{ operation: 'query', query: "SELECT '{{ input.name }}'" }, 'query'],
    [{ operation: 'query' }, 'query'],
    [{ operation: 'query', query: 'SELECT 1', parameters: 1 }, 'parameters'],
    [{ operation: 'query', query: 'SELECT 1', max_rows: 0 }, 'max_rows'],
    [{ operation: 'query', query: 'SELECT 1', table: 'x' }, 'table'],
    [{ operation: 'insert', table: 'x', values: {} }, 'values'],
    [{ operation: 'insert', table: 'x', values: [{ a: 1 }, { b: 1 }] }, 'values[1]'],
    [{ operation: 'insert', table: 'a.b.c', values: { a: 1 } }, 'table'],
    [{ operation: 'insert', table: '{{ input.t }}.a.b', values: { a: 1 } }, 'table'],
    [{ operation: 'update', table: 'x', values: { a: 1 } }, 'where'],
    [{ operation: 'update', table: 'x', values: { a: 1 }, where: {} }, 'where'],
    [{ operation: 'upsert', table: 'x', values: { a: 1 }, conflict: ['b'] }, 'conflict'],
    [{ operation: 'delete', table: 'x' }, 'operation'],
    [{ operation: 'query', query: 'SELECT 1', credentials: 'postgres://u:p@x/db' }, 'credentials'],
  ] as [JsonObject, string][])('%j is an error of %2$s', (config, field) => {
    const errors = validateConfig(postgres, { credentials: '{{ secrets.DB }}', ...config });
    expect(errors.map((error) => error.field)).toContain(field);
  });
});
