import { beforeAll, describe, expect, test } from 'vitest';
import { buildArchive, openRegistry } from '../support/servers/npm-registry.ts';
import { useService } from '../support/use-service.ts';
import { caller, spawnService, createTempFolder, type ApiResponse, type Call } from '../support/service.ts';

const service = useService();
const { api } = service;
let other: Call;

beforeAll(async () => {
  const person = { email: 'other@example.com', name: 'Other', password: 'another good password' };
  const made = await api('POST', '/users', { body: person });
  expect(made.status, made.text).toBe(201);
  const login = await service.weft.call('POST', '/auth/login', { body: person_(person) });
  other = caller(service.weft.url, { authorization: `Bearer ${(login.body as { token: string }).token}` });
});
const person_ = ({ email, password }: { email: string; password: string }) => ({ email, password });

const doubling = {
  nodeType: 'doubler',
  description: 'Doubles a number.',
  version: '1.0.0',
  inputs: { n: { type: 'number', required: true } },
  outputs: { doubled: 'number' },
  implementation: {
    runtime: 'javascript',
    handler: 'export default async (inputs) => ({ doubled: inputs.n * 2 })',
    dependencies: {},
  },
};
const handler = (text: string) => ({ runtime: 'javascript', handler: text });
const register = (node: object, call: Call = api): Promise<ApiResponse> =>
  call('POST', '/nodes', { body: node });
const named = (nodeType: string, more: object = {}): object => ({ ...doubling, nodeType, ...more });

async function registered(node: object, call: Call = api): Promise<void> {
  const response = await register(node, call);
  expect(response.status, response.text).toBe(201);
}

type Workflow = {
  id: string;
  issues: object[];
  definition: { nodes: { id: string; version?: string }[]; connections: object[] };
};
const manual = { id: 't', type: 'trigger', config: { triggerType: 'manual' } };
/** The timeout is long because code has low priority, and another program may use the CPU. */
const using = (type: string, config: object, more: object = {}) => ({
  nodes: [manual, { id: 'x', type, config: { timeout: '60s', ...config }, ...more }],
  connections: [{ from: 't', to: 'x' }],
});
async function save(definition: object, call: Call = api): Promise<Workflow> {
  const response = await call('POST', '/workflows', { body: { name: 'w', definition } });
  expect(response.status, response.text).toBe(201);
  return response.body as Workflow;
}
type Execution = {
  id: string;
  status: string;
  output: unknown;
  error: { type: string; message: string } | null;
};
async function execute(id: string, input: unknown = {}, call: Call = api): Promise<Execution> {
  const response = await call('POST', `/workflows/${id}/execute`, { body: { input, wait: '60s' } });
  expect(response.status, response.text).toBe(201);
  return response.body as Execution;
}

test('a custom node is registered, shown, and runs with its inputs by name', async () => {
  const response = await register(doubling);
  expect(response.status, response.text).toBe(201);
  expect(response.body).toEqual({
    id: 'doubler',
    name: 'doubler',
    description: 'Doubles a number.',
    category: 'custom',
    version: '1.0.0',
    inputs: [{ name: 'n', type: 'number', required: true, description: '' }],
    outputs: [{ name: 'doubled', type: 'number', description: '' }],
    config_schema: expect.objectContaining({ required: ['n'] }),
    icon: expect.any(String),
    keywords: [],
    pack: null,
    custom: true,
    effects: 'none',
    secret_fields: [],
    implementation: {
      runtime: 'javascript',
      size: doubling.implementation.handler.length,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      dependencies: [],
    },
  });
  const { handler: code } = doubling.implementation;
  expect((await api('GET', '/nodes/doubler')).body).toEqual({ ...(response.body as object), handler: code });
  expect((await api('GET', '/nodes/doubler/versions')).body).toEqual({ versions: [response.body] });
  for (const query of ['?category=custom', '?search=DOUBLES', '?version=1.0.0&category=custom'])
    expect((await api('GET', `/nodes${query}`)).body).toEqual({ nodes: [response.body] });
  const ids = ((await api('GET', '/nodes')).body as { nodes: { id: string }[] }).nodes.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted());
  expect(ids).toContain('doubler');

  const given = await save(using('doubler', { n: '{{ input.count }}' }));
  expect(given.issues).toEqual([]);
  expect(given.definition.nodes[1]?.version).toBe('1.0.0');
  expect(await execute(given.id, { count: 21 })).toMatchObject({
    status: 'completed',
    output: { doubled: 42 },
  });
});

