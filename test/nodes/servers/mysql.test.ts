import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { parseExactJson } from '../../../src/lib/json/parse-json.ts';
import { mysql } from '../../../src/nodes/connectors/servers/mysql.node.ts';
import { validateConfig } from '../../../src/nodes/validate-config.ts';
import { limits } from '../../../src/ports/limits.ts';
import { createMysql } from '../../../src/runner/mysql/mysql.ts';
import { ConnectorFixture } from '../../support/connector-fixture.ts';
import { createTestEgressClient, neverAborted } from '../../support/egress-client.ts';
import { realClock } from '../../support/servers/http-server.ts';
import { mysqlPassword, mysqlProgram, startMysql } from '../../support/servers/mysql-server.ts';
import type { MysqlServer } from '../../support/servers/mysql-server.ts';
import { testCertificate } from '../../support/servers/tls-certificates.ts';

const reason = mysqlProgram === null ? ' (skipped: MariaDB is not installed)' : '';
const bench = new ConnectorFixture(mysql);
let server: MysqlServer;

type Result = {
  rows: JsonObject[];
  row_count: number;
  fields: { name: string; type: string }[];
  insert_id: string | null;
};
const createQueryConfig = (query: string, parameters: Json[] = []): JsonObject => ({
  operation: 'query',
  query,
  parameters: parameters.length === 0 ? [] : '{{ input.parameters }}',
});
async function query(text: string, parameters: Json[] = []): Promise<Result> {
  return (await bench.result(createQueryConfig(text, parameters), { parameters })) as unknown as Result;
}
const failing = (text: string, parameters: Json[] = [], more = {}) =>
  bench.failure(createQueryConfig(text, parameters), { parameters }, more);
async function until(condition: () => Promise<boolean>): Promise<void> {
  await expect.poll(condition, { timeout: 10_000 }).toBe(true);
}
const listSessions = (where: string) =>
  server.sql(`SELECT id FROM information_schema.processlist WHERE user = 'weft' AND ${where}`);
const sleeping = async () => (await listSessions("info LIKE '%SLEEP(30)%'")).length;

