import { beforeAll, describe, expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import { caller, waitUntil, type ApiResponse, type Call } from '../support/service.ts';
import { createEchoWorkflow, greeting, longWait, manual } from './definitions.ts';

const service = useService();
const { api } = service;
let other: Call;

beforeAll(async () => {
  const user = { email: 'other@example.com', password: 'another long password', name: 'Other' };
  expect((await api('POST', '/users', { body: user })).status).toBe(201);
  const login = await service.weft.call('POST', '/auth/login', {
    body: { email: user.email, password: user.password },
  });
  other = caller(service.weft.url, { authorization: `Bearer ${(login.body as { token: string }).token}` });
});

type Workflow = {
  id: string;
  version: number;
  status: string;
  active_version: number | null;
  [field: string]: unknown;
};
async function create(body: object): Promise<Workflow> {
  const response = await api('POST', '/workflows', { body });
  expect(response.status, response.text).toBe(201);
  return response.body as Workflow;
}
function readError(response: ApiResponse): {
  code: string;
  message: string;
  details: { field?: string; errors?: { field: string }[] };
} {
  return (response.body as { error: never }).error;
}

describe('create and get', () => {
  test('a name is enough, and everything shows', async () => {
    const workflow = await create({ name: 'First' });
    expect(workflow).toEqual({
      id: expect.stringMatching(/^wf_/),
      name: 'First',
      description: '',
      status: 'draft',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: workflow['created_at'],
      node_count: 0,
      execution_count: 0,
      version: 1,
      active_version: null,
      tags: [],
      last_execution: null,
      next_due_at: null,
      definition: { nodes: [], connections: [] },
      issues: [{ node_id: null, field: 'definition.nodes', issue: expect.any(String) }],
      triggers: [],
      owner_id: expect.stringMatching(/^usr_/),
      settings: {
        timeout: null,
        max_concurrency: null,
        on_failure_workflow: null,
        retention: null,
        max_cost_per_day: null,
        max_tokens_per_day: null,
      },
    });
    expect((await api('GET', `/workflows/${workflow.id}`)).body).toEqual(workflow);
  });

  test('the definition passes untouched, with the version of each node type', async () => {
    const nodes = [{ ...manual, position: { x: 1.5, y: -2 }, name: 'N', notes: 'n', disabled: false }];
    const { definition } = (await create({
      name: 'x',
      definition: { nodes, annotations: [{ any: 'thing' }] },
    })) as never as { definition: object };
    expect(definition).toEqual({
      nodes: [{ ...nodes[0], version: '1.0.0' }],
      connections: [],
      annotations: [{ any: 'thing' }],
    });
  });

  const bad: [string, object, string][] = [
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a long name', { name: 'x'.repeat(201) }, 'name'],
    ['an unknown field', { name: 'x', nmae: 'y' }, 'nmae'],
    ['a status that is none', { name: 'x', status: 'paused' }, 'status'],
    [
      'a node without id',
      { name: 'x', definition: { nodes: [{ type: 'trigger' }] } },
      'definition.nodes[0].id',
    ],
    [
      'an unknown field of a node',
      { name: 'x', definition: { nodes: [{ ...manual, x: 1 }] } },
      'definition.nodes[0].x',
    ],
    ['a doubled node', { name: 'x', definition: { nodes: [manual, manual] } }, 'definition.nodes[1].id'],
    ['a wrong duration', { name: 'x', settings: { timeout: '5 minutes' } }, 'settings.timeout'],
    ['a concurrency of none', { name: 'x', settings: { max_concurrency: 0 } }, 'settings.max_concurrency'],
    [
      'what is not there yet',
      { name: 'x', settings: { on_failure_workflow: 'wf_1' } },
      'settings.on_failure_workflow',
    ],
    [
      'an error, and active',
      { name: 'x', status: 'active', definition: { nodes: [{ id: 'a', type: 'no_such' }] } },
      'definition.nodes[0].type',
    ],
  ];
  test.each(bad)('%s is refused with its field', async (_title, body, field) => {
    const response = await api('POST', '/workflows', { body });
    expect(response.status).toBe(400);
    const { code, details } = readError(response);
    expect([code, details.field], response.text).toEqual(['VALIDATION_ERROR', field]);
    expect(details.errors?.[0]?.field).toBe(field);
  });

  test('connections: a missing node, an unknown port and a cycle are structural errors', async () => {
    for (const connection of [
      { from: 'start', to: 'nobody' },
      { from: 'start', to: 'greet', sourcePort: 'nowhere' },
      { from: 'greet', to: 'greet' },
    ]) {
      const response = await api('POST', '/workflows', {
        body: { name: 'x', definition: { ...greeting, connections: [connection] } },
      });
      expect(response.status, JSON.stringify(connection)).toBe(400);
      expect(readError(response).details.field).toMatch(/^definition\.connections/);
    }
  });

  test('errors of content can be saved in a draft, and are listed', async () => {
    const workflow = await create({
      name: 'x',
      definition: {
        nodes: [manual, { id: 'b', type: 'condition', config: {} }, { id: 'c', type: 'no_such' }],
      },
    });
    const issues = workflow['issues'] as { node_id: string; field: string }[];
    expect(issues.map(({ node_id }) => node_id)).toEqual(expect.arrayContaining(['b', 'c']));
    const run = await api('POST', `/workflows/${workflow.id}/execute`, { body: {} });
    expect([run.status, readError(run).code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('an unset secret is an issue until it is set', async () => {
    const call = { id: 'call', type: 'http_request', config: { url: '{{ secrets.LATER }}' } };
    const body = {
      name: 'x',
      definition: { nodes: [manual, call], connections: [{ from: 'start', to: 'call' }] },
    };
    const workflow = await create(body);
    expect(workflow['issues']).toMatchObject([{ node_id: 'call', issue: expect.stringContaining('LATER') }]);
    await api('PUT', '/secrets/LATER', { body: { value: 'http://127.0.0.1:9' } });
    expect(((await api('GET', `/workflows/${workflow.id}`)).body as Workflow)['issues']).toEqual([]);
  });
});

describe('update', () => {
  test('get, edit, put works; only the given fields change', async () => {
    const workflow = await create({ name: 'A', description: 'd', definition: greeting, tags: ['t'] });
    const response = await api('PUT', `/workflows/${workflow.id}`, { body: { ...workflow, name: 'B' } });
    expect(response.status, response.text).toBe(200);
    expect(response.body).toMatchObject({
      name: 'B',
      description: 'd',
      version: 2,
      tags: ['t'],
      definition: workflow['definition'],
    });
    expect((await api('PUT', `/workflows/${workflow.id}`, { body: { tags: [] } })).body).toMatchObject({
      name: 'B',
      version: 3,
      tags: [],
    });
  });

  test('a stale version is a conflict, and of two at once one wins', async () => {
    const workflow = await create({ name: 'A' });
    const responses = await Promise.all(
      [1, 2, 3].map((n) => api('PUT', `/workflows/${workflow.id}`, { body: { name: `n${n}`, version: 1 } })),
    );
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    expect(
      responses.filter(({ status }) => status === 400).map((response) => readError(response).code),
    ).toEqual(['CONFLICT', 'CONFLICT']);
    // Without a version, each change is applied after the others.
    const all = await Promise.all(
      [1, 2, 3].map((n) => api('PUT', `/workflows/${workflow.id}`, { body: { tags: [`t${n}`] } })),
    );
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await api('GET', `/workflows/${workflow.id}`)).body).toMatchObject({ version: 5 });
  });

  test('transitions: draft to active, to inactive and back, to draft; no others', async () => {
    const workflow = await create({ name: 'A', definition: greeting });
    const to = async (status: string): Promise<[number, unknown]> => {
      const response = await api('PUT', `/workflows/${workflow.id}`, { body: { status } });
      return [
        response.status,
        response.status === 200 ? (response.body as Workflow).active_version : readError(response).code,
      ];
    };
    expect(await to('inactive')).toEqual([400, 'CONFLICT']);
    expect(await to('active')).toEqual([200, 2]);
    expect(await to('draft')).toEqual([400, 'CONFLICT']);
    expect(await to('inactive')).toEqual([200, null]);
    expect(await to('active')).toEqual([200, 4]);
    expect(await to('inactive')).toEqual([200, null]);
    expect(await to('draft')).toEqual([200, null]);
  });

  test('an active workflow refuses a faulty definition, or saves it unpublished', async () => {
    const workflow = await create({ name: 'A', definition: greeting, status: 'active' });
    const invalid = {
      nodes: [manual, { id: 'b', type: 'condition', config: {} }],
      connections: [{ from: 'start', to: 'b' }],
    };
    const refused = await api('PUT', `/workflows/${workflow.id}`, { body: { definition: invalid } });
    expect([refused.status, readError(refused).code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(readError(refused).details.field).toMatch(/^definition\.nodes\[1\]\.config/);
    const saved = await api('PUT', `/workflows/${workflow.id}`, {
      body: { definition: invalid, publish: false },
    });
    expect(saved.body).toMatchObject({ version: 2, active_version: 1 });
    expect((await api('PUT', `/workflows/${workflow.id}`, { body: { name: 'B' } })).body).toMatchObject({
      version: 3,
      active_version: 1,
    });
    expect((await api('POST', `/workflows/${workflow.id}/publish`)).status).toBe(400);
    expect(
      (
        await api('PUT', `/workflows/${workflow.id}`, {
          body: { definition: greeting, publish: false },
        })
      ).body,
    ).toMatchObject({ version: 4, active_version: 1 });
    expect((await api('POST', `/workflows/${workflow.id}/publish`)).body).toMatchObject({
      version: 5,
      active_version: 5,
    });
    expect((await api('POST', `/workflows/${workflow.id}/publish`)).body).toMatchObject({
      version: 5,
      active_version: 5,
    });
  });

  test('triggers follow the live version, until a newer one is published', async () => {
    const { id } = await create({ name: 'A', definition: createEchoWorkflow('live/now'), status: 'active' });
    const readWebhookUrl = ({ body }: ApiResponse): string | undefined =>
      (body as { triggers: { url?: string }[] }).triggers[0]?.url?.split('/webhooks/')[1];
    const body = { definition: createEchoWorkflow('live/next'), publish: false };
    expect(readWebhookUrl(await api('PUT', `/workflows/${id}`, { body }))).toBe('live/now');
    expect(readWebhookUrl(await api('GET', `/workflows/${id}`))).toBe('live/now');
    expect(readWebhookUrl(await api('POST', `/workflows/${id}/publish`))).toBe('live/next');
  });

  test('two active workflows cannot have one endpoint', async () => {
    const first = await create({ name: 'A', definition: createEchoWorkflow('taken/:id'), status: 'active' });
    const second = await create({ name: 'B', definition: createEchoWorkflow('taken/:other') });
    const refused = await api('PUT', `/workflows/${second.id}`, { body: { status: 'active' } });
    expect([refused.status, readError(refused).code]).toEqual([400, 'CONFLICT']);
    await api('PUT', `/workflows/${first.id}`, { body: { status: 'inactive' } });
    expect((await api('PUT', `/workflows/${second.id}`, { body: { status: 'active' } })).status).toBe(200);
  });
});

describe('dry runs', () => {
  test('respond like the change, and store nothing', async () => {
    const webhook = {
      nodes: [
        {
          id: 'hook',
          type: 'trigger',
          config: { triggerType: 'webhook', endpoint: 'dry-run', authentication: 'none' },
        },
      ],
      connections: [],
    };
    const body = { name: 'Dry run', status: 'active', definition: webhook };
    const post = (fields: object) => api('POST', '/workflows', { body: { ...body, ...fields } });
    const checked = await post({ dry_run: true });
    expect([checked.status, checked.body]).toMatchObject([
      201,
      { name: 'Dry run', status: 'active', version: 1 },
    ]);
    const { id } = checked.body as Workflow;
    expect((await api('GET', `/workflows/${id}`)).status).toBe(404);
    expect((await service.weft.call('POST', '/webhooks/dry-run', { body: {} })).status).toBe(404);

    const { body: stored } = await post({});
    const taken = await post({ dry_run: true });
    expect([taken.status, readError(taken)]).toMatchObject([400, { code: 'CONFLICT' }]);
    const where = `/workflows/${(stored as Workflow).id}`;
    const put = (fields: object) => api('PUT', where, { body: { ...fields, dry_run: true } });
    expect((await put({ description: 'new' })).body).toMatchObject({ description: 'new', version: 2 });
    expect(readError(await put({ version: 7 }))).toMatchObject({ code: 'CONFLICT' });
    expect(readError(await put({ status: 'draft' }))).toMatchObject({ code: 'CONFLICT' });
    const broken = { nodes: [{ id: 'a', type: 'nope' }], connections: [] };
    expect(readError(await put({ definition: broken }))).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect((await api('GET', where)).body).toMatchObject({ description: '', version: 1, status: 'active' });
  });
});

describe('versions', () => {
  test('every change is one; each can be read and restored', async () => {
    const workflow = await create({ name: 'A', definition: greeting });
    await api('PUT', `/workflows/${workflow.id}`, { body: { definition: { nodes: [] } } });
    const list = await api('GET', `/workflows/${workflow.id}/versions`);
    expect(list.body).toMatchObject({
      versions: [
        { version: 2, node_count: 0 },
        { version: 1, node_count: 2 },
      ],
      pagination: { total: 2 },
    });
    expect((await api('GET', `/workflows/${workflow.id}/versions/1`)).body).toMatchObject({
      version: 1,
      definition: workflow['definition'],
    });
    expect((await api('POST', `/workflows/${workflow.id}/versions/1/restore`)).body).toMatchObject({
      version: 3,
      definition: workflow['definition'],
    });
    expect((await api('POST', `/workflows/${workflow.id}/versions/3/restore`)).body).toMatchObject({
      version: 4,
      definition: workflow['definition'],
    });
    for (const version of ['0', '5', 'x', '1.5']) {
      expect((await api('GET', `/workflows/${workflow.id}/versions/${version}`)).status, version).toBe(404);
    }
  });

  test('each has its author: a user, or the name of an API key', async () => {
    const workflow = await create({ name: 'A', definition: greeting });
    const made = await api('POST', '/api-keys', { body: { name: 'Deployment' } });
    const { key } = made.body as { key: string };
    const withKey = caller(service.weft.url, { 'x-api-key': key });
    await withKey('PUT', `/workflows/${workflow.id}`, { body: { definition: { nodes: [] } } });
    await api('POST', `/workflows/${workflow.id}/versions/1/restore`);
    const users = (await api('GET', '/users')).body as {
      users: { id: string; name: string; email: string }[];
    };
    const me = users.users.find(({ id }) => id === workflow['owner_id'])!;
    const user = { type: 'user', name: me.name === '' ? me.email : me.name };
    const deployment = { type: 'api_key', name: 'Deployment' };
    expect((await api('GET', `/workflows/${workflow.id}/versions`)).body).toMatchObject({
      versions: [{ author: user }, { author: deployment }, { author: user }],
    });
    const path = `/workflows/${workflow.id}/versions/2`;
    expect((await api('GET', path)).body).toMatchObject({ author: deployment });
    const query = `{ workflowVersions(id: "${workflow.id}") { versions { author { type name } } } }`;
    const { body } = await api('POST', '/graphql', { body: { query } });
    expect(body).toMatchObject({
      data: { workflowVersions: { versions: [{ author: user }, { author: deployment }, { author: user }] } },
    });
  });
});

describe('list', () => {
  test('pages, newest first; status and search', async () => {
    const created: string[] = [];
    for (const name of ['100% wool', '100 percent', 'Under_score', 'underXscore'])
      created.push((await create({ name, tags: ['listed'] })).id);
    const ids = async (query: string): Promise<string[]> => {
      const response = await api('GET', `/workflows?tag=listed&${query}`);
      expect(response.status, response.text).toBe(200);
      return (response.body as { workflows: { id: string }[] }).workflows.map(({ id }) => id);
    };
    expect(await ids('')).toEqual(created.toReversed());
    expect(await ids('limit=1&page=2')).toEqual([created[2]]);
    expect(await ids('page=9')).toEqual([]);
    expect(await ids('search=0%25')).toEqual([created[0]]);
    expect(await ids('search=R_S')).toEqual([created[2]]);
    expect(await ids('status=active')).toEqual([]);
    const { workflows, pagination } = (await api('GET', '/workflows?tag=listed&limit=3')).body as {
      workflows: object[];
      pagination: object;
    };
    expect(pagination).toEqual({ page: 1, limit: 3, total: 4, total_pages: 2 });
    expect(workflows[0]).toMatchObject({
      id: created[3],
      name: 'underXscore',
      description: '',
      status: 'draft',
      node_count: 0,
      execution_count: 0,
    });
    expect(workflows[0]).not.toHaveProperty('definition');
  });

  test.each([
    'page=0',
    'page=x',
    'limit=0',
    'limit=101',
    'limit=1.5',
    'status=done',
    'stauts=draft',
    'page=1&page=2',
  ])('?%s is refused', async (query) => {
    const response = await api('GET', `/workflows?${query}`);
    expect([response.status, readError(response).code, readError(response).details.field]).toEqual([
      400,
      'VALIDATION_ERROR',
      query.split('=')[0],
    ]);
  });
});

describe('delete', () => {
  test('stops running executions, and deletes the history', async () => {
    const workflow = await create({ name: 'A', definition: longWait });
    const run = await api('POST', `/workflows/${workflow.id}/execute`);
    const { id } = run.body as { id: string };
    await waitUntil(
      () => api('GET', `/executions/${id}`),
      ({ body }) => (body as { status: string }).status === 'waiting',
    );
    expect((await api('DELETE', `/workflows/${workflow.id}`)).body).toEqual({
      id: workflow.id,
      deleted: true,
    });
    expect((await api('GET', `/workflows/${workflow.id}`)).status).toBe(404);
    expect((await api('GET', `/executions/${id}`)).status).toBe(404);
    expect((await api('DELETE', `/workflows/${workflow.id}`)).status).toBe(404);
  });
});

test('the workflow of another user gives the same response as a missing one', async () => {
  const { id } = await create({ name: 'Mine', definition: greeting });
  const calls: [string, string, object?][] = [
    ['GET', ''],
    ['PUT', '', { name: 'x' }],
    ['DELETE', ''],
    ['POST', '/execute', {}],
    ['GET', '/executions'],
    ['GET', '/versions'],
    ['GET', '/versions/1'],
    ['POST', '/versions/1/restore'],
    ['POST', '/publish'],
  ];
  for (const [method, path, body] of calls) {
    const options = body === undefined ? {} : { body };
    const theirs = await other(method, `/workflows/${id}${path}`, options);
    const missing = await other(method, `/workflows/wf_nothing${path}`, options);
    expect([theirs.status, theirs.text], `${method} ${path}`).toEqual([404, missing.text]);
  }
  expect((await other('GET', '/workflows')).body).toMatchObject({ workflows: [], pagination: { total: 0 } });
});
