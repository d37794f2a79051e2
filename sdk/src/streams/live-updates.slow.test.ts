import { startInProcess } from '../../../test/support/in-process.ts';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  spawnService,
  type SpawnedService,
  adminEmail,
  adminPassword,
  createTempFolder,
} from '../../../test/support/service.ts';
import { createTestClock } from '../../../test/support/time/clock.ts';
import { greeting, longWait, manual } from '../../../test/api/definitions.ts';
import {
  NotFoundError,
  TimeoutError,
  UnauthorizedError,
  createClient,
  isSettled,
  type Client,
} from '../index.ts';

/** Runs for about 1.5 seconds. */
const slow = {
  nodes: [manual, { id: 'wait', type: 'delay', config: { duration: '1500ms' } }],
  connections: [{ from: 'start', to: 'wait' }],
};

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function loggedIn(url: string, options: { giveUpAfter?: number } = {}): Promise<Client> {
  const client = createClient({ baseUrl: url, ...options });
  await client.auth.login({ email: adminEmail, password: adminPassword });
  return client;
}

describe('against a service', () => {
  const folder = createTempFolder();
  let weft: SpawnedService;
  let client: Client;
  beforeAll(async () => {
    weft = await spawnService({ dataDir: folder.path });
    client = await loggedIn(weft.url);
  });
  afterAll(async () => {
    await weft.stop();
    folder.remove();
  });

  test('yields every matching execution, its final state last, and no other', async () => {
    const mine = await client.workflows.create({ name: 'mine', definition: greeting });
    const other = await client.workflows.create({ name: 'other', definition: greeting });
    const updates = client.live.executions({ workflowId: mine.id });
    const first = updates.next();
    // The subscription has no acknowledgment, so executions are started until the first update arrives.
    const listening = { yet: false };
    void first.then(() => (listening.yet = true));
    while (!listening.yet) {
      await client.workflows.execute(mine.id, { input: { name: 'x' }, wait: '5s' });
      await client.workflows.execute(other.id, { input: { name: 'x' } });
    }
    const wanted = new Set<string>();
    for (let i = 0; i < 5; i++)
      wanted.add((await client.workflows.execute(mine.id, { input: { name: 'x' } })).id);
    const last = new Map<string, string>();
    for await (const { execution_id, workflow_id, status, progress } of updates) {
      expect(workflow_id).toBe(mine.id);
      last.set(execution_id, status);
      if (isSettled(status)) expect(progress).toBe(1);
      if ([...wanted].every((id) => isSettled(last.get(id) ?? ''))) break;
    }
    expect([...wanted].map((id) => last.get(id))).toEqual(Array.from(wanted, () => 'completed'));
  });

  test('yields the current state of one execution, its changes, and its end', async () => {
    const workflow = await client.workflows.create({ name: 'one', definition: slow });
    const { id } = await client.workflows.execute(workflow.id);
    const seen: string[] = [];
    for await (const { status } of client.live.executions({ executionId: id })) seen.push(status);
    expect(seen.at(-1)).toBe('completed');
    expect(seen.length).toBeGreaterThan(1);
    const again: string[] = [];
    for await (const { status } of client.live.executions({ executionId: id })) again.push(status);
    expect(again).toEqual(['completed']);
    await expect(client.live.executions({ executionId: 'ex_none' }).next()).rejects.toBeInstanceOf(
      NotFoundError,
    );
  });

  test('a slow reader gets the newest state of each execution', async () => {
    const workflow = await client.workflows.create({ name: 'busy', definition: slow });
    const { id } = await client.workflows.execute(workflow.id);
    const updates = client.live.executions({ executionId: id });
    await updates.next();
    // Both share one connection: once this one has received an update, the other one has as well.
    for await (const { status } of client.live.executions({ executionId: id }))
      if (status === 'completed') break;
    expect((await updates.next()).value).toMatchObject({ status: 'completed' });
    expect((await updates.next()).done).toBe(true);
  });

  test('200 concurrent waits share one connection, and each resolves', async () => {
    const workflow = await client.workflows.create({ name: 'many', definition: slow });
    const started = await Promise.all(
      Array.from({ length: 200 }, () => client.workflows.execute(workflow.id)),
    );
    const ended = await Promise.all(
      started.map(({ id }) => client.executions.waitFor(id, { timeout: 100_000 })),
    );
    expect(new Set(ended.map((one) => one.status))).toEqual(new Set(['completed']));
  });

  test('waiting works without live updates, and ends on timeout or abort', async () => {
    const workflow = await client.workflows.create({ name: 'long', definition: longWait });
    const { token } = await client.auth.login({ email: adminEmail, password: adminPassword });
    const deaf = createClient({
      baseUrl: weft.url,
      token,
      WebSocket: class {
        constructor() {
          throw new Error('There are no sockets here.');
        }
        send(): void {}
        close(): void {}
      },
    });
    const short = await client.workflows.create({ name: 'short', definition: slow });
    const { status, nodes } = await deaf.executions.run(short.id);
    expect([status, nodes.length]).toEqual(['completed', 2]);
    const { id } = await client.workflows.execute(workflow.id);
    for (const one of [client, deaf]) {
      await expect(one.executions.waitFor(id, { timeout: 200 })).rejects.toBeInstanceOf(TimeoutError);
      const reason = new Error('enough');
      const signal = AbortSignal.abort(reason);
      await expect(one.executions.waitFor(id, { signal })).rejects.toBe(reason);
    }
    await client.executions.stop(id);
    await expect(client.executions.waitFor(id)).resolves.toMatchObject({ status: 'stopped' });
    await expect(client.executions.waitFor('ex_none')).rejects.toBeInstanceOf(NotFoundError);
  });

  test('a failed run throws an error with its cause', async () => {
    const workflow = await client.workflows.create({ name: 'fails', definition: greeting });
    await expect(client.executions.run(workflow.id, {})).rejects.toMatchObject({
      name: 'ExecutionFailedError',
      executionId: expect.stringMatching(/^ex_/) as string,
      details: { status: 'failed', error: { node_id: 'greet' } },
    });
  });

  test('an invalid credential ends the stream', async () => {
    const wrong = createClient({ baseUrl: weft.url, apiKey: 'weft_wrong' });
    await expect(wrong.live.executions().next()).rejects.toBeInstanceOf(UnauthorizedError);
    await expect(wrong.live.notifications().next()).rejects.toBeInstanceOf(UnauthorizedError);
    await expect(createClient({ baseUrl: weft.url }).live.executions().next()).rejects.toThrow(
      /need a credential/,
    );
    const { key } = await client.apiKeys.create({ name: 'w', scopes: ['workflows:read'] });
    const narrow = createClient({ baseUrl: weft.url, apiKey: key });
    await expect(narrow.live.executions().next()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('an abort or leaving the loop ends the stream', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const next = client.live.notifications({ signal: controller.signal }).next();
    controller.abort(reason);
    await expect(next).rejects.toBe(reason);
  });

  test('GraphQL uses the same service and credential', async () => {
    const { id } = await client.workflows.create({ name: 'asked', definition: greeting });
    type Data = { workflow: { name: string; nodeCount: number } | null };
    const query = 'query ($id: ID!) { workflow(id: $id) { name nodeCount } }';
    expect(await client.graphql<Data>(query, { id })).toEqual({ workflow: { name: 'asked', nodeCount: 2 } });
    await expect(
      client.graphql('mutation { createWorkflow(input: { name: "" }) { id } }'),
    ).rejects.toMatchObject({
      name: 'GraphqlError',
      code: 'VALIDATION_ERROR',
      details: { field: 'name' },
    });
    await expect(client.graphql('{ nothing }')).rejects.toMatchObject({ name: 'GraphqlError' });
  });

  test('a failed execution sends a notification', async () => {
    const workflow = await client.workflows.create({ name: 'fails too', definition: greeting });
    await client.workflows.update(workflow.id, { status: 'active' });
    const notifications = client.live.notifications();
    const update = { yet: false };
    const next = notifications.next().then(({ value }) => {
      update.yet = true;
      return value?.message;
    });
    while (!update.yet) await client.workflows.execute(workflow.id, { input: {}, wait: '1s' });
    expect(await next).toContain('fails too');
    await notifications.return();
  });
});

test('an expired session is renewed for requests and live updates', async () => {
  const folder = createTempFolder();
  const clock = createTestClock(Date.parse('2026-03-01T00:00:00Z'));
  const weft = await startInProcess({ dataDir: folder.path, clock });
  try {
    const tokens: string[] = [];
    const client = createClient({
      baseUrl: weft.url,
      onSession: (session) => void tokens.push(session?.token ?? ''),
    });
    await client.auth.login({ email: adminEmail, password: adminPassword });
    const workflow = await client.workflows.create({ name: 'x', definition: greeting });
    await clock.advance(2 * 3_600_000);
    expect((await client.workflows.get(workflow.id)).name).toBe('x');
    expect(tokens.length).toBe(2);
    await clock.advance(2 * 3_600_000);
    const { id } = await createClient({ baseUrl: weft.url, token: tokens[1]! }).workflows.execute(
      workflow.id,
      {
        input: { name: 'x' },
      },
    );
    await until(client, id);
    await client.auth.logout();
    await expect(client.users.me()).rejects.toBeInstanceOf(UnauthorizedError);
    expect(tokens.at(-1)).toBe('');
  } finally {
    await weft.service.stop();
    folder.remove();
  }
});

async function until(client: Client, id: string): Promise<void> {
  for await (const { status } of client.live.executions({ executionId: id })) {
    if (isSettled(status)) expect(status).toBe('completed');
  }
}

describe('a service that is killed during updates', () => {
  const folder = createTempFolder();
  let service: SpawnedService;
  afterAll(async () => {
    if (service.child.exitCode === null) await service.kill9();
    folder.remove();
  });

  test('no completion is lost, including those of executions started meanwhile', async () => {
    const port = String(await freePort());
    const start = () => spawnService({ dataDir: folder.path, env: { PORT: port } });
    service = await start();
    const client = await loggedIn(service.url);
    const workflow = await client.workflows.create({ name: 'slow', definition: slow });
    const quick = await client.workflows.create({ name: 'quick', definition: greeting });

    const last = new Map<string, string>();
    const ends = new Map<string, number>();
    const controller = new AbortController();
    const watching = (async () => {
      for await (const { execution_id, status } of client.live.executions({ signal: controller.signal })) {
        last.set(execution_id, status);
        if (isSettled(status)) ends.set(execution_id, (ends.get(execution_id) ?? 0) + 1);
      }
    })().catch((error: unknown) => error);
    while (last.size === 0) await client.workflows.execute(quick.id, { input: { name: 'x' }, wait: '1s' });

    const started = await Promise.all(
      Array.from({ length: 10 }, () => client.workflows.execute(workflow.id)),
    );
    const one = (async () => {
      const seen: string[] = [];
      for await (const { status } of client.live.executions({ executionId: started[0]!.id }))
        seen.push(status);
      return seen;
    })();
    const waited = client.executions.waitFor(started[1]!.id);
    const lines: string[] = [];
    const logged = (async () => {
      for await (const { message } of client.executions.logs.follow(started[2]!.id)) lines.push(message);
    })();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await service.kill9();
    // All of them are due while no client is connected; the live connection is down for a while.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    service = await start();
    // Most likely started and finished before the client reconnects; reported in any case.
    const call = await service.login();
    const meanwhile = (
      await call('POST', `/workflows/${quick.id}/execute`, { body: { input: { name: 'y' } } })
    ).body as { id: string };

    expect((await one).at(-1)).toBe('completed');
    expect((await waited).status).toBe('completed');
    await logged;
    expect(lines.filter((line) => line === 'Execution started').length).toBe(1);
    expect(lines.at(-1)).toBe('Execution completed');
    const wanted = [...started.map(({ id }) => id), meanwhile.id];
    const end = performance.now() + 15_000;
    while (!wanted.every((id) => isSettled(last.get(id) ?? '')) && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(wanted.map((id) => last.get(id))).toEqual(wanted.map(() => 'completed'));
    expect(wanted.map((id) => ends.get(id))).toEqual(wanted.map(() => 1));
    controller.abort();
    await watching;
  });

  test('a permanent outage fails after giveUpAfter', async () => {
    const client = await loggedIn(service.url, { giveUpAfter: 400 });
    const workflow = await client.workflows.create({ name: 'long', definition: longWait });
    const { id } = await client.workflows.execute(workflow.id);
    const updates = client.live.executions({ executionId: id });
    await updates.next();
    const next = updates.next();
    const waiting = client.executions.waitFor(id);
    const outcome = Promise.allSettled([next, waiting]);
    await service.kill9();
    for (const one of await outcome)
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'CONNECTION' } });
  });
});
