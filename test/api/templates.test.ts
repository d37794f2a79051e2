import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  spawnService,
  type SpawnedService,
  caller,
  createTempFolder,
  type ApiResponse,
  type Call,
} from '../support/service.ts';
import { manual } from './definitions.ts';

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let other: Call;

type Failure = {
  error: {
    code: string;
    details: { field?: string; issue?: string; errors?: { field: string; issue: string }[] };
  };
};
type Template = { templateName: string; version: string; builtin: boolean; versions: string[] };
type List = { templates: Template[]; pagination: { total: number; total_pages: number } };

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path, env: { WEFT_RATE_LIMIT_STANDARD: 'unlimited' } });
  api = await weft.login();
  const user = { email: 'other@example.com', password: 'another good password' };
  expect((await api('POST', '/users', { body: user })).status).toBe(201);
  const login = await weft.call('POST', '/auth/login', { body: user });
  other = caller(weft.url, { authorization: `Bearer ${(login.body as { token: string }).token}` });
});
afterAll(async () => {
  await weft.stop();
  folder.remove();
});

const say = (config: object) => ({ id: 'say', type: 'data_transformer', config });
const operation = { action: 'map', input: 'name', output: 'text' };
/** A workflow that greets: {name} becomes {text}. */
const body = (fields: object = {}, transform = '{{ parameters.greeting }} {{ value }}') => ({
  name: 'Greets with {{ parameters.greeting }}',
  definition: {
    nodes: [manual, say({ operations: [{ ...operation, transform }] })],
    connections: [{ from: 'start', to: 'say' }],
  },
  ...fields,
});
const greeting = { name: 'greeting', type: 'string', required: true };
const template = (templateName: string, fields: object = {}) => ({
  templateName,
  description: 'Greets people.',
  parameters: [greeting],
  workflow: body(),
  ...fields,
});

const made = async (call: Call, given: object): Promise<Template> => {
  const response = await call('POST', '/templates', { body: given });
  expect(response.status, response.text).toBe(201);
  return response.body as Template;
};
function readError(response: ApiResponse): [number, string, string | undefined] {
  const { error } = response.body as Failure;
  return [response.status, error.code, error.details.field];
}

