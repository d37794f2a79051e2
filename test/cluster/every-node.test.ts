import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtinNodes } from '../../src/nodes/registry.ts';
import { startModelServer, type ModelServer } from '../support/ai/model-server.ts';
import { startMailServer, type TestMailServer } from '../support/servers/smtp-server.ts';
import { needPostgres, startServer, type TestServer } from '../support/servers/postgres-server.ts';
import { mysqlProgram, startMysql, type MysqlServer } from '../support/servers/mysql-server.ts';
import { startRedis, type RedisServer } from '../support/servers/redis-server.ts';
import { createTempFolder, waitUntil, type Call, type SpawnedService } from '../support/service.ts';
import { startFakeImapServer, type FakeImapServer } from '../support/servers/fake-imap-server.ts';
import { writeLoopbackCertificate } from '../support/servers/tls-certificates.ts';
import { startMcpServer, type FakeMcpServer } from '../support/servers/mcp-server.ts';
import { startUpstream, type ReceivedRequest, type Upstream } from '../support/upstream.ts';
import { canScale, createActiveWebhook, startCluster, type Cluster } from './cluster.ts';
import { saveEveryNode, type EveryNode, type NodeWorkflow } from './every-node-workflows.ts';

/*
 * Failures during executions of every node type and every way to start an execution: none of them fails. With
 * SCALE=long PostgreSQL is away for a minute.
 */
const OUTAGE_SECONDS = process.env['SCALE'] === 'long' ? 60 : 12;
/** The longest that a webhook waits for its reply. */
const WEBHOOK_WAIT_MS = 30_000;
/** Clients that start executions one after the other, and ms between two starts of one. */
const CLIENTS = 4;
const PAUSE_MS = 150;

type Execution = { id: string; workflow_id: string; status: string; error: { type: string } | null };
type Started = { workflow: NodeWorkflow; id: string };
/** A start that was sent. Repeated with the same key, it starts nothing else. */
type Start = { workflow: NodeWorkflow; key: string };

