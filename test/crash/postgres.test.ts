import { afterEach, expect, test } from 'vitest';
import {
  findPostgresPrograms,
  startPostgres,
  type PostgresServer,
} from '../support/servers/postgres-wire-server.ts';
import { spawnService, createTempFolder, waitUntil, type SpawnedService } from '../support/service.ts';

const programs = findPostgresPrograms();
const folder = createTempFolder();
let server: PostgresServer | null = null;
let service: SpawnedService | null = null;

afterEach(async () => {
  await service?.kill9();
  await server?.close();
  folder.remove();
});

test.skipIf(programs === null)(
  `killed while the database runs the statement: it counts once${programs === null ? ' (skipped: PostgreSQL is not installed)' : ''}`,
  async () => {
    server = await startPostgres(programs ?? '');
    const { sql, url } = server;
    await sql('CREATE TABLE counts (id text, made int)');
    await sql('CREATE SEQUENCE tries');
    service = await spawnService({ dataDir: folder.path });
    let call = await service.login();
    expect((await call('PUT', '/secrets/DB', { body: { value: url } })).status).toBe(200);
    const created = await call('POST', '/workflows', {
      body: {
        name: 'Count',
        definition: {
          nodes: [
            { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
            {
              id: 'count',
              type: 'postgres',
              config: {
                operation: 'query',
                credentials: '{{ secrets.DB }}',
                query: "INSERT INTO counts SELECT $1, nextval('tries') FROM pg_sleep(1.5) RETURNING id, made",
                parameters: ['{{ input.id }}'],
              },
            },
          ],
          connections: [{ from: 'start', to: 'count' }],
        },
      },
    });
    expect(created.status, created.text).toBe(201);
    const { id } = created.body as { id: string };
    const started = await call('POST', `/workflows/${id}/execute`, { body: { input: { id: 'a' } } });
    expect(started.status, started.text).toBe(201);
    const working =
      "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'INSERT INTO counts%' AND state = 'active'";
    // A statement is active before the server has all of it.
    await waitUntil(
      () => sql(`${working} AND wait_event = 'PgSleep'`),
      (rows) => rows.length === 1,
    );
    await service.kill9();

    service = await spawnService({ dataDir: folder.path });
    call = await service.login();
    const path = `/executions/${(started.body as { id: string }).id}`;
    const ended = await waitUntil(
      async () => (await call('GET', path)).body as { status: string; output: unknown },
      ({ status }) => status === 'completed',
    );
    await waitUntil(
      () => sql(working),
      (rows) => rows.length === 0,
    );
    const rows = await sql('SELECT id, made FROM counts');
    // Both attempts reached the table; one of them was committed.
    expect((await sql('SELECT last_value::int AS n FROM tries'))[0]).toEqual({ n: 2 });
    expect(rows).toHaveLength(1);
    expect(ended.output).toMatchObject({ rows, row_count: 1 });
  },
);