describe('registering', () => {
  test('shows the template with all that was left out', async () => {
    const created = await made(api, template('hello'));
    const shown = {
      templateName: 'hello',
      version: '1.0.0',
      description: 'Greets people.',
      parameters: [{ ...greeting, options: [] }],
      builtin: false,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      workflow: body(),
      versions: ['1.0.0'],
    };
    expect(created).toEqual(shown);
    const received = await api('GET', '/templates/hello');
    expect([received.status, received.body]).toEqual([200, shown]);
  });

  test('a version never changes; newer ones live beside it', async () => {
    await made(api, template('versions', { description: 'one' }));
    const again = await api('POST', '/templates', { body: template('versions', { description: 'other' }) });
    expect(readError(again)).toEqual([400, 'CONFLICT', 'version']);
    await made(api, template('versions', { version: '1.10.0', description: 'ten' }));
    const nine = await made(api, template('versions', { version: '1.9.0', description: 'nine' }));
    expect(nine.versions).toEqual(['1.10.0', '1.9.0', '1.0.0']);
    expect((await api('GET', '/templates/versions')).body).toMatchObject({
      version: '1.10.0',
      description: 'ten',
    });
    expect((await api('GET', '/templates/versions?version=1.0.0')).body).toMatchObject({
      description: 'one',
    });
    expect((await api('GET', '/templates/versions?version=1.0.1')).status).toBe(404);
    expect(readError(await api('GET', '/templates/versions?version=1.0'))).toEqual([
      400,
      'VALIDATION_ERROR',
      'version',
    ]);
    expect(readError(await api('GET', '/templates/versions?verison=1.0.0'))[2]).toBe('verison');
  });

  test('what GET shows can be registered as the next version', async () => {
    await made(api, template('round trip'));
    const received = (await api('GET', '/templates/round%20trip')).body as object;
    expect(await made(api, { ...received, version: '2.0.0' })).toMatchObject({ version: '2.0.0' });
  });

  test('of many at once one wins', async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        api('POST', '/templates', { body: template('race', { description: `number ${i}` }) }),
      ),
    );
    const won = responses.findIndex(({ status }) => status === 201);
    expect(responses.filter(({ status }) => status === 201).length).toBe(1);
    for (const lost of responses.filter(({ status }) => status !== 201))
      expect(readError(lost)).toEqual([400, 'CONFLICT', 'version']);
    expect((await api('GET', '/templates/race')).body).toMatchObject({ description: `number ${won}` });
  });

  test('survives a restart', async () => {
    await made(api, template('kept'));
    await weft.stop();
    weft = await spawnService({ dataDir: folder.path, env: { WEFT_RATE_LIMIT_STANDARD: 'unlimited' } });
    api = await weft.login();
    const login = { email: 'other@example.com', password: 'another good password' };
    const token = ((await weft.call('POST', '/auth/login', { body: login })).body as { token: string }).token;
    other = caller(weft.url, { authorization: `Bearer ${token}` });
    expect((await api('GET', '/templates/kept')).body).toMatchObject({ templateName: 'kept' });
  });

  const p = (...parameters: object[]): object => ({ parameters: [greeting, ...parameters] });
  const nodes = (...list: object[]): object => ({ workflow: body({ definition: { nodes: list } }) });
  test.each<[string, object, string, RegExp?]>([
    ['no name', { templateName: undefined }, 'templateName'],
    ['a name with a slash', { templateName: 'a/b' }, 'templateName'],
    ['an empty name', { templateName: '' }, 'templateName'],
    ['a name of dots', { templateName: '..' }, 'templateName'],
    ['a long name', { templateName: 'a'.repeat(101) }, 'templateName'],
    ['a version of two numbers', { version: '1.0' }, 'version', /major.minor.patch/],
    ['a version with a zero in front', { version: '1.01.0' }, 'version'],
    ['a version that is not a string', { version: 1 }, 'version'],
    ['no workflow', { workflow: undefined }, 'workflow'],
    ['a workflow that is a list', { workflow: [] }, 'workflow'],
    ['an unknown field', { paramters: [] }, 'paramters'],
    ['a workflow without a name', { workflow: { definition: {} } }, 'workflow.name'],
    ['an unknown field of the workflow', { workflow: body({ nam: 'x' }) }, 'workflow.nam'],
    ['a status that is none', { workflow: body({ status: 'on' }) }, 'workflow.status'],
    [
      'a setting that is none',
      { workflow: body({ settings: { timeout: 'soon' } }) },
      'workflow.settings.timeout',
    ],
    ['a node without a type', nodes({ id: 'a' }), 'workflow.definition.nodes[0].type'],
    ['two nodes of one id', nodes({ ...manual }, { ...manual }), 'workflow.definition.nodes[1].id'],
    [
      'a connection to nowhere',
      {
        workflow: body({ definition: { nodes: [manual], connections: [{ from: 'start', to: 'nowhere' }] } }),
      },
      'workflow.definition.connections[0].to',
    ],
    [
      'a parameter that is not declared',
      { parameters: [] },
      'workflow.name',
      /greeting, which is not declared; none are/,
    ],
    [
      'another name than declared',
      { workflow: body({}, '{{ parameters.greting }}') },
      'workflow.definition.nodes[1].config.operations[0].transform',
      /declared are greeting/,
    ],
    [
      'a placeholder that cannot be read',
      { workflow: body({}, '{{ parameters.greeting | no_such }}') },
      'workflow.definition.nodes[1].config.operations[0].transform',
    ],
    [
      'a placeholder that never ends',
      { workflow: body({ description: '{{ parameters.greeting' }) },
      'workflow.description',
      /never closed/,
    ],
    [
      'all parameters at once',
      { workflow: body({ description: '{{ parameters }}' }) },
      'workflow.description',
    ],
    ['a parameter without a type', p({ name: 'a' }), 'parameters[1].type'],
    ['an unknown type', p({ name: 'a', type: 'text' }), 'parameters[1].type', /string/],
    ['a name with a dash', p({ name: 'a-b', type: 'string' }), 'parameters[1].name'],
    ['a name twice', p(greeting), 'parameters[1].name', /twice/],
    ['the name constructor', p({ name: 'constructor', type: 'string' }), 'parameters[1].name'],
    [
      'an unknown field of a parameter',
      p({ name: 'a', type: 'string', optional: true }),
      'parameters[1].optional',
    ],
    [
      'an option of another type',
      p({ name: 'a', type: 'integer', options: [1, 2.5] }),
      'parameters[1].options[1]',
    ],
    ['a select without options', p({ name: 'a', type: 'select' }), 'parameters[1].options'],
    [
      'an option that is a template',
      p({ name: 'a', type: 'string', options: ['{{ secrets.K }}'] }),
      'parameters[1].options[0]',
    ],
    ['a default of another type', p({ name: 'a', type: 'boolean', default: 'no' }), 'parameters[1].default'],
    [
      'a default that is no option',
      p({ name: 'a', type: 'select', options: ['x'], default: 'y' }),
      'parameters[1].default',
    ],
    [
      'a default that is never taken',
      p({ name: 'a', type: 'string', default: 'x', required: true }),
      'parameters[1].default',
    ],
    [
      'a default that is a template',
      p({ name: 'a', type: 'object', default: { x: ['{{ input }}'] } }),
      'parameters[1].default',
    ],
    [
      'a secret by a text',
      { workflow: body({ description: '{{ secrets[parameters.greeting] }}' }) },
      'workflow.description',
      /of type secret/,
    ],
    [
      'a secret that may have no name',
      { ...p({ name: 's', type: 'secret' }), workflow: body({ description: '{{ secrets[parameters.s] }}' }) },
      'workflow.description',
      /required or have a default/,
    ],
    [
      'a parameter in code',
      nodes({
        id: 'a',
        type: 'code',
        config: { source: 'export default () => "{{ parameters.greeting }}"' },
      }),
      'workflow.definition.nodes[0].config.source',
      /is code/,
    ],
    [
      'too many parameters',
      { parameters: Array.from({ length: 101 }, (_, i) => ({ ...greeting, name: `p${i}` })) },
      'parameters',
    ],
  ])('%s is refused', async (_name, fields, field, issue = /./) => {
    const response = await api('POST', '/templates', { body: template('bad', fields) });
    expect(readError(response), response.text).toEqual([400, 'VALIDATION_ERROR', field]);
    expect((response.body as Failure).error.details.issue).toMatch(issue);
    expect((await api('GET', '/templates/bad')).status).toBe(404);
  });

  test('a template that is too large is rejected', async () => {
    const large = template('large', {
      workflow: body({ description: 'x'.repeat(9_000), tags: [] }, 'y'.repeat(1024 * 1024)),
    });
    expect(readError(await api('POST', '/templates', { body: large }))).toEqual([
      400,
      'PAYLOAD_TOO_LARGE',
      undefined,
    ]);
  });

  test('what only a parameter can decide is left to the instance', async () => {
    const workflow = {
      name: '{{ parameters.name }}',
      status: '{{ parameters.status }}',
      tags: '{{ parameters.tags }}',
      settings: { timeout: '{{ parameters.timeout }}' },
      definition: {
        nodes: [
          { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
          { id: '{{ parameters.id }}', type: '{{ parameters.type }}', config: '{{ parameters.config }}' },
        ],
        connections: [{ from: 'start', to: '{{ parameters.id }}' }],
      },
    };
    const parameters = [
      ...['name', 'timeout', 'id', 'type'].map((name) => ({ name, type: 'string', required: true })),
      { name: 'status', type: 'select', options: ['draft', 'active'], default: 'active' },
      { name: 'tags', type: 'array' },
      { name: 'config', type: 'object', required: true },
    ];
    await made(api, template('open', { parameters, workflow }));
    const values = { name: 'n', timeout: '5s', id: 'wait', type: 'delay', config: { duration: '1s' } };
    const instance = await api('POST', '/templates/open/instantiate', { body: { parameters: values } });
    expect(instance.status, instance.text).toBe(201);
    expect(instance.body).toMatchObject({
      name: 'n',
      status: 'active',
      tags: [],
      settings: { timeout: '5s' },
      definition: { nodes: [{}, { id: 'wait', type: 'delay', config: { duration: '1s' } }] },
    });
    const code = { ...values, type: 'code', config: { source: 'export default () => 1' } };
    const refused = await api('POST', '/templates/open/instantiate', { body: { parameters: code } });
    const field = 'workflow.definition.nodes[1].config.source';
    expect(readError(refused)).toEqual([400, 'VALIDATION_ERROR', field]);
    // Errors of the workflow's validation name the parameter.
    for (const [name, value] of [
      ['type', 'no_such'],
      ['config', { duration: 'long' }],
      ['timeout', 'soon'],
      ['name', ''],
      ['tags', [1]],
    ] as const) {
      const wrong = await api('POST', '/templates/open/instantiate', {
        body: { parameters: { ...values, [name]: value } },
      });
      expect(readError(wrong), wrong.text).toEqual([400, 'VALIDATION_ERROR', `parameters.${name}`]);
      expect((wrong.body as Failure).error.details.issue).toMatch(/\(at workflow\./);
    }
  });
});

