import { randomBytes } from 'node:crypto';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { needPostgres, startServer, type TestServer } from '../../support/servers/postgres-server.ts';
import {
  caller,
  spawnService,
  createTempFolder,
  type ApiResponse,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';
import { createEchoWorkflow } from '../definitions.ts';

const programs = needPostgres();
const password = 'a long password';
const statusAndCode = (response: ApiResponse) => [
  response.status,
  (response.body as { error?: { code: string } }).error?.code,
];

describe.each(['SQLite', ...(programs === null ? [] : ['PostgreSQL'])])('on %s', (database) => {
  let server: TestServer | null = null;
  let folder: { path: string; remove(): void };
  let env: Record<string, string>;
  let services: SpawnedService[] = [];
  let admin: Call;
  let member: Call;

  beforeAll(async () => {
    if (database === 'PostgreSQL') server = await startServer(programs!, { isDurable: true });
  });
  afterAll(async () => server?.close());

  async function start(): Promise<SpawnedService> {
    const service = await spawnService({ dataDir: folder.path, env });
    services.push(service);
    return service;
  }
  async function logIn(service: SpawnedService, email: string): Promise<Call> {
    const login = await service.call('POST', '/auth/login', { body: { email, password } });
    return caller(service.url, { authorization: `Bearer ${(login.body as { token: string }).token}` });
  }
  beforeEach(async () => {
    folder = createTempFolder();
    env =
      server === null
        ? {}
        : {
            DATABASE_URL: await server.database(),
            WEFT_SECRET_KEY: randomBytes(32).toString('base64'),
          };
    const service = await start();
    admin = await service.login();
    const made = await admin('POST', '/users', {
      body: { email: 'member@example.com', name: 'Member', password },
    });
    expect(made.status, made.text).toBe(201);
    member = await logIn(service, 'member@example.com');
  });
  afterEach(async () => {
    for (const service of services) await service.kill9();
    services = [];
    folder.remove();
  });

  const create = (
    call: Call,
    endpoint: string,
    status = 'active',
    config: object = {},
  ): Promise<ApiResponse> =>
    call('POST', '/workflows', {
      body: { name: endpoint, status, definition: createEchoWorkflow(endpoint, config) },
    });
  async function activate(call: Call, endpoint: string, config: object = {}): Promise<string> {
    const response = await create(call, endpoint, 'active', config);
    expect(response.status, response.text).toBe(201);
    return (response.body as { id: string }).id;
  }
  const send = (to: string, body: object = {}): Promise<ApiResponse> =>
    services.at(-1)!.call('POST', `/webhooks/${to}`, { body });

  test('the first segment belongs to one user until every workflow that had it is deleted', async () => {
    const id = await activate(member, 'payments');
    const second = await activate(member, 'payments/refunds');
    for (const endpoint of ['payments', 'payments/:id', 'payments/other'])
      expect(statusAndCode(await create(admin, endpoint))).toEqual([400, 'CONFLICT']);
    expect(statusAndCode(await create(admin, 'payments', 'active', { method: 'GET' }))).toEqual([
      400,
      'CONFLICT',
    ]);
    // A draft reserves nothing and conflicts with nothing; its activation does.
    const draft = await create(admin, 'payments/:any', 'draft');
    expect(draft.status).toBe(201);
    const draftPath = `/workflows/${(draft.body as { id: string }).id}`;
    expect(statusAndCode(await admin('PUT', draftPath, { body: { status: 'active' } }))).toEqual([
      400,
      'CONFLICT',
    ]);

    // Neither a new endpoint nor an inactive workflow gives the segment away, and nothing answers there.
    await member('PUT', `/workflows/${id}`, { body: { definition: createEchoWorkflow('moved') } });
    await member('PUT', `/workflows/${id}`, { body: { status: 'inactive' } });
    await member('PUT', `/workflows/${second}`, { body: { status: 'inactive' } });
    expect(statusAndCode(await create(admin, 'payments'))).toEqual([400, 'CONFLICT']);
    expect(statusAndCode(await create(admin, 'moved'))).toEqual([400, 'CONFLICT']);
    expect((await send('payments')).status).toBe(404);

    // It survives a restart, and the owner takes it again.
    await services.at(-1)!.kill9();
    const service = await start();
    admin = await service.login();
    member = await logIn(service, 'member@example.com');
    expect(statusAndCode(await create(admin, 'payments'))).toEqual([400, 'CONFLICT']);
    const third = await activate(member, 'payments/third');
    for (const one of [id, second, third])
      expect((await member('DELETE', `/workflows/${one}`)).status).toBe(200);
    await activate(admin, 'payments');
    await activate(admin, 'moved');
  });

  test('deleting a user releases the segments', async () => {
    await activate(member, 'left/behind');
    const me = (await member('GET', '/users/me')).body as { id: string };
    expect((await admin('DELETE', `/users/${me.id}`)).status).toBe(200);
    await activate(admin, 'left');
  });

  test('an endpoint that begins with a parameter is served below the id of its workflow only', async () => {
    const eve = await activate(member, ':anything');
    const own = await activate(admin, ':anything');
    const deep = await activate(member, ':first/x/:second');
    const bob = await activate(admin, 'pay');
    await admin('PUT', `/workflows/${bob}`, { body: { status: 'inactive' } });
    for (const to of ['pay', 'mistyped', 'a/x/b']) expect((await send(to)).status, to).toBe(404);
    expect((await send(`${eve}/pay`, { by: 'eve' })).body).toEqual({ body: { by: 'eve' } });
    expect((await send(`${own}/pay`, { by: 'own' })).body).toEqual({ body: { by: 'own' } });
    expect((await send(`${deep}/a/x/b`, { n: 1 })).body).toEqual({ body: { n: 1 } });
    const { triggers } = (await member('GET', `/workflows/${eve}`)).body as { triggers: { url: string }[] };
    expect(triggers[0]!.url).toBe(`${services.at(-1)!.url}/webhooks/${eve}/:anything`);
  });

  test('of two users who reserve a segment concurrently, one succeeds', async () => {
    for (let i = 0; i < 10; i++) {
      const responses = await Promise.all([create(admin, `race${i}/a`), create(member, `race${i}/b`)]);
      expect(responses.map((response) => response.status).toSorted((a, b) => a - b)).toEqual([201, 400]);
    }
  });

  test('a dry run finds a reserved segment and reserves nothing', async () => {
    await activate(member, 'mine');
    const dry = (call: Call, endpoint: string) =>
      call('POST', '/workflows', {
        body: { name: 'x', status: 'active', definition: createEchoWorkflow(endpoint), dry_run: true },
      });
    expect(statusAndCode(await dry(admin, 'mine'))).toEqual([400, 'CONFLICT']);
    expect((await dry(member, 'planned')).status).toBeLessThan(300);
    await activate(admin, 'planned');
  });
});

test('a data folder of an older version opens: live endpoints are reserved, and leading parameters move', async () => {
  const folder = createTempFolder();
  try {
    let service = await spawnService({ dataDir: folder.path });
    let admin = await service.login();
    const ids: string[] = [];
    for (const endpoint of ['orders/:id', ':all']) {
      const response = await admin('POST', '/workflows', {
        body: { name: endpoint, status: 'active', definition: createEchoWorkflow(endpoint) },
      });
      ids.push((response.body as { id: string }).id);
    }
    await service.stop();
    const db = new Database(path.join(folder.path, 'weft.db'));
    db.exec(`DROP TABLE webhook_segments; UPDATE webhooks SET shape = ':' WHERE endpoint = ':all';
      DROP TABLE pinned_outputs; DROP INDEX executions_retry_of; DROP TABLE execution_statistics;
      DROP TABLE model_usage; DROP TABLE model_prices;
      ALTER TABLE connections DROP COLUMN fields; ALTER TABLE polls DROP COLUMN cursor;
      DROP INDEX polls_address; ALTER TABLE polls DROP COLUMN address; ALTER TABLE polls DROP COLUMN is_registered;
      DROP TABLE snapshots;
      DROP TABLE pack_requests; DROP TABLE pack_removals; DROP TABLE pack_apps; DROP TABLE pack_listeners;
      ALTER TABLE workflow_versions DROP COLUMN name; ALTER TABLE workflow_versions DROP COLUMN author_type;
      ALTER TABLE workflow_versions DROP COLUMN author_name;
      DROP TABLE packs; DROP TABLE pack_documents; DROP TABLE pack_changes; DROP TABLE decisions; DROP TABLE decision_assignees;
      DROP TABLE decision_messages;
      DROP TABLE audit_events; DROP TABLE threads; DROP TABLE thread_turns;
      DROP TABLE vector_collections; DROP TABLE vector_documents; DROP TABLE vector_embeddings; DROP TABLE vector_fields;
      DROP INDEX workflows_deleted; DROP INDEX workflows_emptied; DROP INDEX workflows_purge;
      DROP INDEX workflow_versions_tests; DROP INDEX executions_tests;
      ALTER TABLE workflows DROP COLUMN test_count; DROP INDEX workflows_name; DROP INDEX workflows_updated;
      ALTER TABLE workflows DROP COLUMN deleted_at; ALTER TABLE workflows DROP COLUMN deleted_by;
      ALTER TABLE workflows DROP COLUMN purge_at; ALTER TABLE workflows DROP COLUMN sort_name;
      DELETE FROM migrations WHERE name >= '0016'`);
    db.close();

    service = await spawnService({ dataDir: folder.path });
    admin = await service.login();
    const { workflows } = (await admin('GET', '/workflows?sort=name')).body as {
      workflows: { name: string }[];
    };
    expect(workflows.map(({ name }) => name)).toEqual([':all', 'orders/:id']);
    const send = async (to: string) => (await service.call('POST', `/webhooks/${to}`, { body: {} })).status;
    expect([await send('orders/1'), await send('other'), await send(`${ids[1]}/other`)]).toEqual([
      200, 404, 200,
    ]);
    await admin('POST', '/users', { body: { email: 'm@example.com', name: 'M', password } });
    const login = await service.call('POST', '/auth/login', { body: { email: 'm@example.com', password } });
    const member = caller(service.url, {
      authorization: `Bearer ${(login.body as { token: string }).token}`,
    });
    const responses = await Promise.all(
      ['orders', ':all'].map((endpoint) =>
        member('POST', '/workflows', {
          body: { name: endpoint, status: 'active', definition: createEchoWorkflow(endpoint) },
        }),
      ),
    );
    expect(responses.map((response) => response.status)).toEqual([400, 201]);
    await service.stop();
  } finally {
    folder.remove();
  }
});
