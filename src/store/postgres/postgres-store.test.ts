import { afterAll, beforeAll, describe } from 'vitest';
import { storeSuite } from '../store.suite.ts';
import type { PostgresStore } from './open-store.ts';
import { openForTest } from './testing/open.ts';
import { needPostgres, startServer, type TestServer } from './testing/server.ts';

const programs = needPostgres();

describe.skipIf(programs === null)('PostgreSQL', () => {
  let server: TestServer;
  let url: string;
  /** One for all tests, and emptied before each: what they share are connections and prepared statements, as in a service. */
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
