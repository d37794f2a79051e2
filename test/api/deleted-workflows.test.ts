import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestClock } from '../support/time/clock.ts';
import { startInProcess, type InProcess } from '../support/in-process.ts';
import { createTempFolder, waitUntil, type Call } from '../support/service.ts';
import { greeting, longWait } from './definitions.ts';

const DAY_MS = 86_400_000;
const hook = (endpoint: string) => ({
  nodes: [
    { id: 'hook', type: 'trigger', config: { triggerType: 'webhook', endpoint, authentication: 'none' } },
  ],
  connections: [],
});
type Body = Record<string, unknown> & { id: string };

const started = async (env: Record<string, string> = {}) => {
  const clock = createTestClock(Date.parse('2026-05-01T00:00:00Z'));
  const folder = createTempFolder();
  const weft: InProcess = await startInProcess({ dataDir: folder.path, clock, env });
  return {
    clock,
    weft,
    async close() {
      await weft.service.stop();
      folder.remove();
    },
  };
};

describe('deleted workflows', () => {
  let service: Awaited<ReturnType<typeof started>>;
  let api: Call;
  beforeAll(async () => {
    service = await started();
  });
  afterAll(async () => service?.close());
  beforeEach(async () => {
    api = await service.weft.login();
  });
  const create = async (fields: object): Promise<string> => {
    const made = await api('POST', '/workflows', {
      body: { name: 'x', definition: greeting, ...fields },
    });
    if (made.status !== 201) throw new Error(made.text);
    return (made.body as Body).id;
  };
  const deleted = async (): Promise<Body[]> =>
    ((await api('GET', '/workflows/deleted')).body as { workflows: Body[] }).workflows;

  test('is 404 everywhere and frees its endpoint, and comes back without its executions', async () => {
    const failures = await create({ name: 'Failures' });
    const id = await create({
      name: 'Orders',
      tags: ['shop'],
      definition: hook('orders-trash'),
      settings: { on_failure_workflow: failures, timeout: '5m' },
    });
    await api('PUT', `/workflows/${id}`, { body: { description: 'second' } });
    await api('PUT', `/workflows/${id}`, { body: { status: 'active' } });
    await api('PUT', `/workflows/${id}/pinned-outputs/hook`, { body: { output: { total: 1 } } });
    const { body: execution } = await api('POST', `/workflows/${id}/execute`, { body: { wait: '30s' } });
    const before = (await api('GET', `/workflows/${id}`)).body as Body;
    expect(await api('DELETE', `/workflows/${id}`)).toMatchObject({
      status: 200,
      body: { id, deleted: true },
    });
    for (const [method, path] of [
      ['GET', `/workflows/${id}`],
      ['PUT', `/workflows/${id}`],
      ['DELETE', `/workflows/${id}`],
      ['POST', `/workflows/${id}/execute`],
      ['GET', `/workflows/${id}/versions`],
      ['GET', `/workflows/${id}/versions/1`],
      ['GET', `/workflows/${id}/pinned-outputs`],
      ['GET', `/executions/${(execution as Body).id}`],
    ] as const)
      expect([path, (await api(method, path, method === 'GET' ? {} : { body: {} })).status]).toEqual([
        path,
        404,
      ]);
    const { body: list } = await api('GET', '/workflows?search=Orders');
    expect(list).toMatchObject({ workflows: [], pagination: { total: 0 } });
    expect((await api('POST', '/webhooks/orders-trash', { body: {} })).status).toBe(404);
    const next = await create({ name: 'Next', definition: hook('orders-trash'), status: 'active' });
    expect((await api('POST', '/webhooks/orders-trash', { body: {} })).status).toBeLessThan(300);

    const [entry] = await deleted();
    expect(entry).toMatchObject({
      id,
      name: 'Orders',
      status: 'inactive',
      tags: ['shop'],
      version: before['version'],
      deleted_by: before['owner_id'],
    });
    const span = Date.parse(String(entry!['purge_at'])) - Date.parse(String(entry!['deleted_at']));
    expect(span).toBe(30 * DAY_MS);

    const restored = await api('POST', `/workflows/${id}/undelete`);
    expect(restored.status).toBe(200);
    expect(restored.body).toMatchObject({
      id,
      status: 'inactive',
      active_version: null,
      version: before['version'],
      settings: before['settings'],
      definition: before['definition'],
      tags: ['shop'],
      execution_count: 0,
    });
    expect((await api('GET', `/workflows/${id}/versions`)).body).toMatchObject({ pagination: { total: 3 } });
    expect((await api('GET', `/workflows/${id}/pinned-outputs`)).body).toMatchObject({
      pinned_outputs: [{ node_id: 'hook', output: { total: 1 } }],
    });
    expect(await deleted()).toEqual([]);
    expect((await api('POST', `/workflows/${id}/undelete`)).status).toBe(404);
    // The endpoint belongs to the workflow that took it meanwhile.
    expect(await api('PUT', `/workflows/${id}`, { body: { status: 'active' } })).toMatchObject({
      body: { error: { code: 'CONFLICT', details: { endpoint: 'orders-trash' } } },
    });
    await api('DELETE', `/workflows/${next}?permanent=true`);
    expect((await api('PUT', `/workflows/${id}`, { body: { status: 'active' } })).status).toBe(200);
    expect((await api('POST', '/webhooks/orders-trash', { body: {} })).status).toBeLessThan(300);
    await api('DELETE', `/workflows/${id}?permanent=true`);
  });

  test('starts its failure workflow again after it was restored', async () => {
    const failures = await create({ name: 'Failures' });
    const id = await create({
      settings: { on_failure_workflow: failures },
      definition: {
        nodes: [
          { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
          { id: 'no', type: 'stop', config: { outcome: 'failed', message: 'no' } },
        ],
        connections: [{ from: 'start', to: 'no' }],
      },
    });
    await api('DELETE', `/workflows/${id}`);
    await api('POST', `/workflows/${id}/undelete`);
    await api('POST', `/workflows/${id}/execute`, { body: { wait: '30s' } });
    await waitUntil(
      async () => (await api('GET', `/executions?workflow_id=${failures}`)).body as { executions: object[] },
      ({ executions }) => executions.length === 1,
    );
  });

  test('a draft stays a draft; running executions are stopped', async () => {
    const draft = await create({ name: 'Draft' });
    const waiting = await create({ name: 'Waiting', definition: longWait });
    const { body: run } = await api('POST', `/workflows/${waiting}/execute`, { body: {} });
    await waitUntil(
      async () => (await api('GET', `/executions/${(run as Body).id}`)).body as Body,
      ({ status }) => status === 'waiting',
    );
    await api('DELETE', `/workflows/${draft}`);
    await api('DELETE', `/workflows/${waiting}`);
    expect((await api('GET', `/executions/${(run as Body).id}`)).status).toBe(404);
    expect((await deleted()).map(({ id, status }) => [id, status])).toEqual([
      [waiting, 'draft'],
      [draft, 'draft'],
    ]);
    expect(await api('POST', `/workflows/${draft}/undelete`)).toMatchObject({ body: { status: 'draft' } });
    expect(await api('DELETE', `/workflows/${waiting}?permanent=maybe`)).toMatchObject({
      status: 400,
      body: { error: { details: { field: 'permanent' } } },
    });
    expect(await api('DELETE', `/workflows/${waiting}?permanent=true`)).toMatchObject({
      body: { id: waiting, deleted: true },
    });
    expect(await api('DELETE', `/workflows/${waiting}?permanent=true`)).toMatchObject({ status: 404 });
    expect(await deleted()).toEqual([]);
  });

  test('is deleted permanently after 30 days', async () => {
    const id = await create({ name: 'Old' });
    await api('DELETE', `/workflows/${id}`);
    const listed = async (): Promise<number> => {
      await service.clock.advance(61_000);
      return (await deleted()).length;
    };
    await service.clock.advance(30 * DAY_MS - 600_000);
    api = await service.weft.login();
    expect(await listed()).toBe(1);
    await service.clock.advance(600_000);
    expect(await waitUntil(listed, (n) => n === 0)).toBe(0);
    expect((await api('POST', `/workflows/${id}/undelete`)).status).toBe(404);
  });

  test('lists are sorted', async () => {
    const ids: string[] = [];
    for (const name of ['b', 'C', 'a']) {
      await service.clock.advance(1_000);
      ids.push(await create({ name: `sorted ${name}`, tags: ['sorted'] }));
    }
    await service.clock.advance(1_000);
    await api('POST', `/workflows/${ids[1]}/execute`, { body: { input: { name: 'Ada' }, wait: '30s' } });
    await api('PUT', `/workflows/${ids[0]}`, { body: { description: 'newer' } });
    const sorted = async (query: string): Promise<string> => {
      const { body } = await api('GET', `/workflows?tag=sorted&${query}`);
      return (body as { workflows: { name: string }[] }).workflows.map(({ name }) => name.at(-1)).join('');
    };
    expect(await sorted('')).toBe('aCb');
    expect(await sorted('sort=name')).toBe('abC');
    expect(await sorted('sort=name&direction=desc')).toBe('Cba');
    expect(await sorted('sort=updated_at')).toBe('baC');
    expect(await sorted('sort=created_at&direction=asc')).toBe('bCa');
    expect(await sorted('sort=last_execution&limit=1')).toBe('C');
    for (const [field, query] of [
      ['sort', 'sort=size'],
      ['direction', 'direction=up'],
    ])
      expect(await api('GET', `/workflows?${query}`)).toMatchObject({
        status: 400,
        body: { error: { details: { field } } },
      });
  });
});

test('with a retention of 0, a deletion is permanent at once', async () => {
  const service = await started({ WEFT_DELETED_WORKFLOW_RETENTION: '0' });
  try {
    const api = await service.weft.login();
    const { body } = await api('POST', '/workflows', { body: { name: 'x', definition: greeting } });
    const { id } = body as Body;
    expect(await api('DELETE', `/workflows/${id}`)).toMatchObject({ body: { id, deleted: true } });
    expect((await api('GET', '/workflows/deleted')).body).toMatchObject({ workflows: [], retention: 0 });
    expect((await api('POST', `/workflows/${id}/undelete`)).status).toBe(404);
  } finally {
    await service.close();
  }
});