describe.skipIf(!canScale)('executions of every node type', () => {
  const folder = createTempFolder();
  let cluster: Cluster;
  let upstream: Upstream;
  let mails: TestMailServer;
  let tools: FakeMcpServer;
  let models: ModelServer;
  let mailbox: FakeImapServer;
  let database: TestServer;
  let mysql: MysqlServer | null = null;
  let redis: RedisServer | undefined;
  let all: EveryNode;
  let call: Call;
  let apis: SpawnedService[];
  let workers: SpawnedService[];
  /** What calls to /hold wait for. */
  let held: Promise<void> | undefined;
  const failedOnce = new Set<string>();
  /** Starts that were committed although their first response was not an acknowledgment. */
  let replayed = 0;
  const startedAll: Started[] = [];

  function respond({ path }: ReceivedRequest): ReturnType<NonNullable<Parameters<typeof startUpstream>[0]>> {
    if (path.startsWith('/hold')) return held === undefined ? { after: 200 } : { held };
    if (path === '/file') return { headers: { 'content-type': 'image/png' }, body: 'x'.repeat(300_000) };
    if (path === '/large') return { body: { text: 'x'.repeat(400_000) } };
    if (path === '/items') return { body: Array.from({ length: 30 }, (_, id) => ({ id })) };
    if (path === '/feed')
      return { body: { version: 'https://jsonfeed.org/version/1.1', title: 'News', items: [] } };
    if (path === '/broken') return { status: 500 };
    if (path.startsWith('/flaky') && !failedOnce.has(path)) {
      failedOnce.add(path);
      return { status: 500 };
    }
    return { body: { ok: true, id: '1' }, after: 50 };
  }

  beforeAll(async () => {
    [cluster, upstream, tools, models, mails, database] = await Promise.all([
      startCluster({
        WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited',
        NODE_EXTRA_CA_CERTS: writeLoopbackCertificate(folder.path),
      }),
      startUpstream(respond),
      startMcpServer([{ name: 'add', annotations: { readOnlyHint: true } }]),
      startModelServer(({ tools: offered = [] }, turn) =>
        turn === 0 && offered.length > 0
          ? { calls: [{ name: 'look', arguments: {} }] }
          : { text: '{"category":"a"}' },
      ),
      startMailServer(),
      startServer(needPostgres()!),
    ]);
    mysql = mysqlProgram === null ? null : await startMysql(mysqlProgram);
    redis = await startRedis();
    mailbox = await startFakeImapServer(() => undefined);
    apis = [await cluster.start('api')];
    const [second, ...rest] = await Promise.all([
      cluster.start('api'),
      cluster.start('worker'),
      cluster.start('worker'),
    ]);
    apis.push(second);
    workers = rest;
    call = await apis[0]!.login();
    all = await saveEveryNode(call, {
      http: upstream.url,
      mcp: tools.url,
      models: models.url,
      mail: `smtp://127.0.0.1:${mails.port}`,
      mailbox: mailbox.port,
      postgres: await database.database(),
      mysql: mysql?.url ?? null,
      redis: redis.url,
    });
    await createActiveWebhook(
      call,
      'reply',
      [
        { id: 'hold', type: 'http_request', config: { method: 'POST', url: `${upstream.url}/hold/webhook` } },
        { id: 'reply', type: 'respond', config: { body: { replied: true } } },
      ],
      { respond: 'respond' },
    );
  });
  afterAll(async () => {
    await Promise.all([
      cluster.close(),
      upstream.close(),
      tools.close(),
      models.close(),
      mailbox.close(),
      mails.close(),
      database.close(),
      mysql?.close(),
      redis?.remove(),
    ]);
    folder.remove();
  });

  const newStart = (workflow: NodeWorkflow): Start => ({ workflow, key: randomUUID() });
  /** Null: the service did not acknowledge it, or the response was lost. */
  async function send({ workflow, key }: Start, at: Call): Promise<Started | null> {
    const reply = await at('POST', `/workflows/${workflow.id}/execute`, {
      body: { input: workflow.input },
      headers: { 'idempotency-key': key },
    }).catch((error: unknown) => {
      // A failed connection. A response that differs from the OpenAPI document is another error.
      if (error instanceof TypeError) return null;
      throw error;
    });
    if (reply?.status !== 201) return null;
    if (reply.headers.has('idempotent-replayed')) replayed++;
    const started = { workflow, id: (reply.body as Execution).id };
    startedAll.push(started);
    return started;
  }
  /**
   * Repeats a start until it is acknowledged: one without a response may have been committed, for example
   * when PostgreSQL crashed between the commit and its response.
   */
  async function acknowledge(start: Start): Promise<void> {
    await waitUntil(
      () => send(start, call),
      (started) => started !== null,
    );
  }
  /** Starts executions until it is stopped; resolves with the starts that were not acknowledged. */
  function startLoad(serving: () => Call): () => Promise<Start[]> {
    let isOver = false;
    const refused: Start[] = [];
    let turn = 0;
    const client = async (): Promise<void> => {
      while (!isOver) {
        const { workflows } = all;
        const start = newStart(workflows[turn++ % workflows.length]!);
        if ((await send(start, serving())) === null) refused.push(start);
        await sleep(PAUSE_MS);
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);
    return async () => {
      isOver = true;
      await Promise.all(clients);
      return refused;
    };
  }
  async function show(id: string): Promise<Execution> {
    const reply = await call('GET', `/executions/${id}`);
    expect(reply.status, reply.text).toBe(200);
    return reply.body as Execution;
  }
  /** Posts to the address that a `wait_for_event` gave in its log. */
  async function resume(id: string): Promise<void> {
    const reply = await waitUntil(
      () => call('GET', `/executions/${id}/logs?node_id=n&limit=100`),
      ({ text }) => text.includes('resume_url'),
      60_000,
    );
    const { logs } = reply.body as { logs: { data: { resume_url?: string } }[] };
    const url = logs.map(({ data }) => data.resume_url).find((one) => one !== undefined)!;
    const path = new URL(url).pathname.replace('/v1', '');
    expect((await apis[0]!.call('POST', path, { body: {} })).status).toBe(200);
  }
  /** Makes the first choice of the decision that an `approval` or a `form` has asked for. */
  async function approve(id: string): Promise<void> {
    const reply = await waitUntil(
      () => call('GET', '/decisions?status=open&limit=100'),
      ({ text }) => text.includes(id),
      60_000,
    );
    const { decisions } = reply.body as {
      decisions: { id: string; execution_id: string; choices: { name: string }[] }[];
    };
    const decision = decisions.find(({ execution_id }) => execution_id === id)!;
    const answered = await call('POST', `/decisions/${decision.id}/respond`, {
      body: { choice: decision.choices[0]!.name },
    });
    expect(answered.status, answered.text).toBe(200);
  }
  async function count(query: string): Promise<number> {
    const reply = await call('GET', `/executions?${query}&limit=1`);
    expect(reply.status, reply.text).toBe(200);
    return (reply.body as { pagination: { total: number } }).pagination.total;
  }
  /**
   * An execution can change between open statuses while they are counted, so the ended ones are, and first.
   */
  async function countOpen(): Promise<number> {
    const ended = await Promise.all(['completed', 'failed', 'stopped'].map((one) => count(`status=${one}`)));
    return (await count('page=1')) - ended.reduce((sum, n) => sum + n, 0);
  }
  const effects = (): Map<unknown, ReceivedRequest[]> =>
    Map.groupBy(
      upstream.received.filter(({ path }) => path.startsWith('/effect/')),
      ({ headers }) => headers['idempotency-key'],
    );

  /** Everything that was started has ended as it must, and has started each of the others once. */
  async function check(): Promise<void> {
    for (const { workflow, id } of startedAll) {
      const isDecision = workflow.name === 'approval' || workflow.name === 'form';
      const isWaiting = workflow.name === 'wait_for_event' || isDecision;
      if (!isWaiting || (await show(id)).status === 'completed') continue;
      await (isDecision ? approve(id) : resume(id));
    }
    // These start executions for as long as they are active.
    for (const name of ['schedule', 'polling'])
      expect(
        (await call('PUT', `/workflows/${all.started.get(name)}`, { body: { status: 'inactive' } })).status,
      ).toBe(200);
    const executions = new Map<NodeWorkflow, number>();
    const expected = new Map<string, number>();
    for (const workflow of all.workflows) {
      const n = await count(`workflow_id=${workflow.id}`);
      executions.set(workflow, n);
      for (const name of workflow.starts) expected.set(name, (expected.get(name) ?? 0) + n);
    }
    const started = (): Promise<[string, number][]> =>
      Promise.all(
        [...expected.keys()].map(async (name) => [name, await count(`workflow_id=${all.started.get(name)}`)]),
      );
    // One that starts when another ends may start after the last one of those has ended.
    await waitUntil(
      async () => ({
        open: await countOpen(),
        missing: (await started()).filter(([name, n]) => n < expected.get(name)!),
      }),
      ({ open, missing }) => open === 0 && missing.length === 0,
      120_000,
    );
    const ids = startedAll.map(({ id }) => id);
    const wrong = ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `${id} was acknowledged twice`);
    for (const { workflow, id } of startedAll) {
      const { status, error } = await show(id);
      const isAsMeant = status === workflow.ends && (status !== 'failed' || error?.type === 'server_error');
      if (!isAsMeant) wrong.push(`${workflow.name} ${id}: ${status} ${JSON.stringify(error)}`);
    }
    let failures = 0;
    for (const [workflow, n] of executions) {
      const acknowledged = startedAll.filter((one) => one.workflow === workflow).length;
      if (n !== acknowledged) wrong.push(`${workflow.name}: ${n} executions, ${acknowledged} acknowledged`);
      if (workflow.ends === 'failed') failures += n;
    }
    for (const [name, n] of await started())
      if (n !== expected.get(name))
        wrong.push(`"${name}" was started ${n} times instead of ${expected.get(name)} times`);
    expect(wrong, wrong.join('\n')).toEqual([]);
    expect(await count('status=failed')).toBe(failures);
    expect(await count(`workflow_id=${all.started.get('polling')}`)).toBe(30);
    expect(await count(`workflow_id=${all.started.get('schedule')}`)).toBeGreaterThan(0);
  }

  test('contain every built-in node type', () => {
    expect([...builtinNodes].map(({ type }) => type).filter((type) => !all.types.has(type))).toEqual(
      mysql === null ? ['mysql'] : [],
    );
  });

  test(
    `PostgreSQL away for ${OUTAGE_SECONDS} s: none fails, and each starts the others once`,
    { timeout: 300_000 + OUTAGE_SECONDS * 2_000 },
    async () => {
      let release = (): void => {};
      held = new Promise((resolve) => (release = resolve));
      const before = await Promise.all(
        [...all.workflows, ...all.workflows].map((workflow) => send(newStart(workflow), call)),
      );
      expect(before).not.toContain(null);
      const sentAt = performance.now();
      const reply = apis[1]!
        .call('POST', '/webhooks/reply', { body: {} })
        .then((response) => ({ ...response, after: performance.now() - sentAt }));
      const [first] = all.workflows;
      const awaited = call('POST', `/workflows/${first!.id}/execute`, {
        body: { input: first!.input, wait: '3s' },
      });
      const holding = (): number => upstream.received.filter(({ path }) => path.startsWith('/hold')).length;
      await waitUntil(
        () => Promise.resolve(holding()),
        (n) => n === before.length + 2,
      );
      const stopLoad = startLoad(() => call);
      await cluster.postgres.crash();
      // All calls end while the database is away: every node behind them begins without it.
      held = undefined;
      release();
      await sleep(OUTAGE_SECONDS * 1_000);
      await cluster.postgres.start();
      const backAt = performance.now();
      await acknowledge(newStart(all.workflows[0]!));
      const refused = await stopLoad();
      expect(refused.length).toBeGreaterThan(0);
      await Promise.all(refused.map(acknowledge));
      // A caller that waited too long gets the id of what was started.
      const { status, headers, body, after } = await reply;
      const executionId = headers.get('x-weft-execution-id')!;
      const late = { execution_id: executionId, status: 'running' };
      expect([status, body]).toEqual([200, after < WEBHOOK_WAIT_MS ? { replied: true } : late]);
      const unreadable = await awaited;
      expect(unreadable).toMatchObject({
        status: 500,
        body: { error: { code: 'STORAGE_UNAVAILABLE', details: { execution_id: expect.any(String) } } },
      });
      const { error } = unreadable.body as { error: { details: { execution_id: string } } };
      startedAll.push({ workflow: first!, id: error.details.execution_id });
      await check();
      expect((await show(executionId)).status).toBe('completed');
      for (const [key, calls] of effects()) expect(calls, String(key)).toHaveLength(1);
      console.log(
        `PostgreSQL away for ${OUTAGE_SECONDS} s: ${startedAll.length} executions acknowledged, ${refused.length} starts repeated (${replayed} of them were committed), all ended ${((performance.now() - backAt) / 1_000).toFixed(1)} s after it was back`,
      );
    },
  );

  test(
    'a rolling restart under load: none fails, and each starts the others once',
    { timeout: 300_000 },
    async () => {
      for (const name of ['schedule', 'polling'])
        expect(
          (await call('PUT', `/workflows/${all.started.get(name)}`, { body: { status: 'active' } })).status,
        ).toBe(200);
      const first = startedAll.length;
      let serving = call;
      const stopLoad = startLoad(() => serving);
      const codes: (number | null)[] = [];
      const replaceWorker = async (): Promise<void> => {
        const next = await cluster.start('worker');
        workers.push(next);
        codes.push(await workers.shift()!.stop());
      };
      const replaceApi = async (): Promise<void> => {
        const next = await cluster.start('api');
        apis.push(next);
        serving = call = await next.login();
        codes.push(await apis.shift()!.stop());
      };
      for (let round = 0; round < 2; round++) {
        const before = startedAll.length;
        await waitUntil(
          () => Promise.resolve(startedAll.length - before),
          (n) => n > 20,
        );
        await Promise.all([replaceWorker(), replaceApi()]);
      }
      expect(await stopLoad()).toEqual([]);
      expect(codes).toEqual([0, 0, 0, 0]);
      await check();
      const calls = [...effects().values()];
      console.log(
        `rolling restart of four processes: ${startedAll.length - first} executions acknowledged, ${calls.filter(({ length }) => length > 1).length} calls made again`,
      );
    },
  );
});
