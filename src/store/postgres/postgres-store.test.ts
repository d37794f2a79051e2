import { afterAll, beforeAll, describe } from 'vitest';
import { storeSuite } from '../store.suite.ts';
import { openForTest } from './testing/open.ts';
import { needPostgres, startServer, type TestServer } from './testing/server.ts';

const programs = needPostgres();

describe.skipIf(programs === null)('PostgreSQL', () => {
  let server: TestServer;
  let url: string;
  beforeAll(async () => {
    server = await startServer(programs!);
    url = await server.database();
    await (await openForTest(url)).store.close();
  });
  afterAll(() => server?.close());

  storeSuite('PostgreSQL', async () => {
    await server.empty(url);
    let opened = await openForTest(url);
    return {
      get store() {
        return opened.store;
      },
      reopen: async () => {
        await opened.store.close();
        opened = await openForTest(url);
      },
      close: () => opened.store.close(),
    };
  });
});