test('keywords are stored and found', async () => {
  const keywords = ['payroll', 'salary run'];
  await registered({ nodeType: 'wages', keywords, implementation: handler('export default () => ({})') });
  expect((await api('GET', '/nodes/wages')).body).toMatchObject({ keywords });
  const found = (await api('GET', '/nodes?search=SALARY')).body as { nodes: { id: string }[] };
  expect(found.nodes.map(({ id }) => id)).toEqual(['wages']);
});

test('the description, the version and the maps may be left out', async () => {
  await registered({ nodeType: 'bare', implementation: handler('export default (inputs) => inputs') });
  expect((await api('GET', '/nodes/bare')).body).toMatchObject({
    version: '1.0.0',
    description: '',
    inputs: [],
    outputs: [],
  });
  expect(await execute((await save(using('bare', {}))).id)).toMatchObject({
    status: 'completed',
    output: {},
  });
});

describe('rejected input', () => {
  test.each<[string, object, string, RegExp]>([
    ['no type', { implementation: doubling.implementation }, 'nodeType', /required/],
    ['an invalid type name', named('a b'), 'nodeType', /letters/],
    ['a type like a path', named('../x'), 'nodeType', /letters/],
    ['a version of two numbers', named('v', { version: '1.0' }), 'version', /major\.minor\.patch/],
    ['a version of words', named('v', { version: 'latest' }), 'version', /major\.minor\.patch/],
    ['an empty keyword', named('v', { keywords: [''] }), 'keywords[0]', /./],
    ['a keyword twice', named('v', { keywords: ['a', 'a'] }), 'keywords', /./],
    ['an unknown field', named('v', { nodeTypo: 1 }), 'nodeTypo', /./],
    ['no implementation', { nodeType: 'v' }, 'implementation', /required/],
    [
      'another runtime',
      named('v', { implementation: { runtime: 'python', handler: 'x' } }),
      'implementation.runtime',
      /javascript/,
    ],
    [
      'no handler',
      named('v', { implementation: { runtime: 'javascript' } }),
      'implementation.handler',
      /required/,
    ],
    [
      'a handler that does not compile',
      named('v', { implementation: handler('export default (') }),
      'implementation.handler',
      /does not compile.*line 1/,
    ],
    [
      'a handler that imports',
      named('v', { implementation: handler('import "x"; export default 1') }),
      'implementation.handler',
      /import is not available/,
    ],
    [
      'a handler without a default export',
      named('v', { implementation: handler('1') }),
      'implementation.handler',
      /default export/,
    ],
    [
      'a handler too long',
      named('v', { implementation: handler(' '.repeat(262_145)) }),
      'implementation.handler',
      /262144/,
    ],
    [
      'dependencies',
      named('v', { implementation: { ...doubling.implementation, dependencies: { lodash: '4.17.21' } } }),
      'implementation.dependencies.lodash',
      /object/,
    ],
    [
      'a dependency in a range of versions',
      named('v', {
        implementation: {
          ...doubling.implementation,
          dependencies: { lodash: { version: '^4.17.21', integrity: `sha512-${'a'.repeat(86)}==` } },
        },
      }),
      'implementation.dependencies.lodash.version',
      /one exact version/,
    ],
    [
      'a dependency without a hash',
      named('v', {
        implementation: {
          ...doubling.implementation,
          dependencies: { lodash: { version: '4.17.21', integrity: 'sha1-abc' } },
        },
      }),
      'implementation.dependencies.lodash.integrity',
      /sha512/,
    ],
    ['an input of no known type', named('v', { inputs: { n: { type: 'date' } } }), 'inputs.n.type', /string/],
    ['an input without a type', named('v', { inputs: { n: {} } }), 'inputs.n.type', /required/],
    [
      'an unknown field of an input',
      named('v', { inputs: { n: { type: 'any', requires: true } } }),
      'inputs.n.requires',
      /./,
    ],
    ['a name that is none', named('v', { inputs: { 'a-b': { type: 'any' } } }), 'inputs.a-b', /letters/],
    [
      'a name that is taken',
      named('v', { inputs: { timeout: { type: 'any' } } }),
      'inputs.timeout',
      /must not be the reserved name/,
    ],
    [
      'a name that no path resolves',
      named('v', { inputs: { constructor: { type: 'any' } } }),
      'inputs.constructor',
      /must not be the reserved name/,
    ],
    [
      'an output named error',
      named('v', { outputs: { error: 'any' } }),
      'outputs.error',
      /must not be the reserved name/,
    ],
    ['an output of no known type', named('v', { outputs: { x: 'Date' } }), 'outputs.x', /string/],
    [
      'a validation that is none',
      named('v', { inputs: { n: { type: 'any', validation: { type: 'numbr' } } } }),
      'inputs.n.validation',
      /JSON Schema/,
    ],
    [
      'a validation that asks the network',
      named('v', { inputs: { n: { type: 'any', validation: { $ref: 'http://127.0.0.1/x' } } } }),
      'inputs.n.validation',
      /./,
    ],
  ])('%s', async (_title, node, field, issue) => {
    const response = await register(node);
    expect(response.status, response.text).toBe(400);
    expect(response.body).toMatchObject({
      error: { code: 'VALIDATION_ERROR', details: { field, issue: expect.stringMatching(issue) } },
    });
    expect((await api('GET', '/nodes/v')).status).toBe(404);
  });

  test('__proto__ as a name', async () => {
    const raw = JSON.stringify(named('v', { inputs: {} })).replace(
      '"inputs":{}',
      '"inputs":{"__proto__":{"type":"any"}}',
    );
    const response = await api('POST', '/nodes', { raw, headers: { 'content-type': 'application/json' } });
    expect(response.status, response.text).toBe(400);
  });

  test("a built-in's name, and a version that is there", async () => {
    expect((await register(named('http_request'))).body).toMatchObject({
      error: { code: 'CONFLICT', details: { field: 'nodeType' } },
    });
    await registered(named('fixed'));
    const again = await register(named('fixed', { description: 'another' }));
    expect(again.status).toBe(400);
    expect(again.body).toMatchObject({ error: { code: 'CONFLICT', details: { version: '1.0.0' } } });
    expect((await api('GET', '/nodes/fixed')).body).toMatchObject({ description: 'Doubles a number.' });
  });

  test('what would never end is registered, and not run', async () => {
    const began = performance.now();
    await registered(named('endless', { implementation: handler('for (;;); export default () => 1') }));
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test('a credential without the scope', async () => {
    const key = await api('POST', '/api-keys', { body: { name: 'k', scopes: ['nodes:read'] } });
    const reader = caller(service.weft.url, { 'x-api-key': (key.body as { key: string }).key });
    expect((await register(named('r'), reader)).status).toBe(403);
    expect((await reader('GET', '/nodes/doubler')).status).toBe(200);
  });
});

describe('inputs', () => {
  const shape = {
    inputs: {
      n: { type: 'integer', required: true, validation: { minimum: 1, maximum: 9 } },
      name: { type: 'string', validation: { pattern: '^[a-z]+$' } },
      list: { type: 'array', validation: { items: { type: 'object', required: ['id'] } } },
      any: { type: 'any' },
    },
    outputs: {},
    implementation: handler('export default (inputs) => ({})'),
  };
  beforeAll(() => registered(named('checked', shape)));

  test.each<[string, object, string, RegExp]>([
    ['a missing one', {}, 'config.n', /required/],
    ['one of another type', { n: 'x' }, 'config.n', /whole number|integer/],
    ['one that its validation refuses', { n: 10 }, 'config.n', /at most 9/],
    ['a text that does not match', { n: 1, name: 'ABC' }, 'config.name', /pattern/],
    ['a part of one', { n: 1, list: [{ id: 1 }, {}] }, 'config.list[1].id', /required/],
    ['one that is not known', { n: 1, m: 1 }, 'config.m', /./],
    ['a time too long', { n: 1, timeout: '1h' }, 'config.timeout', /5m/],
  ])('%s is reported when the workflow is saved', async (_title, config, field, issue) => {
    const { issues } = await save(using('checked', config));
    expect(issues).toEqual([{ node_id: 'x', field, issue: expect.stringMatching(issue) }]);
  });

  test.each<[string, object, unknown, RegExp]>([
    ['of another type', { n: '{{ input.v }}' }, 'x', /^n:/],
    ['that its validation refuses', { n: '{{ input.v }}' }, 0, /^n: must be at least 1/],
    ['a text that does not match', { n: 1, name: '{{ input.v }}' }, 'ABC', /^name: .*pattern/],
    ['a part of one', { n: 1, list: '{{ input.v }}' }, [{}], /^list\[0\]\.id: is required/],
  ])('one %s fails the node when it runs', async (_title, config, v, message) => {
    const { id, issues } = await save(using('checked', config));
    expect(issues).toEqual([]);
    const { error } = await execute(id, { v });
    expect(error).toMatchObject({ type: 'validation', message: expect.stringMatching(message) });
  });

  test('accept templates anywhere, with their types; other inputs are not passed', async () => {
    const echo = { inputs: { a: { type: 'any' }, b: { type: 'object' } }, outputs: { seen: 'object' } };
    await registered(
      named('echo', { ...echo, implementation: handler('export default (inputs) => ({ seen: inputs })') }),
    );
    const config = {
      a: ['{{ input.list }}', 'n={{ input.n }}'],
      b: { deep: '{{ input.n }}' },
      timeout: '2s',
      retryPolicy: { maxAttempts: 2 },
    };
    const { id, issues } = await save(using('echo', config));
    expect(issues).toEqual([]);
    expect(await execute(id, { list: [1], n: 2 })).toMatchObject({
      output: { seen: { a: [[1], 'n=2'], b: { deep: 2 } } },
    });
  });

  test('a handler that exceeds its timeout fails with the type timeout', async () => {
    await registered(
      named('never_ends', { inputs: {}, implementation: handler('export default () => { for (;;); }') }),
    );
    const { id, issues } = await save(using('never_ends', { timeout: '300ms' }));
    expect(issues).toEqual([]);
    expect(await execute(id, {})).toMatchObject({ status: 'failed', error: { type: 'timeout' } });
  });

  test('secrets are not passed', async () => {
    await api('PUT', '/secrets/KEY', { body: { value: 'v' } });
    const { issues } = await save(using('echo', { a: '{{ secrets.KEY }}' }));
    expect(issues).toEqual([expect.objectContaining({ issue: expect.stringMatching(/secret/) })]);
  });
});

describe('outputs', () => {
  test.each<[string, string, object, RegExp]>([
    ['missing', '({})', { doubled: 'number' }, /did not return the output doubled/],
    ['of another type', '({ doubled: "4" })', { doubled: 'number' }, /doubled must be of type number/],
    ['null', '({ doubled: null })', { doubled: 'object' }, /doubled must be of type object/],
    ['a list for an object', '({ doubled: [] })', { doubled: 'object' }, /doubled/],
    ['no whole number', '({ doubled: 1.5 })', { doubled: 'integer' }, /doubled/],
    ['not an object', '5', { doubled: 'number' }, /must return an object/],
    ['nothing', 'undefined', { doubled: 'number' }, /must return an object/],
  ])('%s: a `code` error', async (title, result, outputs, message) => {
    const type = `out_${title.replaceAll(' ', '_')}`;
    await registered({
      nodeType: type,
      outputs,
      implementation: handler(`export default () => (${result})`),
    });
    const { error } = await execute((await save(using(type, {}))).id);
    expect(error).toMatchObject({ type: 'code', message: expect.stringMatching(message) });
  });

  test('a throw is a `code` error', async () => {
    await registered({
      nodeType: 'thrower',
      implementation: handler('export default () => { throw new Error("no") }'),
    });
    expect((await execute((await save(using('thrower', {}))).id)).error).toMatchObject({
      type: 'code',
      message: 'no',
    });
  });

  test('undeclared outputs are omitted; a connection may name one output', async () => {
    await registered({
      nodeType: 'halves',
      outputs: { left: 'array', right: 'array' },
      implementation: handler('export default () => ({ left: [1], right: [2], other: 3 })'),
    });
    const whole = await save(using('halves', {}));
    expect((await execute(whole.id)).output).toEqual({ left: [1], right: [2] });
    const keep = (id: string) => ({
      id,
      type: 'data_transformer',
      config: { operations: [{ action: 'map', input: '$', output: 'got', transform: '{{ input }}' }] },
    });
    const definition = {
      nodes: [manual, { id: 'x', type: 'halves', config: {} }, keep('l'), keep('all')],
      connections: [
        { from: 't', to: 'x' },
        { from: 'x', sourcePort: 'right', to: 'l' },
        { from: 'x', to: 'all' },
      ],
    };
    (definition.nodes[2] as { config: object }).config = {
      operations: [{ action: 'map', input: '[0]', output: 'got' }],
    };
    (definition.nodes[3] as { config: object }).config = {
      operations: [{ action: 'map', input: 'left', output: 'got' }],
    };
    const { id, issues } = await save(definition);
    expect(issues).toEqual([]);
    expect((await execute(id)).output).toEqual({ l: { got: 2 }, all: { got: [1] } });
    const wrong = {
      ...definition,
      connections: [
        { from: 't', to: 'x' },
        { from: 'x', sourcePort: 'middle', to: 'l' },
        { from: 'x', to: 'all' },
      ],
    };
    const refused = await api('POST', '/workflows', { body: { name: 'w', definition: wrong } });
    expect(refused.body).toMatchObject({
      error: { details: { issue: expect.stringMatching(/it has out, left, right, error/) } },
    });
  });
});

describe('versions', () => {
  const versioned = (version: string, factor: number): object =>
    named('grows', {
      version,
      implementation: handler(`export default (i) => ({ doubled: i.n * ${factor} })`),
    });

  test('coexist; a workflow keeps the version it was saved with', async () => {
    await registered(versioned('1.9.0', 9));
    const old = await save(using('grows', { n: 1 }));
    await registered(versioned('1.10.0', 10));
    await registered(versioned('1.2.0', 2));
    const { versions } = (await api('GET', '/nodes/grows/versions')).body as {
      versions: { version: string }[];
    };
    expect(versions.map(({ version }) => version)).toEqual(['1.10.0', '1.9.0', '1.2.0']);
    expect((await api('GET', '/nodes/grows')).body).toMatchObject({ version: '1.10.0' });
    expect((await api('GET', '/nodes?category=custom&version=1.2.0&search=doubles')).body).toMatchObject({
      nodes: [{ id: 'grows', version: '1.2.0' }],
    });
    const fresh = await save(using('grows', { n: 1 }));
    expect(fresh.definition.nodes[1]?.version).toBe('1.10.0');
    const asked = await save(using('grows', { n: 1 }, { version: '1.2.0' }));
    expect((await execute(old.id)).output).toEqual({ doubled: 9 });
    expect((await execute(fresh.id)).output).toEqual({ doubled: 10 });
    expect((await execute(asked.id)).output).toEqual({ doubled: 2 });
    const kept = await api('PUT', `/workflows/${old.id}`, { body: { definition: old.definition } });
    expect((kept.body as Workflow).definition.nodes[1]?.version).toBe('1.9.0');
    const missing = await save(using('grows', { n: 1 }, { version: '3.0.0' }));
    expect(missing.issues).toEqual([
      { node_id: 'x', field: 'version', issue: expect.stringMatching(/grows/) },
    ]);
  });

  test('a draft that waits for its node is well as soon as the node is there', async () => {
    const draft = await save(using('later', { n: 3 }));
    expect(draft.issues).toEqual([{ node_id: 'x', field: 'type', issue: expect.stringMatching(/later/) }]);
    await registered(named('later'));
    const { issues } = (await api('GET', `/workflows/${draft.id}`)).body as Workflow;
    expect(issues).toEqual([]);
    expect((await execute(draft.id)).output).toEqual({ doubled: 6 });
  });

  test('of many that register the same version at once, one does', async () => {
    const responses = await Promise.all(Array.from({ length: 6 }, () => register(named('raced'))));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(5);
  });
});

test("another owner's node is missing, and both may use the same name", async () => {
  await registered(named('private'));
  for (const path of ['/nodes/private', '/nodes/private/versions'])
    expect((await other('GET', path)).text.replace(/req_\w+/, '')).toBe(
      (await other('GET', path.replace('private', 'nothing'))).text.replace(/req_\w+/, ''),
    );
  expect((await other('GET', '/nodes?category=custom')).body).toEqual({ nodes: [] });
  expect((await save(using('private', { n: 1 }), other)).issues).toEqual([
    { node_id: 'x', field: 'type', issue: 'is not a known node type: "private"' },
  ]);
  await registered(
    named('private', { implementation: handler('export default (i) => ({ doubled: -i.n })') }),
    other,
  );
  const [mine, theirs] = [
    await save(using('private', { n: 1 })),
    await save(using('private', { n: 1 }), other),
  ];
  expect((await execute(mine.id)).output).toEqual({ doubled: 2 });
  expect((await execute(theirs.id, {}, other)).output).toEqual({ doubled: -1 });
});

describe('deleting', () => {
  const remove = (path: string, call: Call = api): Promise<ApiResponse> => call('DELETE', `/nodes/${path}`);

  test('one version or all; it is removed from the catalog, and version numbers are not reused', async () => {
    for (const version of ['1.0.0', '1.1.0', '2.0.0']) await registered(named('brief', { version }));
    expect((await remove('brief?version=2.0.0')).body).toEqual({ id: 'brief', deleted: true });
    expect((await api('GET', '/nodes/brief')).body).toMatchObject({ version: '1.1.0' });
    expect((await register(named('brief', { version: '2.0.0' }))).body).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringMatching(/does not come back/) },
    });
    expect((await remove('brief', other)).status).toBe(404);
    expect((await remove('brief')).status).toBe(200);
    for (const path of ['brief', 'brief?version=1.0.0']) expect((await remove(path)).status).toBe(404);
    expect((await api('GET', '/nodes/brief/versions')).status).toBe(404);
    await registered(named('brief', { version: '2.0.1' }));
    expect((await api('GET', '/nodes/brief')).body).toMatchObject({ version: '2.0.1' });
    const { id } = await save(using('brief', { n: 1 }));
    expect((await execute(id)).output).toEqual({ doubled: 2 });
  });

  test('what a workflow was saved with stays until the workflow is deleted', async () => {
    for (const version of ['1.0.0', '1.1.0']) await registered(named('needed', { version }));
    const { id } = await save(using('needed', { n: 1 }, { version: '1.0.0' }));
    const changed = await api('PUT', `/workflows/${id}`, {
      body: { name: 'now without it', definition: using('delay', { duration: '1s' }), version: 1 },
    });
    expect(changed.status, changed.text).toBe(200);
    for (const path of ['needed', 'needed?version=1.0.0'])
      expect((await remove(path)).body).toMatchObject({
        error: {
          code: 'CONFLICT',
          message: expect.stringMatching(/"now without it" was saved with it/),
          details: { workflows: [{ id, name: 'now without it', versions: [1] }] },
        },
      });
    expect((await remove('needed?version=1.1.0')).status).toBe(200);
    expect((await api('DELETE', `/workflows/${id}`)).status).toBe(200);
    expect((await remove('needed')).status).toBe(200);
  });

  test('built-in types cannot be deleted', async () => {
    expect((await remove('http_request')).body).toMatchObject({ error: { code: 'CONFLICT' } });
    expect((await remove('http_request?versions=1')).body).toMatchObject({
      error: { code: 'VALIDATION_ERROR' },
    });
  });
});

