import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { completeWith, createToolWorkflows } from '../support/ai/tool-workflows.ts';
import {
  startServiceWithAccounts,
  type Headers,
  type ServiceWithAccounts,
} from '../support/service-with-accounts.ts';
import { waitUntil, type Call } from '../support/service.ts';

let service: ServiceWithAccounts;
let api: Call;

beforeAll(async () => {
  service = await startServiceWithAccounts();
  api = service.as(await service.session(service.member));
});
afterAll(() => service.close());

type Tools = readonly { name: string; description?: string | undefined }[] | null;
type Watch = (headers: Headers, changed: (tools: Tools) => void) => Promise<() => Promise<void>>;

const url = (): URL => new URL('/v1/mcp', service.weft.url);

const watchAsCurrent: Watch = async (headers, changed) => {
  const client = new CurrentClient(
    { name: 'test', version: '1.0.0' },
    {
      versionNegotiation: { mode: 'auto' },
      listChanged: { tools: { debounceMs: 0, onChanged: (_error, tools) => changed(tools) } },
    },
  );
  await client.connect(new CurrentTransport(url(), { requestInit: { headers } }));
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  return () => client.close();
};

const watchAsEarlier: Watch = async (headers, changed) => {
  const client = new EarlierClient(
    { name: 'test', version: '1.0.0' },
    { listChanged: { tools: { debounceMs: 0, onChanged: (_error, tools) => changed(tools) } } },
  );
  await client.connect(new EarlierTransport(url(), { requestInit: { headers } }) as never);
  return () => client.close();
};

describe.each([
  ['current', watchAsCurrent],
  ['earlier', watchAsEarlier],
])('a client of the %s version', (version, watch) => {
  test('is notified when a tool of its user is activated, changed or deactivated', async () => {
    let latest: Tools = null;
    let notifications = 0;
    const close = await watch(await service.session(service.member), (tools) => {
      notifications++;
      latest = tools;
    });
    let ofOthers = 0;
    const closeOther = await watch(await service.session(service.other), () => void ofOthers++);
    const name = `look_${version}`;
    const listed = (): string | undefined => latest?.find((tool) => tool.name === name)?.description;
    const reach = (wanted: string | undefined): Promise<unknown> =>
      waitUntil(
        () => Promise.resolve(latest !== null && listed() === wanted),
        (isReached) => isReached,
      );
    // The stream of an earlier client opens after its connection, and what changed before is not sent.
    let first = 0;
    await waitUntil(
      async () => {
        await createToolWorkflows(api, [{ name: `first_${version}_${first++}`, nodes: [completeWith(1)] }]);
        return notifications;
      },
      (count) => count > 0,
    );
    const ids = await createToolWorkflows(api, [
      { name, trigger: { description: 'Looks.' }, nodes: [completeWith('x')] },
    ]);
    await reach('Looks.');
    const address = `/workflows/${ids.get(name)}`;
    const { definition } = (await api('GET', address)).body as {
      definition: { nodes: { config: object }[] };
    };
    Object.assign(definition.nodes[0]!.config, { description: 'Looks again.' });
    expect((await api('PUT', address, { body: { definition } })).status).toBe(200);
    await reach('Looks again.');
    expect((await api('PUT', address, { body: { status: 'inactive' } })).status).toBe(200);
    await reach(undefined);
    // A workflow that is not a tool changes nothing.
    const before = notifications;
    const body = { name: 'x', definition: { nodes: [{ id: 'a', type: 'trigger', config: {} }] } };
    await api('POST', '/workflows', { body });
    const again = await createToolWorkflows(api, [
      { name, trigger: { description: 'The last.' }, nodes: [completeWith('x')] },
    ]);
    await reach('The last.');
    expect(notifications).toBe(before + 1);
    await api('DELETE', `/workflows/${again.get(name)}`);
    await reach(undefined);
    expect(ofOthers).toBe(0);
    await close();
    await closeOther();
  });
});