describe('an instance', () => {
  const instantiate = (name: string, given?: object): Promise<ApiResponse> =>
    api('POST', `/templates/${name}/instantiate`, given === undefined ? {} : { body: given });

  test('is an ordinary workflow', async () => {
    await made(api, template('instance'));
    const response = await instantiate('instance', { parameters: { greeting: 'Dear' } });
    expect(response.status, response.text).toBe(201);
    const workflow = response.body as { id: string };
    expect(workflow).toMatchObject({ name: 'Greets with Dear', status: 'draft', version: 1, issues: [] });
    expect((await api('GET', `/workflows/${workflow.id}`)).body).toEqual(workflow);
    const run = await api('POST', `/workflows/${workflow.id}/execute`, {
      body: { input: { name: 'Ada' }, wait: '30s' },
    });
    expect(run.body).toMatchObject({ status: 'completed', output: { text: 'Dear Ada' } });
    await api('DELETE', '/templates/instance');
    expect((await api('GET', `/workflows/${workflow.id}`)).status).toBe(200);
  });

  test('uses the requested version', async () => {
    await made(api, template('v'));
    await made(api, template('v', { version: '2.0.0', workflow: body({ name: 'second' }) }));
    const newest = await instantiate('v', { parameters: { greeting: 'x' } });
    expect(newest.body).toMatchObject({ name: 'second' });
    const old = await instantiate('v', { parameters: { greeting: 'x' }, version: '1.0.0' });
    expect(old.body).toMatchObject({ name: 'Greets with x' });
    expect((await instantiate('v', { parameters: { greeting: 'x' }, version: '3.0.0' })).status).toBe(404);
  });

  const types = [
    { name: 's', type: 'string', options: ['a', 'b'] },
    { name: 'n', type: 'number' },
    { name: 'i', type: 'integer', default: 3 },
    { name: 'b', type: 'boolean' },
    { name: 'o', type: 'object' },
    { name: 'l', type: 'array' },
    { name: 'c', type: 'select', options: [1, 'two', true] },
    { name: 'k', type: 'secret', default: 'KEY' },
    { name: 'r', type: 'string', required: true },
  ];
  const typed = template('types', {
    parameters: types,
    workflow: {
      name: 'all {{ parameters.r }}',
      definition: {
        nodes: [
          manual,
          {
            id: 'call',
            type: 'http_request',
            config: {
              url: 'https://example.com',
              headers: { Authorization: 'Bearer {{ secrets[parameters.k] }}' },
              body: Object.fromEntries(types.map(({ name }) => [name, `{{ parameters.${name} }}`])),
            },
          },
        ],
        connections: [{ from: 'start', to: 'call' }],
      },
    },
  });
  const readNodeConfig = (response: ApiResponse): object =>
    (response.body as { definition: { nodes: { config: object }[] } }).definition.nodes[1]!.config;

  test('has each value with its type; missing values are omitted', async () => {
    await made(api, typed);
    const given = { s: 'a', n: 1.5, i: 4, b: false, o: { x: [null] }, l: [1], c: 'two', k: 'MINE', r: 'r' };
    const whole = await instantiate('types', { parameters: given });
    expect(readNodeConfig(whole)).toMatchObject({
      headers: { Authorization: 'Bearer {{ secrets.MINE }}' },
      body: given,
    });
    expect((whole.body as { issues: object[] }).issues).toEqual([
      {
        node_id: 'call',
        field: 'config.headers.Authorization',
        issue: 'needs the secret MINE, which is not set',
      },
    ]);
    const least = await instantiate('types', { parameters: { r: 'r', s: null } });
    expect(readNodeConfig(least)).toMatchObject({ body: { i: 3, k: 'KEY', r: 'r' } });
    expect(Object.keys((readNodeConfig(least) as { body: object }).body)).toEqual(['i', 'k', 'r']);
  });

  test.each<[string, object, string, RegExp?]>([
    ['a missing one', {}, 'r', /is required/],
    ['a null one', { r: null }, 'r', /is required/],
    ['an unknown one', { r: 'r', q: 1 }, 'q', /not a parameter of this template; known are s, n/],
    ['no option', { r: 'r', s: 'c' }, 's', /must be one of "a", "b"/],
    ['another type', { r: 1 }, 'r', /must be a text/],
    ['a text for a number', { r: 'r', n: '1' }, 'n'],
    ['a fraction', { r: 'r', i: 1.5 }, 'i', /whole number/],
    ['a number that is not exact', { r: 'r', i: 1e20 }, 'i'],
    ['a text for a boolean', { r: 'r', b: 'true' }, 'b'],
    ['a list for an object', { r: 'r', o: [] }, 'o'],
    ['an object for a list', { r: 'r', l: {} }, 'l'],
    ['an option of another type', { r: 'r', c: '1' }, 'c'],
    ['an invalid secret name', { r: 'r', k: 'K }} {{ x' }, 'k'],
    ['a template in a text', { r: '{{ secrets.KEY }}' }, 'r', /never a template/],
    ['a template deep inside', { r: 'r', o: { a: [{ b: 'x {{ input }}' }] } }, 'o', /never a template/],
    ['half a template', { r: '{{' }, 'r'],
    ['__proto__', JSON.parse('{"r":"r","toString":1}') as object, 'toString'],
  ])('%s is refused', async (_name, parameters, name, issue = /./) => {
    const total = async () => ((await api('GET', '/workflows?limit=1')).body as List).pagination.total;
    const before = await total();
    const response = await instantiate('types', { parameters });
    expect(readError(response), response.text).toEqual([400, 'VALIDATION_ERROR', `parameters.${name}`]);
    expect((response.body as Failure).error.details.issue).toMatch(issue);
    expect(await total()).toBe(before);
  });

  test('all errors are reported at once', async () => {
    const response = await instantiate('types', { parameters: { n: 'x', q: 1 } });
    const fields = (response.body as Failure).error.details.errors?.map(({ field }) => field);
    expect(fields).toEqual(['parameters.q', 'parameters.n', 'parameters.r']);
  });

  test.each([
    [{ parameters: [] }, 'parameters'],
    [{ parameters: 'x' }, 'parameters'],
    [{ params: {} }, 'params'],
    [{ parameters: { r: 'r' }, version: '1' }, 'version'],
    [[], ''],
  ])('the body %j is refused', async (given, field) => {
    expect(readError(await instantiate('types', given))).toEqual([400, 'VALIDATION_ERROR', field]);
  });

  test('halves that meet make no template', async () => {
    const parameters = ['a', 'b'].map((name) => ({ name, type: 'string', required: true }));
    const workflow = body({ name: 'x', description: '{{ parameters.a }}{{ parameters.b }}' }, '{{ value }}');
    await made(api, template('halves', { parameters, workflow }));
    const response = await instantiate('halves', { parameters: { a: '{', b: '{ secrets.KEY }}' } });
    expect(readError(response)).toEqual([400, 'VALIDATION_ERROR', 'parameters.a']);
    const fine = await instantiate('halves', { parameters: { a: '}', b: '{' } });
    expect(fine.body).toMatchObject({ description: '}{' });
  });

  test('a value that would make the workflow too large is refused', async () => {
    const parameters = [{ name: 'l', type: 'array', required: true }];
    const annotations = Array.from({ length: 1_000 }, () => '{{ parameters.l }}');
    const workflow = { name: 'x', definition: { nodes: [manual], annotations } };
    await made(api, template('bomb', { parameters, workflow }));
    const l = Array.from({ length: 10_000 }, () => 'xxxxxxxxxx');
    expect(readError(await instantiate('bomb', { parameters: { l } }))).toEqual([
      400,
      'PAYLOAD_TOO_LARGE',
      undefined,
    ]);
  });

  test('an endpoint in use is a conflict, as for a workflow', async () => {
    const hook = { triggerType: 'webhook', endpoint: '{{ parameters.greeting }}', authentication: 'none' };
    const definition = { nodes: [{ id: 'hook', type: 'trigger', config: hook }] };
    await made(api, template('hook', { workflow: { name: 'x', status: 'active', definition } }));
    const both = await Promise.all(
      [0, 1].map(() => instantiate('hook', { parameters: { greeting: 'taken' } })),
    );
    expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 400]);
    expect(both.find(({ status }) => status === 400)?.text).toContain('CONFLICT');
  });
});

