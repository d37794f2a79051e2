import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { APP_SECRET, PUBLIC_URL, sendAppEvent } from '../support/packs/app-events.ts';
import { openHookService, type HookService } from '../support/packs/hook-service.ts';
import { packFixture } from '../support/packs/npm-pack.ts';
import { loopbackCertificate } from '../support/servers/tls-certificates.ts';
import { caller, createTempFolder, waitUntil, type Call, type SpawnedService } from '../support/service.ts';
import { canScale, startCluster, type Cluster } from './cluster.ts';

const PASSWORD = 'a password of twenty';
const KILLS = 4;
const EVENTS_PER_SENDER = 10;
const ACKNOWLEDGED_PER_KILL = 4;

describe.skipIf(!canScale)('events of an app of a pack, with an API process and a worker', () => {
  const folder = createTempFolder();
  const processes: Record<'api' | 'worker', SpawnedService | null> = { api: null, worker: null };
  let cluster: Cluster;
  let upstream: HookService;
  let url = '';

  beforeAll(async () => {
    const authority = path.join(folder.path, 'authority.pem');
    writeFileSync(authority, loopbackCertificate);
    [cluster, upstream] = await Promise.all([
      startCluster({
        NODE_EXTRA_CA_CERTS: authority,
        WEFT_PUBLIC_URL: PUBLIC_URL,
        // The test reads each execution again until all are there.
        WEFT_RATE_LIMIT_STANDARD: 'unlimited',
      }),
      openHookService(),
    ]);
    await start('api');
    await start('worker');
    const admin = await loginAdmin();
    const installed = await admin('POST', '/packs', {
      body: { archive: packFixture('demo').toString('base64') },
    });
    expect(installed.status, installed.text).toBe(201);
    const app = await admin('PUT', '/packs/demo/app', { body: { signing_secret: APP_SECRET } });
    expect(app.status, app.text).toBe(200);
    ({ url } = app.body as { url: string });
    for (const name of ['first', 'second']) {
      const body = { email: `${name}@example.com`, password: PASSWORD, name };
      expect((await admin('POST', '/users', { body })).status).toBe(201);
      upstream.accounts[`Bearer token-of-${name}`] = `account-of-${name}`;
      const call = await login(name);
      const secret = { value: `token-of-${name}`, hosts: ['127.0.0.1'] };
      expect((await call('PUT', '/secrets/DEMO', { body: secret })).status).toBe(200);
    }
  });
  afterAll(async () => {
    await cluster?.close();
    upstream?.close();
    folder.remove();
  });

  async function start(role: 'api' | 'worker'): Promise<void> {
    processes[role] = await cluster.start(role);
  }
  const api = (): SpawnedService => processes.api!;
  const loginAdmin = (): Promise<Call> => cluster.login(api());
  async function login(name: string): Promise<Call> {
    const body = { email: `${name}@example.com`, password: PASSWORD };
    const reply = await api().call('POST', '/auth/login', { body });
    const { token } = reply.body as { token: string };
    return caller(api().url, { authorization: `Bearer ${token}` });
  }
  async function create(call: Call, name: string): Promise<string> {
    const config = {
      event: 'account_changed',
      address: upstream.address,
      authentication: { type: 'token', token: '{{ secrets.DEMO }}' },
    };
    const definition = { nodes: [{ id: 'found', type: 'npm.demo.trigger', config }], connections: [] };
    const reply = await call('POST', '/workflows', { body: { name, status: 'active', definition } });
    expect(reply.status, reply.text).toBe(201);
    return (reply.body as { id: string }).id;
  }
  const send = (id: number, account: string): Promise<Response> =>
    sendAppEvent(api().url, url, { event: 'changed', account, items: [{ id }] });

  async function listIds(call: Call, workflow: string): Promise<number[]> {
    const ids: number[] = [];
    for (let page = 1; ; page++) {
      const { body } = await call('GET', `/workflows/${workflow}/executions?limit=100&page=${page}`);
      const { executions } = body as { executions: { id: string }[] };
      for (const { id } of executions) {
        const shown = await call('GET', `/executions/${id}`);
        expect(shown.status, shown.text).toBe(200);
        const { output } = shown.body as { output: { item: { id: number } } | null };
        if (output !== null) ids.push(output.item.id);
      }
      if (executions.length < 100) return ids.toSorted((a, b) => a - b);
    }
  }

  test('each workflow of the account starts once for an event, and another owner gets none, across kills', async () => {
    const owners = ['first', 'second'];
    let calls = await Promise.all(owners.map(login));
    const workflows = [
      { owner: 0, id: await create(calls[0]!, 'One') },
      { owner: 0, id: await create(calls[0]!, 'Two') },
      { owner: 1, id: await create(calls[1]!, 'Foreign') },
    ];
    const sent: number[][] = [[], []];
    let next = 1;
    async function sendTo(owner: number): Promise<boolean> {
      const id = next++;
      const reply = await send(id, `account-of-${owners[owner]}`).catch(() => null);
      if (reply?.status === 200) sent[owner]!.push(id);
      return reply !== null;
    }
    // A trigger listens once the call that enabled it is stored.
    for (const { owner, id } of workflows)
      await waitUntil(
        async () => {
          await sendTo(owner);
          return listIds(calls[owner]!, id);
        },
        (ids) => ids.length > 0,
        60_000,
      );
    sent[0] = [];
    sent[1] = [];
    const from = next;
    for (let kill = 0; kill < KILLS; kill++) {
      const senders = owners.map(async (_, owner) => {
        for (let n = 0; n < EVENTS_PER_SENDER; n++) if (!(await sendTo(owner))) return;
      });
      const before = sent.flat().length;
      await waitUntil(
        async () => sent.flat().length,
        (count) => count >= before + ACKNOWLEDGED_PER_KILL,
      );
      const victim = kill % 2 === 0 ? 'worker' : 'api';
      await processes[victim]!.kill9();
      await Promise.all(senders);
      await start(victim);
    }
    calls = await Promise.all(owners.map(login));
    for (const { owner, id } of workflows) {
      const wanted = sent[owner]!;
      const ids = await waitUntil(
        async () => (await listIds(calls[owner]!, id)).filter((one) => one >= from),
        (found) => wanted.every((one) => found.includes(one)),
        120_000,
      );
      expect(new Set(ids).size).toBe(ids.length);
      // An event that was not acknowledged may have been stored.
      expect(ids.filter((one) => sent[1 - owner]!.includes(one))).toEqual([]);
    }
    expect(sent[0]!.length).toBeGreaterThan(KILLS * 2);
    expect(sent[1]!.length).toBeGreaterThan(KILLS * 2);
  }, 400_000);
});
