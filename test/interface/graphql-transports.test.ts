import { serverAudits } from 'graphql-http';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createSocketClient, type Client } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startInProcess, type InProcess } from '../harness/in-process.ts';
import { adminEmail, adminPassword, caller, temporaryFolder, type Call } from '../harness/service.ts';

const folder = temporaryFolder();
let service: InProcess;
let api: Call;
let token: string;
let workflowId: string;

const login = async (): Promise<string> => {
  const answer = await service.call('POST', '/auth/login', {
    body: { email: adminEmail, password: adminPassword },
  });
  return (answer.body as { token: string }).token;
};

beforeAll(async () => {
  service = await startInProcess({ dataDir: folder.path });
  token = await login();
  api = caller(service.url, { authorization: `Bearer ${token}` });
  const made = await api('POST', '/workflows', {
    body: {
      name: 'Watched',
      definition: {
        nodes: [
          { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
          { id: 'wait', type: 'delay', config: { duration: '50ms' } },
        ],
        connections: [{ from: 'start', to: 'wait' }],
      },
    },
  });
  workflowId = (made.body as { id: string }).id;
});
afterAll(async () => {
  await service.service.stop();
  folder.remove();
});

const execute = () => api('POST', `/workflows/${workflowId}/execute`, { body: { wait: '5s' } });

function socketClient(connectionParams: Record<string, unknown>): Client {
  return createSocketClient({
    url: `${service.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams,
    retryAttempts: 0,
  });
}

type Update = {
  data?: Record<string, { status: string; progress: number; currentNode: string } | null> | null;
  errors?: readonly object[];
};

/** What a subscription gives until `enough`. */
async function take(
  events: AsyncIterable<unknown>,
  begun: () => void,
  enough: (seen: Update[]) => boolean,
): Promise<Update[]> {
  const seen: Update[] = [];
  setTimeout(begun, 100);
  for await (const event of events) {
    seen.push(event as Update);
    if (enough(seen)) break;
  }
  return seen;
}

const watching =
  'subscription ($id: ID!) { workflowExecution(workflowId: $id) { executionId status progress currentNode timestamp } }';
const ended = (seen: Update[]): boolean => seen.at(-1)?.data?.['workflowExecution']?.status === 'completed';

describe('GraphQL over HTTP', () => {
  const audits = serverAudits({
    url: () => `${service.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${token}`);
      return fetch(url, { ...init, headers });
    },
  });
  test.each(audits.map((audit) => [`${audit.id} ${audit.name}`, audit] as const))(
    '%s',
    async (_name, audit) => {
      const result = await audit.fn();
      expect(result, JSON.stringify(result)).toMatchObject({ status: 'ok' });
    },
  );
});

describe.each([
  [
    'graphql-transport-ws',
    (id: string) =>
      socketClient({ Authorization: `Bearer ${token}` }).iterate({ query: watching, variables: { id } }),
  ],
  [
    'server-sent events',
    (id: string) =>
      createSseClient({
        url: `${service.url}/graphql`,
        headers: () => ({ authorization: `Bearer ${token}` }),
        retryAttempts: 0,
      }).iterate({
        query: watching,
        variables: { id },
      }),
  ],
])('subscriptions over %s', (_name, subscribe) => {
  test('the updates of an execution come in order, and the last one comes', async () => {
    const seen = await take(subscribe(workflowId), () => void execute(), ended);
    const progress = seen.map((one) => one.data?.['workflowExecution']?.progress ?? -1);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(seen.at(-1)?.data?.['workflowExecution']).toMatchObject({
      status: 'completed',
      progress: 1,
      currentNode: '',
    });
  });

  test('a workflow that is not there is NOT_FOUND', async () => {
    const seen = await take(
      subscribe('wf_none'),
      () => {},
      () => true,
    );
    expect(seen[0]?.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });
});