describe('lists', () => {
  test('list the newest first, then built-in templates, with pages and search', async () => {
    await made(other, template('first of other'));
    await made(other, template('second of other', { description: '100% ÄPFEL' }));
    await made(other, template('first of other', { version: '1.1.0' }));
    const all = (await other('GET', '/templates?limit=100')).body as List;
    const builtin = all.templates.filter((one) => one.builtin);
    expect(all.templates.slice(0, 2).map((one) => [one.templateName, one.version])).toEqual([
      ['first of other', '1.1.0'],
      ['second of other', '1.0.0'],
    ]);
    expect(builtin.length).toBeGreaterThanOrEqual(8);
    expect(all.templates.length).toBe(builtin.length + 2);
    expect(all.pagination.total).toBe(all.templates.length);
    for (const one of all.templates) expect(one).not.toHaveProperty('workflow');

    const paged: string[] = [];
    for (let page = 1; page <= Math.ceil(all.pagination.total / 3); page++) {
      const response = (await other('GET', `/templates?limit=3&page=${page}`)).body as List;
      expect(response.pagination).toMatchObject({ total: all.pagination.total });
      paged.push(...response.templates.map((one) => one.templateName));
    }
    expect(paged).toEqual(all.templates.map((one) => one.templateName));
    expect(((await other('GET', '/templates?page=50')).body as List).templates).toEqual([]);

    const names = async (search: string): Promise<string[]> =>
      ((await other('GET', `/templates?search=${encodeURIComponent(search)}`)).body as List).templates.map(
        (one) => one.templateName,
      );
    expect(await names('0% äpf')).toEqual(['second of other']);
    expect(await names('OF OTHER')).toEqual(['first of other', 'second of other']);
    expect(await names('UPTIME')).toEqual(['uptime-check']);
    expect(await names('no such thing')).toEqual([]);
  });

  test.each(['page=0', 'limit=101', 'limit=x', 'serach=x', 'search=a&search=b'])(
    '%s is refused',
    async (query) => {
      expect((await api('GET', `/templates?${query}`)).status).toBe(400);
    },
  );
});

