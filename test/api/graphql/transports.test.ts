import { createHash } from 'node:crypto';
import { serverAudits } from 'graphql-http';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createSocketClient, type Client } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  spawnService,
  type SpawnedService,
  adminEmail,
  adminPassword,
  caller,
  createTempFolder,
  type Call,
} from '../../support/service.ts';

const folder = createTempFolder();
let service: SpawnedService;
let api: Call;
let token: string;
let workflowId: string;

const login = async (): Promise<string> => {
  const response = await service.call('POST', '/auth/login', {
    body: { email: adminEmail, password: adminPassword },
  });
  return (response.body as { token: string }).token;
};

beforeAll(async () => {
  service = await spawnService({ dataDir: folder.path });
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
  await service.stop();
  folder.remove();
});

const execute = () => api('POST', `/workflows/${workflowId}/execute`, { body: { wait: '30s' } });

function socketClient(connectionParams: Record<string, unknown>): Client {
  return createSocketClient({
    url: `${service.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams,
    retryAttempts: 0,
  });
}

type Update = {
  data?: Record<
    string,
    { executionId: string; status: string; progress: number; currentNode: string } | null
  > | null;
  errors?: readonly object[];
};

/**
 * The values of a subscription until `enough` returns true. A subscription reports no start, so `begun` is
 * called again until there is a value.
 */
async function take(
  events: AsyncIterable<unknown>,
  begun: () => void,
  enough: (seen: Update[]) => boolean,
): Promise<Update[]> {
  const seen: Update[] = [];
  const timer = setInterval(() => seen.length === 0 && begun(), 500);
  begun();
  try {
    for await (const event of events) {
      seen.push(event as Update);
      if (enough(seen)) break;
    }
  } finally {
    clearInterval(timer);
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
    const updates = seen.map((one) => one.data?.['workflowExecution']);
    const last = updates.at(-1);
    const progress = updates
      .filter((update) => update?.executionId === last?.executionId)
      .map((update) => update?.progress ?? -1);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(last).toMatchObject({
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

describe('the page to try it', () => {
  test('is loaded without a credential, from this server alone', async () => {
    const page = await service.call('GET', '/graphql', {
      headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(page.text).toContain('Weft GraphQL');
    expect(page.text).not.toMatch(/https?:\/\/|src=|<link/);
    for (const [tag, directive] of [
      ['script', 'script-src'],
      ['style', 'style-src'],
    ] as const) {
      const [, inside = ''] = new RegExp(`<${tag}>([^]*)</${tag}>`).exec(page.text) ?? [];
      const hash = createHash('sha256').update(inside).digest('base64');
      expect(policy).toContain(`${directive} 'sha256-${hash}'`);
    }
  });

  test('with a query in the URL, the response is JSON', async () => {
    const response = await api('GET', '/graphql?query={me{email}}', { headers: { accept: 'text/html' } });
    expect(response.body).toEqual({ data: { me: { email: adminEmail } } });
  });
});

describe('the request', () => {
  const body = { query: '{ me { email } }' };
  test('the limit of the plan is shared with REST, and shown in the same headers', async () => {
    const rest = await api('GET', '/users/me');
    const one = await api('POST', '/graphql', { body });
    const left = (response: { headers: Headers }) => Number(response.headers.get('x-ratelimit-remaining'));
    expect(left(one)).toBe(left(rest) - 1);
    const invalid = await api('POST', '/graphql', { body: { query: '{' } });
    expect(left(invalid)).toBe(left(rest) - 2);
    expect(one.headers.get('x-request-id')).toMatch(/^req_/);
    expect(one.headers.get('weft-version')).not.toBeNull();
  });

  test('a mutation by GET is rejected', async () => {
    const response = await api('GET', `/graphql?query=${encodeURIComponent('mutation { logout }')}`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await api('POST', '/graphql', { body })).status).toBe(200);
  });

  test.each([
    ['a batch', '[{"query":"{ me { id } }"}]', 'VALIDATION_ERROR', 'body'],
    ['no JSON', '{"query":', 'VALIDATION_ERROR', 'body'],
    ['a name given twice', '{"query":"{ me { id } }","query":"{ me { id } }"}', 'VALIDATION_ERROR', 'query'],
    ['too large', `{"query":"${' '.repeat(300_000)}"}`, 'PAYLOAD_TOO_LARGE', undefined],
    [
      'variables of another kind',
      '{"query":"{ me { id } }","variables":[1]}',
      'VALIDATION_ERROR',
      'variables',
    ],
  ])('%s', async (_name, raw, code, field) => {
    const response = await api('POST', '/graphql', { raw, headers: { 'content-type': 'application/json' } });
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      errors: [{ extensions: { code, details: field === undefined ? {} : { field } } }],
    });
  });

  test('too dear, too deep, in a circle: refused before anything runs', async () => {
    for (const query of [
      '{ workflows(filter: { limit: 100 }) { executions(limit: 100) { id } } }',
      `{ executions { ${'workflow { executions { '.repeat(10)} id ${'} }'.repeat(10)} } }`,
      '{ me { ...a } } fragment a on User { ...b } fragment b on User { ...a }',
    ]) {
      const response = await api('POST', '/graphql', {
        body: { query },
        headers: { accept: 'application/graphql-response+json' },
      });
      expect(response.status).toBe(400);
      expect(response.body).not.toHaveProperty('data');
      expect(response.body).toMatchObject({
        errors: [{ extensions: { code: 'VALIDATION_ERROR', details: { field: 'query' } } }],
      });
    }
  });

  test('a subscription needs a transport that can carry it', async () => {
    const response = await api('POST', '/graphql', {
      body: { query: 'subscription { systemHealth { status } }' },
    });
    expect(response.body).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_ERROR' } }] });
  });

  test('the schema is a public document', async () => {
    const response = await service.call('GET', '/schema.graphql');
    expect(response.status).toBe(200);
    expect(response.text).toContain('type Workflow {');
  });
});

describe('the WebSocket', () => {
  const readCloseCode = async (params: Record<string, unknown>): Promise<number> => {
    const client = socketClient(params);
    return new Promise((resolve) => {
      client.subscribe(
        { query: '{ me { id } }' },
        {
          next: () => resolve(0),
          error: (error) => resolve((error as { code?: number }).code ?? -1),
          complete: () => {},
        },
      );
    });
  };

  test('queries and mutations go over it too, with a token or a key', async () => {
    const { key } = (await api('POST', '/api-keys', { body: { name: 'socket' } })).body as { key: string };
    for (const params of [{ Authorization: `Bearer ${token}` }, { 'X-API-Key': key }]) {
      const client = socketClient(params);
      for await (const response of client.iterate({ query: '{ me { email } }' }))
        expect(response).toEqual({ data: { me: { email: adminEmail } } });
      const [{ errors = [] }] = (await take(
        client.iterate({ query: '{ nope }' }),
        () => {},
        () => true,
      ).catch((error: unknown) => [{ errors: error as object[] }])) as [{ errors?: readonly object[] }];
      expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_ERROR' } }]);
      await client.dispose();
    }
  });

  test('an operation counts in the plan, an open connection does not', async () => {
    const left = async () => Number((await api('GET', '/users/me')).headers.get('x-ratelimit-remaining'));
    const before = await left();
    const client = socketClient({ Authorization: `Bearer ${token}` });
    for (const query of ['{ me { id } }', '{ me { id } }', '{ faulty }'])
      await take(
        client.iterate({ query }),
        () => {},
        () => true,
      ).catch(() => {});
    expect(await left()).toBe(before - 4);
    await client.dispose();
  });

  test('without a credential, or with a wrong one, it is closed with 4403', async () => {
    expect(await readCloseCode({})).toBe(4403);
    expect(await readCloseCode({ Authorization: 'Bearer nonsense' })).toBe(4403);
    expect(await readCloseCode({ Authorization: 'Bearer nonsense', 'X-API-Key': 'x' })).toBe(4403);
  });

  test('it ends when the session ends, and so does a stream', async () => {
    const own = await login();
    let isSubscribed = false;
    const ended = new Promise<unknown>((resolve) => {
      socketClient({ Authorization: `Bearer ${own}` }).subscribe(
        { query: 'subscription { systemHealth { status } }' },
        { next: () => (isSubscribed = true), error: resolve, complete: () => resolve('complete') },
      );
    });
    const stream = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${own}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: 'subscription { systemHealth { status } }' }),
    });
    let text = '';
    const read = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of stream.body!) text += decoder.decode(chunk, { stream: true });
    })();
    await expect.poll(() => [isSubscribed, text.includes('"systemHealth"')]).toEqual([true, true]);
    await service.call('POST', '/auth/logout', { headers: { authorization: `Bearer ${own}` } });
    expect(await ended).toMatchObject({ code: 4403 });
    await read;
    expect(text).toMatch(/UNAUTHORIZED[^]*event: complete/);
  });

  test('an operation before connection_init, and an invalid message, close the connection', async () => {
    for (const [text, code] of [
      ['{"type":"subscribe","id":"1","payload":{"query":"{ me { id } }"}}', 4401],
      ['{"type":"connection_init"', 4400],
      ['{"type":"connection_init","payload":{"__proto__":1}}', 4400],
      ['{"type":"next","id":"1","payload":{}}', 4400],
      ['{"type":"connection_ack"}', 4400],
    ] as const) {
      const socket = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
      socket.on('open', () => socket.send(text));
      expect(await new Promise((resolve) => socket.on('close', resolve))).toBe(code);
    }
  });

  test('the live log of an execution ends with it', async () => {
    const { id } = (await execute()).body as { id: string };
    const messages: string[] = [];
    const client = socketClient({ Authorization: `Bearer ${token}` });
    for await (const { data } of client.iterate({
      query: 'subscription ($id: ID!) { executionLogs(executionId: $id) { message } }',
      variables: { id },
    }))
      messages.push((data as { executionLogs: { message: string } }).executionLogs.message);
    expect(messages.at(-1)).toBe('Execution completed');
    await client.dispose();
  });
});
