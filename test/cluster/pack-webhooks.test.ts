import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHookService, type HookService } from '../support/packs/hook-service.ts';
import { packFixture } from '../support/packs/npm-pack.ts';
import { loopbackCertificate } from '../support/servers/tls-certificates.ts';
import { createTempFolder, waitUntil, type Call, type SpawnedService } from '../support/service.ts';
import { canScale, startCluster, type Cluster } from './cluster.ts';

const PUBLIC_URL = 'https://weft.example.com';
const PAGE_SIZE = 100;

describe.skipIf(!canScale)('webhooks of packs in two processes', () => {
  const folder = createTempFolder();
  let cluster: Cluster;
  let upstream: HookService;
  let processes: SpawnedService[] = [];
  let call: Call;

  beforeAll(async () => {
    const authority = path.join(folder.path, 'authority.pem');
    writeFileSync(authority, loopbackCertificate);
    [cluster, upstream] = await Promise.all([
      startCluster({
        NODE_EXTRA_CA_CERTS: authority,
        WEFT_PUBLIC_URL: PUBLIC_URL,
        WEFT_WEBHOOK_RATE_LIMIT: 'unlimited',
      }),
      openHookService(),
    ]);
    const first = await cluster.start('all');
    processes = [first, await cluster.start('all')];
    call = await first.login();
    const archive = packFixture('demo').toString('base64');
    const installed = await call('POST', '/packs', { body: { archive } });
    expect(installed.status, installed.text).toBe(201);
    await call('PUT', '/secrets/DEMO', { body: { value: 'token-of-the-demo', hosts: ['127.0.0.1'] } });
  });
  afterAll(async () => {
    await cluster?.close();
    upstream?.close();
    folder.remove();
  });

  const send = (to: SpawnedService, url: string, id: number): Promise<Response> =>
    fetch(url.replace(`${PUBLIC_URL}/v1`, to.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ items: [{ id }] }),
    });
  async function listItems(workflow: string): Promise<{ id: number; n: number }[]> {
    const items: { id: number; n: number }[] = [];
    for (let page = 1; ; page++) {
      const { body } = await call('GET', `/workflows/${workflow}/executions?limit=${PAGE_SIZE}&page=${page}`);
      const { executions } = body as { executions: { id: string; status: string }[] };
      for (const { id } of executions) {
        const { output } = (await call('GET', `/executions/${id}`)).body as {
          output: { item: { id: number; n: number } } | null;
        };
        if (output !== null) items.push(output.item);
      }
      if (executions.length < PAGE_SIZE) return items;
    }
  }

  test('both receive, one address is registered, and the kill of either loses and doubles nothing', async () => {
    const trigger = {
      id: 'found',
      type: 'npm.demo.trigger',
      config: {
        event: 'item_changed',
        address: upstream.address,
        authentication: { type: 'token', token: '{{ secrets.DEMO }}' },
      },
    };
    const body = { name: 'Receive', status: 'active', definition: { nodes: [trigger], connections: [] } };
    const saved = await call('POST', '/workflows', { body });
    expect(saved.status, saved.text).toBe(201);
    const { id: workflow } = saved.body as { id: string };
    const { url } = await waitUntil(
      async () => [...upstream.hooks.values()][0] ?? { url: '' },
      (hook) => hook.url !== '',
    );
    const acknowledged: number[] = [];
    let next = 1;
    // A kill before the registration is stored would register another address.
    expect((await send(processes[0]!, url, next)).status).toBe(200);
    acknowledged.push(next++);
    await waitUntil(
      () => listItems(workflow),
      (items) => items.length === 1,
    );
    for (let kill = 0; kill < 4; kill++) {
      const victim = processes[kill % 2]!;
      const senders = processes.map(async (to) => {
        for (let n = 0; n < 15; n++) {
          const id = next++;
          const response = await send(to, url, id).catch(() => null);
          if (response === null) return;
          expect(response.status).toBe(200);
          acknowledged.push(id);
        }
      });
      const before = acknowledged.length;
      await waitUntil(
        async () => acknowledged.length,
        (count) => count >= before + 8,
      );
      await victim.kill9();
      await Promise.all(senders);
      const survivor = processes[(kill + 1) % 2]!;
      call = await survivor.login();
      // Takes over what the killed process did not finish.
      const last = next++;
      expect((await send(survivor, url, last)).status).toBe(200);
      acknowledged.push(last);
      await waitUntil(
        () => listItems(workflow),
        (items) => items.some(({ id }) => id === last),
        90_000,
      );
      processes[kill % 2] = await cluster.start('all');
    }
    const items = await listItems(workflow);
    const ids = items.map(({ id }) => id).toSorted((a, b) => a - b);
    expect(new Set(ids).size).toBe(ids.length);
    expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
    // The requests are processed in order, and the store of the trigger counts each of them once.
    expect(items.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(ids.map((_, i) => i + 1));
    expect(upstream.requests.filter((one) => one === 'POST /hooks')).toHaveLength(1);
    expect(await call('PUT', `/workflows/${workflow}`, { body: { status: 'inactive' } })).toMatchObject({
      status: 200,
    });
    await waitUntil(
      async () => upstream.hooks.size,
      (count) => count === 0,
    );
    for (const to of processes) expect((await send(to, url, 0)).status).toBe(404);
  }, 300_000);

  test('a handshake gets its response from the process that does not register', async () => {
    const statuses: [number, string][] = [];
    upstream.verify = async (url) => {
      for (const to of processes) {
        const response = await fetch(`${url.replace(`${PUBLIC_URL}/v1`, to.url)}?challenge=abc`);
        statuses.push([response.status, await response.text()]);
      }
    };
    const trigger = {
      id: 'found',
      type: 'npm.demo.trigger',
      config: {
        event: 'item_changed',
        address: upstream.address,
        authentication: { type: 'token', token: '{{ secrets.DEMO }}' },
      },
    };
    const body = { name: 'Verify', status: 'active', definition: { nodes: [trigger], connections: [] } };
    expect((await call('POST', '/workflows', { body })).status).toBe(201);
    await waitUntil(
      async () => statuses.length,
      (count) => count === 2,
    );
    expect(statuses).toEqual([
      [202, 'abc 6'],
      [202, 'abc 6'],
    ]);
  });
});