describe('owners', () => {
  test("another owner's template answers as a missing one", async () => {
    await made(api, template('mine'));
    for (const name of ['mine', 'no-such-thing']) {
      const responses = await Promise.all([
        other('GET', `/templates/${name}`),
        other('GET', `/templates/${name}?version=1.0.0`),
        other('DELETE', `/templates/${name}`),
        other('POST', `/templates/${name}/instantiate`, { body: { parameters: { greeting: 'x' } } }),
      ]);
      for (const response of responses) expect(readError(response)).toEqual([404, 'NOT_FOUND', undefined]);
    }
    expect(JSON.stringify((await other('GET', '/templates?search=mine')).body)).not.toContain('"mine"');
    // The name is free for them.
    await made(other, template('mine', { description: 'theirs' }));
    expect((await api('GET', '/templates/mine')).body).toMatchObject({ description: 'Greets people.' });
    await other('DELETE', '/templates/mine');
    expect((await api('GET', '/templates/mine')).status).toBe(200);
  });

  test('built-in templates are visible to all users and cannot be deleted', async () => {
    for (const call of [api, other]) {
      const received = await call('GET', '/templates/uptime-check?version=1.0.0');
      expect(received.body).toMatchObject({ builtin: true, created_at: null, versions: ['1.0.0'] });
      expect((await call('GET', '/templates/uptime-check?version=9.0.0')).status).toBe(404);
      expect(readError(await call('DELETE', '/templates/uptime-check'))).toEqual([
        400,
        'CONFLICT',
        undefined,
      ]);
      const taken = await call('POST', '/templates', {
        body: template('uptime-check', { version: '9.0.0' }),
      });
      expect(readError(taken)).toEqual([400, 'CONFLICT', 'templateName']);
    }
  });

  test('needs the scopes of workflows', async () => {
    const keyed = async (...scopes: string[]): Promise<Call> => {
      const response = await api('POST', '/api-keys', { body: { name: 'k', scopes } });
      return caller(weft.url, { 'x-api-key': (response.body as { key: string }).key });
    };
    const reader = await keyed('workflows:read');
    const writer = await keyed('workflows:write');
    const both = await keyed('workflows:read', 'workflows:write');
    const neither = await keyed('executions:write', 'nodes:read');
    const calls: [string, string, object | undefined, Call][] = [
      ['GET', '/templates', undefined, reader],
      ['GET', '/templates/mine', undefined, reader],
      ['POST', '/templates', template('scoped'), writer],
      ['POST', '/templates/mine/instantiate', { parameters: { greeting: 'x' } }, both],
      ['DELETE', '/templates/scoped', undefined, writer],
    ];
    for (const [method, path, given, may] of calls) {
      const options = given === undefined ? {} : { body: given };
      for (const call of [reader, writer, neither]) {
        if (call === may) continue;
        expect(readError(await call(method, path, options)).slice(0, 2), `${method} ${path}`).toEqual([
          403,
          'FORBIDDEN',
        ]);
      }
      expect((await may(method, path, options)).status, `${method} ${path}`).toBeLessThan(300);
      expect((await weft.call(method, path, options)).status).toBe(401);
    }
  });
});

describe('deleting', () => {
  test('deletes one version, or all', async () => {
    for (const version of ['1.0.0', '2.0.0', '3.0.0']) await made(api, template('doomed', { version }));
    const one = await api('DELETE', '/templates/doomed?version=3.0.0');
    expect([one.status, one.body]).toEqual([200, { templateName: 'doomed', deleted: true }]);
    expect((await api('DELETE', '/templates/doomed?version=3.0.0')).status).toBe(404);
    expect((await api('GET', '/templates/doomed')).body).toMatchObject({
      version: '2.0.0',
      versions: ['2.0.0', '1.0.0'],
    });
    expect((await api('DELETE', '/templates/doomed')).status).toBe(200);
    expect((await api('GET', '/templates/doomed')).status).toBe(404);
    expect((await api('DELETE', '/templates/doomed')).status).toBe(404);
  });
});