describe.skipIf(mysqlProgram === null)(`on a real server${reason}`, () => {
  const usual = getCACertificates('default');
  beforeAll(async () => {
    server = await startMysql(mysqlProgram ?? '');
    await server.sql(
      'CREATE TABLE orders (id varchar(40) PRIMARY KEY, total decimal(20,2), `lines` json, raw blob, `odd ``name` int)',
    );
    await server.sql('CREATE TABLE numbered (id bigint AUTO_INCREMENT PRIMARY KEY, note text)');
    await server.sql(
      'CREATE TABLE kinds (a tinyint, b bigint unsigned, c double, d float, e timestamp(6) NULL, f datetime, g date, h time(3), i bit(10), j varbinary(8), k uuid, l enum("x","y"), m set("x","y"), n point, o year, p mediumint unsigned)',
    );
  });
  afterAll(async () => {
    setDefaultCACertificates(usual);
    await server?.close();
  });
  beforeEach(async () => {
    bench.secret = { value: server.url, hosts: null };
    await server.sql('DELETE FROM orders');
  });

  describe('types', () => {
    it('columns keep their values, and dates are in ISO 8601', async () => {
      await query(
        "INSERT INTO kinds VALUES (?, ?, ?, ?, '2026-01-01 10:00:00.123456', '2026-01-01 12:00:00', '2026-01-31', '-25:00:01.500', b'1000000001', x'00ff', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'y', 'x,y', POINT(1, 2), 2026, 16777215)",
        [-128, '18446744073709551615', 1e300, 0.1],
      );
      const { rows, fields } = await query('SELECT * FROM kinds');
      expect(rows).toEqual([
        {
          a: -128,
          b: '18446744073709551615',
          c: 1e300,
          d: 0.1,
          e: '2026-01-01T10:00:00.123456Z',
          f: '2026-01-01T12:00:00',
          g: '2026-01-31',
          h: '-25:00:01.5',
          i: 513,
          j: 'AP8=',
          k: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
          l: 'y',
          m: 'x,y',
          n: expect.stringMatching(/^[\w+/]+=*$/) as string,
          o: 2026,
          p: 16_777_215,
        },
      ]);
      expect(fields.map(({ type }) => type)).toEqual([
        'tinyint',
        'bigint',
        'double',
        'float',
        'timestamp',
        'datetime',
        'date',
        'time',
        'bit',
        'varbinary',
        'uuid',
        'enum',
        'set',
        'point',
        'year',
        'mediumint',
      ]);
    });

    it('zero dates are returned as they are, and NULL is null', async () => {
      const text = "SELECT CAST('0000-00-00 00:00:00' AS datetime) AS zero, NULL AS nothing, ? AS given";
      expect((await query(text, [null])).rows).toEqual([
        { zero: '0000-00-00 00:00:00', nothing: null, given: null },
      ]);
    });

    it('a limit, a comparison and a sum take numbers as parameters', async () => {
      await query("INSERT INTO orders (id, total) VALUES ('a', 1), ('b', 2), ('c', 3)");
      const text = 'SELECT id, total + ? AS more, ? AS yes FROM orders WHERE total > ? ORDER BY id LIMIT ?';
      expect((await query(text, [1, true, 1.5, 1])).rows).toEqual([
        { id: 'b', more: expect.anything() as Json, yes: expect.anything() as Json },
      ]);
    });

    it('any text and any JSON come back as they went (random)', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
          fc.dictionary(fc.string({ unit: 'grapheme-ascii' }), fc.jsonValue({ maxDepth: 2 })),
          async (text, json) => {
            const clean = JSON.parse(JSON.stringify(json).replaceAll('-0', '0')) as JsonObject;
            await query("REPLACE INTO orders (id, `lines`) VALUES ('r', ?)", [clean]);
            const { rows } = await query("SELECT ? AS t, `lines` FROM orders WHERE id = 'r'", [text]);
            expect(rows).toEqual([{ t: text, lines: parseExactJson(JSON.stringify(clean)) }]);
          },
        ),
        { seed: 1125, numRuns: 30 },
      );
    });
  });

  describe('statements', () => {
    it('insert, upsert, update and query', async () => {
      const insert = { operation: 'insert', table: 'shop.orders', values: '{{ input }}' };
      const row = { id: 'a', total: 9.5, lines: [{ sku: 1 }], raw: 'text', 'odd `name': 3 };
      expect(await bench.result(insert, row)).toEqual({
        rows: [],
        row_count: 1,
        fields: [],
        insert_id: null,
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
      // MySQL counts an updated row as two.
      expect(await bench.result(upsert)).toMatchObject({ row_count: 3 });
      expect(
        await bench.result({ operation: 'upsert', table: 'orders', values: { id: 'a' }, conflict: ['id'] }),
      ).toMatchObject({ fields: [] });
      const update = {
        operation: 'update',
        table: 'orders',
        values: { total: 7 },
        where: { total: null, id: 'b' },
      };
      expect(await bench.result(update)).toMatchObject({ row_count: 1 });
      expect(
        await query('SELECT id, total, `lines`, raw, `odd ``name` AS odd FROM orders ORDER BY id'),
      ).toMatchObject({
        rows: [
          { id: 'a', total: '1.10', lines: [{ sku: 1 }], raw: 'dGV4dA==', odd: 3 },
          { id: 'b', total: '7.00' },
        ],
        row_count: 2,
      });
      expect(await query('INSERT INTO numbered (note) VALUES (?), (?)', ['x', 'y'])).toMatchObject({
        row_count: 2,
        insert_id: '1',
      });
      expect((await query("INSERT INTO orders (id) VALUES ('c') RETURNING id")).rows).toEqual([{ id: 'c' }]);
    });

    it('names of columns that come from outside are only ever names (random)', async () => {
      const unit = fc.constantFrom('`', "'", ';', ')', ' ', '--', 'a', '?', '\\', '#');
      await fc.assert(
        fc.asyncProperty(fc.string({ unit, minLength: 1, maxLength: 8 }), async (name) => {
          fc.pre(name === name.trimEnd());
          const failure = await bench.failure(
            { operation: 'insert', table: 'orders', values: '{{ input }}' },
            { [name]: 1 },
          );
          expect(failure).toMatchObject({ type: 'client_error', data: { code: 'ER_BAD_FIELD_ERROR' } });
        }),
        { seed: 1125, numRuns: 30 },
      );
      expect(
        await bench.failure({ operation: 'insert', table: 'orders', values: '{{ input }}' }, { 'a\0b': 1 }),
      ).toMatchObject({ type: 'validation', data: { field: 'values' } });
    });

    it('there is only one at a time, and no local file', async () => {
      expect(await failing("INSERT INTO orders (id) VALUES ('x'); DROP TABLE orders")).toMatchObject({
        type: 'client_error',
        retryable: false,
        data: { code: 'ER_PARSE_ERROR' },
      });
      expect(await failing("LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE orders")).toMatchObject({
        retryable: false,
      });
      expect((await query('SELECT COUNT(*) AS n FROM orders')).rows).toEqual([{ n: '0' }]);
    });

    it('errors are specific: the number of values, names of columns, what the server says', async () => {
      expect((await failing('SELECT ?')).message).toContain('has 1 parameters (?), but 0');
      expect((await failing('SELECT 1', [1, 2])).message).toContain('has 0 parameters');
      expect((await failing('SELECT 1 AS a, 2 AS a')).message).toContain('two columns are named a');
      await query("INSERT INTO orders (id) VALUES ('a')");
      expect(await failing("INSERT INTO orders (id) VALUES ('a')")).toMatchObject({
        type: 'client_error',
        retryable: false,
        data: { code: 'ER_DUP_ENTRY', errno: 1062, sql_state: '23000' },
      });
    });

    it('a procedure with several results is refused, and what it did is undone', async () => {
      await server.sql(
        "CREATE PROCEDURE twice() BEGIN INSERT INTO orders (id) VALUES ('p'); SELECT 1 AS a; SELECT 2 AS b; END",
      );
      await server.sql(
        "CREATE PROCEDURE once() BEGIN INSERT INTO orders (id) VALUES ('q'); SELECT 1 AS a; END",
      );
      expect(await failing('CALL twice()')).toMatchObject({ type: 'validation' });
      expect((await query('CALL once()')).rows).toEqual([{ a: 1 }]);
      expect((await query('SELECT id FROM orders')).rows).toEqual([{ id: 'q' }]);
    });

    it('more rows or bytes than allowed are a failure, and nothing is done', async () => {
      const insert = "INSERT INTO orders (id) SELECT CONCAT('r', seq) FROM seq_1_to_1200 RETURNING id";
      const limited = (max: number) => ({ operation: 'query', query: insert, max_rows: max });
      expect(await bench.failure(limited(1199))).toMatchObject({ type: 'limit', retryable: false });
      expect((await query('SELECT COUNT(*) AS n FROM orders')).rows).toEqual([{ n: '0' }]);
      expect((await bench.result(limited(1200))) as Result).toMatchObject({ row_count: 1200 });
      const much = `SELECT REPEAT('x', ${limits.sqlBytes / 8}) AS x FROM seq_1_to_9`;
      expect((await failing(much)).type).toBe('limit');
      expect((await failing(`SELECT REPEAT('x', 200000000) AS x`)).type).toBe('limit');
      expect((await failing('SELECT seq FROM seq_1_to_10001')).type).toBe('limit');
    });

    it('a session is reused, and no state of one use reaches the next', async () => {
      const read = async () => (await query('SELECT CONNECTION_ID() AS id')).rows[0]?.['id'];
      await query('CREATE TEMPORARY TABLE temporary_orders (x int)');
      await query('SET @leak = 17');
      await query("SET SESSION time_zone = '+05:00'");
      await query("SELECT GET_LOCK('weft', 1) AS a");
      expect((await query('SELECT @leak AS leak, @@time_zone AS zone, DATABASE() AS name')).rows).toEqual([
        { leak: null, zone: '+00:00', name: 'shop' },
      ]);
      expect(await failing('SELECT * FROM temporary_orders')).toMatchObject({
        data: { code: 'ER_NO_SUCH_TABLE' },
      });
      expect(await server.sql("SELECT IS_FREE_LOCK('weft') AS free")).toEqual([{ free: 1 }]);
      // The failed statement ended its session.
      const second = await read();
      expect(await read()).toBe(second);
    });

    it('it is not shared: another owner, another password, another time, other hosts', async () => {
      const text = 'SELECT CONNECTION_ID() AS id';
      const of = async (more = {}) =>
        ((await bench.result(createQueryConfig(text), {}, more)) as Result).rows[0]?.['id'];
      const [first, again] = [await of(), await of()];
      const others = [await of({ ownerId: 'usr_2' }), await of({ timeout: 5_000 })];
      expect(again).toBe(first);
      expect(new Set([first, ...others]).size).toBe(3);
      bench.secret.value = server.url.replace('p%40ss%2Fword', 'wrong');
      expect(await failing(text)).toMatchObject({ data: { code: 'ER_ACCESS_DENIED_ERROR' } });
      bench.secret.value = server.url;
      bench.secret.hosts = ['db.example.com'];
      expect((await failing(text)).type).toBe('forbidden');
    });

    it('a session that broke while it waited is replaced', async () => {
      for (let i = 0; i < 5; i++) {
        const id = Number((await query('SELECT CONNECTION_ID() AS id')).rows[0]?.['id']);
        await server.sql(`KILL ${id}`);
        await until(async () => (await listSessions(`id = ${id}`)).length === 0);
        await query("INSERT INTO orders (id) VALUES (CONCAT('r', ?))", [i]);
      }
      expect((await query('SELECT id FROM orders')).row_count).toBe(5);
    });
  });

  describe('time and ends', () => {
    it('a time-out ends the statement on the server, and nothing of it stays', async () => {
      const slow = "INSERT INTO orders (id) SELECT CONCAT('x', SLEEP(30))";
      expect((await failing(slow, [], { timeout: 300 })).type).toBe('timeout');
      await until(async () => (await sleeping()) === 0);
      expect((await query('SELECT id FROM orders')).rows).toEqual([]);
    });

    it('the end of the execution does, too, where the server keeps no time', async () => {
      const end = new AbortController();
      const ended = failing('SELECT SLEEP(30)', [], { timeout: null, signal: () => end.signal });
      await until(async () => (await sleeping()) === 1);
      end.abort();
      expect((await ended).type).toBe('stopped');
      await until(async () => (await sleeping()) === 0);
    });

    it('a session that the server ends is a server_error or a broken connection', async () => {
      const failed = failing('SELECT SLEEP(30)');
      await until(async () => (await sleeping()) === 1);
      const [row] = await listSessions("info LIKE '%SLEEP(30)%'");
      await server.sql(`KILL ${Number(row?.['id'])}`);
      expect(['server_error', 'network']).toContain((await failed).type);
    });

    it('a server that is killed in the middle is a network error, and serves again after its start', async () => {
      const failed = failing("INSERT INTO orders (id) SELECT CONCAT('x', SLEEP(30))");
      await until(async () => (await sleeping()) === 1);
      await server.crash();
      expect(await failed).toMatchObject({
        type: 'network',
        message: `127.0.0.1:${server.port} closed the connection`,
      });
      expect(await failing('SELECT 1')).toMatchObject({ type: 'network' });
      await server.start();
      expect((await query("SELECT id FROM orders WHERE id LIKE 'x%'")).rows).toEqual([]);
    });

    it('the number of open connections is limited; the others wait', async () => {
      const text =
        "SELECT COUNT(*) AS n, SLEEP(0.05) AS s FROM information_schema.processlist WHERE user = 'weft'";
      await server.sql('GRANT PROCESS ON *.* TO weft');
      const results = await Promise.all(Array.from({ length: limits.sqlConnections * 3 }, () => query(text)));
      expect(Math.max(...results.map(({ rows }) => Number(rows[0]?.['n'])))).toBeLessThanOrEqual(
        limits.sqlConnections + 2,
      );
    });

    it('connections are closed with the service', async () => {
      await Promise.all(Array.from({ length: 5 }, () => query('SELECT 1 AS a')));
      expect((await listSessions('TRUE')).length).toBeGreaterThan(0);
      await bench.runner().runner.close();
      await until(async () => (await listSessions('TRUE')).length === 0);
    });
  });

  describe('where it goes', () => {
    it('a wrong password, a missing database', async () => {
      bench.secret.value = server.url.replace('p%40ss%2Fword', 'secret-word');
      const failure = await failing('SELECT 1');
      expect(failure).toMatchObject({ type: 'client_error', retryable: false, data: { errno: 1045 } });
      expect(JSON.stringify(failure)).not.toContain('secret-word');
      bench.made = null;
      bench.secret.value = server.url.replace('/shop', '/nothing');
      expect((await failing('SELECT 1')).data).toMatchObject({ code: 'ER_DBACCESS_DENIED_ERROR' });
    });

    it('TLS: the certificate is checked against the name, and no password sent before', async () => {
      bench.secret.value = `${server.url}?sslmode=require`;
      expect(await failing('SELECT 1')).toMatchObject({
        type: 'validation',
        message: expect.stringContaining('TLS requires the name') as string,
      });
      const egress = createTestEgressClient('127.0.0.1', () =>
        Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
      );
      bench.opened.push(egress);
      const sessions = createMysql(realClock);
      bench.opened.push({ close: () => Promise.resolve(sessions.close()) });
      const to = (host: string) => ({
        system: 'mysql' as const,
        host,
        port: server.port,
        database: 'shop',
        user: 'weft',
        password: mysqlPassword,
        tls: true,
      });
      const statement = { text: "SHOW STATUS LIKE 'Ssl_version'", values: [], maxRows: 1 };
      const attempt = {
        ownerId: 'usr_1',
        signal: neverAborted,
        timeout: null,
        check() {},
        connect: (goal: { host: string; port: number }, signal: AbortSignal) => egress.connect(goal, signal),
      };
      const ask = (host: string) => sessions.query(to(host), statement, attempt);
      await expect(ask('weft.test')).rejects.toThrow(/securely/);
      setDefaultCACertificates([...usual, testCertificate]);
      await expect(ask('third.test')).rejects.toThrow(/securely/);
      expect((await ask('weft.test')).rows[0]?.['Value']).toMatch(/^TLSv1\.[23]$/);
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
    bench.secret.value = `mysql://weft:secret-word@127.0.0.1:${(listener.address() as AddressInfo).port}/db`;
    bench.opened.push({
      close: () =>
        new Promise((resolve) => {
          for (const socket of sockets) socket.destroy();
          listener.close(() => resolve());
        }),
    });
  }

  it('nothing listens', async () => {
    bench.secret.value = 'mysql://weft:secret-word@127.0.0.1:1/db';
    expect(await failing('SELECT 1')).toMatchObject({
      type: 'network',
      message: '127.0.0.1:1 refused the connection',
    });
  });

  it.each([
    ['says nothing', () => {}, 'timeout'],
    ['hangs up', (socket: Socket) => socket.destroy(), 'network'],
    ['speaks HTTP', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'network'],
    ['sends noise', (socket: Socket) => socket.write(Buffer.alloc(64, 7)), 'timeout'],
    ['sends a short greeting', (socket: Socket) => socket.write(Buffer.from([2, 0, 0, 0, 10, 1])), 'network'],
  ] as [string, (socket: Socket) => void, string][])('it %s', async (_title, talk, type) => {
    await raw(talk);
    expect((await failing('SELECT 1', [], { timeout: 500 })).type).toBe(type);
  });

  it('it sends without end', async () => {
    await raw((socket) => {
      const more = (): void => {
        // Parts of one message that has no end.
        const part = Buffer.alloc(0xffffff + 4, 0xff);
        while (!socket.destroyed && socket.write(part));
        if (!socket.destroyed) socket.once('drain', more);
      };
      more();
    });
    expect(['limit', 'network']).toContain((await failing('SELECT 1')).type);
  });
});

describe('what it takes', () => {
  it.each([
    ['postgres://u:secret-word@x/db'],
    ['mysql://x/db'],
    ['mysql://u:secret-word@x'],
    ['mysql://u:secret-word@x/a/b'],
    ['mysql://u:secret-word@x/db?sslmode=prefer'],
    ['mysql://u:secret-word@x/db?socketPath=/tmp'],
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
    [{ operation: 'insert', table: 'x', values: { a: 1 }, returning: ['a'] }, 'returning'],
    [{ operation: 'update', table: 'x', values: { a: 1 } }, 'where'],
    [{ operation: 'update', table: 'x', values: { a: 1 }, where: {} }, 'where'],
    [{ operation: 'upsert', table: 'x', values: { a: 1 }, conflict: ['b'] }, 'conflict'],
    [{ operation: 'delete', table: 'x' }, 'operation'],
    [{ operation: 'query', query: 'SELECT 1', credentials: 'mysql://u:p@x/db' }, 'credentials'],
  ] as [JsonObject, string][])('%j is an error of %s', (config, field) => {
    const errors = validateConfig(mysql, { credentials: '{{ secrets.DB }}', ...config });
    expect(errors.map((error) => error.field)).toContain(field);
  });
});
