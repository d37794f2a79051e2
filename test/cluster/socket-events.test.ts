import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectSocket, endSocketClients, type SocketClient } from '../support/websocket/websocket-client.ts';
import { adminEmail, adminPassword, waitUntil, type Call, type SpawnedService } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { canScale, createActiveWebhook, startCluster, type Cluster } from './cluster.ts';

/** Executions of the load at least, callers that start them, and reconnections of one client meanwhile. */
const EXECUTIONS = 600;
const CALLERS = 20;
const RECONNECTIONS = 8;

describe.skipIf(!canScale)('events on WebSockets under load', () => {
  let cluster: Cluster;
  let upstream: Upstream;
  let apis: SpawnedService[];
  let call: Call;
  let token: string;
  beforeAll(async () => {
    [cluster, upstream] = await Promise.all([startCluster(), startUpstream(() => ({ after: 20 }))]);
    apis = [await cluster.start('api')];
    const [second] = await Promise.all([
      cluster.start('api'),
      cluster.start('worker'),
      cluster.start('worker'),
    ]);
    apis.push(second);
    call = await apis[0]!.login();
    const body = { email: adminEmail, password: adminPassword };
    token = ((await apis[0]!.call('POST', '/auth/login', { body })).body as { token: string }).token;
  });
  afterAll(async () => {
    endSocketClients();
    await Promise.all([cluster.close(), upstream.close()]);
  });

  async function connect(at: SpawnedService): Promise<SocketClient> {
    const socket = await connectSocket(at.url);
    expect((await socket.auth(token)).type).toBe('auth_success');
    return socket;
  }
  /** The ids whose last event one of these sockets got. */
  const completed = (...sockets: readonly SocketClient[]): Set<unknown> =>
    new Set(
      sockets
        .flatMap(({ messages }) => messages)
        .filter(({ type, data }) => type === 'execution_update' && data?.['status'] === 'completed')
        .map(({ data }) => data?.['execution_id']),
    );

  test('the last event of each execution arrives: at any process, at a slow client, over reconnections', async () => {
    await createActiveWebhook(
      call,
      'load',
      [{ id: 'ask', type: 'http_request', config: { method: 'POST', url: upstream.url } }],
      { respond: 'immediately' },
    );
    const steady = await connect(apis[0]!);
    const slow = await connect(apis[0]!);
    const ids: string[] = [];
    let isOver = false;
    /** The only client of its process: whose events are wanted there changes each time. */
    const changing = [await connect(apis[1]!)];
    /** Ids that had ended when the client asked after a reconnection. */
    const read = new Set<unknown>();
    const reconnect = async (): Promise<void> => {
      while (!isOver) {
        await sleep(100);
        changing.at(-1)!.end();
        changing.push(await connect(apis[1]!));
        const seen = completed(...changing);
        const open = ids.filter((id) => !seen.has(id) && !read.has(id));
        await Promise.all(
          open.map(async (id) => {
            const reply = await call('GET', `/executions/${id}`);
            if ((reply.body as { status: string }).status === 'completed') read.add(id);
          }),
        );
      }
    };
    const readSlowly = async (): Promise<void> => {
      while (!isOver) {
        slow.socket.pause();
        await sleep(400);
        slow.socket.resume();
        await sleep(20);
      }
    };
    const caller = async (): Promise<void> => {
      while (ids.length < EXECUTIONS || changing.length <= RECONNECTIONS) {
        const reply = await apis[ids.length % 2]!.call('POST', '/webhooks/load', { body: {} });
        expect(reply.status).toBe(200);
        ids.push((reply.body as { execution_id: string }).execution_id);
      }
    };
    const others = [reconnect(), readSlowly()];
    await Promise.all(Array.from({ length: CALLERS }, caller));
    await waitUntil(
      async () =>
        (
          (await call('GET', '/executions?status=completed&limit=1')).body as {
            pagination: { total: number };
          }
        ).pagination.total,
      (n) => n === ids.length,
    );
    isOver = true;
    await Promise.all(others);
    for (const sockets of [[steady], [slow], changing])
      await waitUntil(
        () => {
          const seen = completed(...sockets);
          return Promise.resolve(
            ids.filter((id) => !seen.has(id) && !(sockets === changing && read.has(id))),
          );
        },
        (missing) => missing.length === 0,
        10_000,
      );
    console.log(
      `sockets: ${ids.length} executions, ${changing.length} reconnections, every last event arrived but ${read.size} that were read; ${steady.messages.length} messages, ${slow.messages.length} at the slow client`,
    );
  });
});