test('packages go into a version once, are shown, and are not fetched again', async () => {
  const registry = await openRegistry();
  const data = createTempFolder();
  const env = { WEFT_NPM_REGISTRY: registry.url };
  try {
    const first = await spawnService({ dataDir: data.path, env });
    const call = await first.login();
    const factor = buildArchive('factor', '1.2.3', { 'index.js': 'exports.two = require("@x/two").two' });
    const two = buildArchive(
      '@x/two',
      '2.0.0',
      { 'index.js': 'exports.two = 2' },
      { scripts: { postinstall: 'exit 1' } },
    );
    const dependencies = { factor: registry.publish('factor', '1.2.3', factor) };
    const withDependencies = (more: object) =>
      named('packed', {
        implementation: {
          runtime: 'javascript',
          handler: 'import { two } from "factor";\nexport default ({ n }) => ({ doubled: n * two });',
          dependencies: { ...dependencies, ...more },
        },
      });
    const half = await register(withDependencies({}), call);
    expect(half.status).toBe(400);
    expect(half.body).toMatchObject({
      error: {
        code: 'VALIDATION_ERROR',
        details: {
          field: 'implementation.dependencies.factor',
          issue: expect.stringMatching(/"@x\/two" is not in the dependencies/),
        },
      },
    });
    const lock = { '@x/two': registry.publish('@x/two', '2.0.0', two) };
    const made = await register(withDependencies(lock), call);
    expect(made.status, made.text).toBe(201);
    expect((made.body as { implementation: object }).implementation).toMatchObject({
      size: expect.any(Number),
      dependencies: [
        { path: '@x/two', ...lock['@x/two'], archive_size: two.length },
        { path: 'factor', version: '1.2.3', archive_size: factor.length },
      ],
    });
    const { id } = await save(using('packed', { n: 4 }), call);
    expect((await execute(id, {}, call)).output).toEqual({ doubled: 8 });
    expect(await first.stop()).toBe(0);

    registry.close();
    const second = await spawnService({ dataDir: data.path, env });
    const again = await second.login();
    expect((await again('GET', '/nodes/packed')).body).toMatchObject(made.body as object);
    expect((await execute(id, {}, again)).output).toEqual({ doubled: 8 });
    expect(await second.stop()).toBe(0);
  } finally {
    registry.close();
    data.remove();
  }
});
