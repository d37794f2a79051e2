import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storeSuite } from '../conformance/store.ts';
import type { PostgresStore } from './open-store.ts';
import { openForTest } from '../../../test/support/open-postgres-store.ts';
import { needPostgres, startServer, type TestServer } from '../../../test/support/servers/postgres-server.ts';

const programs = needPostgres();

describe.skipIf(programs === null)('PostgreSQL', () => {
  let server: TestServer;
  let url: string;
  /**
   * One store for all tests, emptied before each: they share connections and prepared statements, as in a
   * service.
   */
  let opened: PostgresStore;
  beforeAll(async () => {
    server = await startServer(programs!);
    url = await server.database();
    opened = await openForTest(url);
  });
  afterAll(async () => {
    await opened?.store.close();
    await server?.close();
  });

  test('opens only the connections that it needs, up to the limit, and reports their number', async () => {
    await opened.store.maintenance.check();
    const reads = Array.from({ length: 50 }, () => opened.store.executions.get('usr_a', 'ex_1'));
    const during = opened.load();
    expect(during.used).toBeGreaterThan(0);
    expect(during.waiting).toBe(50 - during.used);
    await Promise.all(reads);
    const { size, open, used, waiting } = opened.load();
    expect({ size, used, waiting }).toEqual({ size: 6, used: 0, waiting: 0 });
    expect(open).toBeGreaterThan(0);
    expect(open).toBeLessThanOrEqual(size);
  });

  storeSuite('PostgreSQL', async () => {
    await server.empty(url);
    return {
      get store() {
        return opened.store;
      },
      reopen: async () => {
        await opened.store.close();
        opened = await openForTest(url);
      },
      close: () => Promise.resolve(),
    };
  });
});
