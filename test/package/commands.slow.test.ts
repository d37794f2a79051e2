import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { listCompletedCommands } from '../../src/cli/completion/completion.ts';
import { createProgram } from '../../src/cli/program.ts';
import { Provider } from '../connections/provider.ts';
import { greeting, longWait } from '../api/definitions.ts';
import { startModelLists } from '../support/ai/model-lists.ts';
import { startMcpServer } from '../support/servers/mcp-server.ts';
import { createPetstore } from '../support/openapi/petstore.ts';
import { createRememberingWorkflow } from '../support/ai/remembering-workflow.ts';
import { createStoringWorkflow } from '../support/ai/vector-collection.ts';
import { waitUntil } from '../support/service.ts';
import { listGalleryFiles } from '../templates/template.ts';
import { installBeforeAll, Installation, type RunOptions, type Weft } from './installation.ts';

const OLD_NODES = { 20: '20.20.2', 22: '22.23.3' };
const EMAIL = 'admin@localhost';

const installation = new Installation();
const provider = new Provider();
let weft: Weft;
let onNode22: Weft;
let onNode20: Weft;
let service: Awaited<ReturnType<Weft['start']>>;
/** The commands that were run, without their arguments. */
const used = new Set<string>();

const program = createProgram(
  {
    env: {},
    stdin: new PassThrough(),
    columns: null,
    hasColor: false,
    isInteractive: false,
    out() {},
    err() {},
    interrupts: () => new AbortController().signal,
  },
  () => {},
  () => {},
);
const known = listCompletedCommands(program).filter(
  ({ path, commands }) => path !== '' && commands.length === 0,
);

installBeforeAll(async () => {
  const tarball = await installation.pack();
  const [node20, node22] = [
    await installation.installNode(OLD_NODES[20]),
    await installation.installNode(OLD_NODES[22]),
  ];
  weft = await installation.installGlobally(tarball);
  onNode22 = await installation.installGlobally(tarball, node22);
  onNode20 = await installation.installGlobally(tarball, node20);
  await provider.open();
  service = await weft.start({ WEFT_ALLOWED_HOSTS: '127.0.0.1' });
});
afterAll(async () => {
  await service?.stop();
  await provider.close();
  installation.remove();
});

/** Runs a command that has to end with `code`, and notes which one it is. */
async function runs(by: Weft, args: string[], options: RunOptions & { code?: number } = {}): Promise<string> {
  const { code = 0, ...rest } = options;
  const ran = await by.run(args, rest);
  expect(ran.code, `weft ${args.join(' ')}\n${ran.stdout}${ran.stderr}`).toBe(code);
  const words = args.filter((word) => !word.startsWith('-'));
  const found = known.find(({ path }) => words.join(' ') === path || words.join(' ').startsWith(`${path} `));
  if (found !== undefined) used.add(found.path);
  return ran.stdout;
}

const json = async <T>(by: Weft, args: string[], options: RunOptions = {}): Promise<T> =>
  JSON.parse(await runs(by, [...args, '--json'], options)) as T;

function file(name: string, content: unknown): string {
  const where = path.join(installation.folder, name);
  writeFileSync(where, JSON.stringify(content));
  return where;
}

describe.each(['24', '22'])('every command that calls a service works on Node %s', (version) => {
  let by: Weft;
  const name = (text: string): string => `${text}-${version}`;
  beforeEach(() => {
    by = version === '24' ? weft : onNode22;
  });

  test('sessions', async () => {
    await runs(by, ['login', '--url', service.url, '--email', EMAIL], { input: `${service.password}\n` });
    expect(await runs(by, ['version'])).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await runs(by, ['whoami'])).toContain(EMAIL);
    expect(await runs(by, ['profiles', 'list'])).toContain(new URL(service.url).origin);
    await runs(by, ['profiles', 'use', 'default']);
    expect(await json(by, ['health'])).toMatchObject({ status: 'ok' });
    expect(await runs(by, ['completion', 'bash'])).toContain('complete -F _weft weft');
  });

  test('workflows', async () => {
    const where = file(`${name('greet')}.json`, { name: name('greet'), definition: greeting });
    const [group, flow] = [['--group', name('package')], name('greet')];
    await runs(by, ['apply', where, ...group, '--dry-run', '--detailed-exitcode'], { code: 9 });
    await runs(by, ['apply', where, ...group]);
    expect(await runs(by, ['workflows', 'list'])).toContain(flow);
    expect(await runs(by, ['workflows', 'get', flow])).toContain('data_transformer');
    await runs(by, ['workflows', 'activate', flow]);
    await runs(by, ['workflows', 'publish', flow]);
    await runs(by, ['workflows', 'deactivate', flow]);
    expect(await runs(by, ['workflows', 'versions', flow])).toMatch(/VERSION/);
    await runs(by, ['workflows', 'restore', flow, '1']);
    expect(JSON.parse(await runs(by, ['export', flow]))).toMatchObject({ name: flow });

    const input = ['--input', '{"name": "Ada"}'];
    expect(await runs(by, ['run', flow, ...input, '--wait'])).toContain('Dear Ada');
    await runs(by, ['run', flow, ...input, '--follow']);
    const list = ['executions', 'list', '--workflow', flow];
    const { executions } = await json<{ executions: { id: string }[] }>(by, list);
    const { id } = executions[0]!;
    expect(await runs(by, ['executions', 'get', id])).toContain('completed');
    expect(await runs(by, ['statistics', flow, '--interval', 'day'])).toMatch(/total +2 /);
    await runs(by, ['executions', 'retry', id, '--from', 'start', '--wait']);
    expect(await runs(by, ['logs', id, '--follow'])).toContain('Execution completed');
    const long = file(`${name('long')}.json`, { name: name('long'), definition: longWait });
    await runs(by, ['apply', long, ...group, '--prune', '--yes']);
    await runs(by, ['workflows', 'get', flow], { code: 4 });
    const waiting = await json<{ id: string }>(by, ['run', name('long')]);
    await runs(by, ['executions', 'stop', waiting.id]);
    await runs(by, ['workflows', 'delete', name('long'), '--yes']);
    expect(await runs(by, ['workflows', 'deleted'])).toContain(name('long'));
    expect(await runs(by, ['workflows', 'undelete', name('long')])).toContain('is back');
    await runs(by, ['workflows', 'delete', name('long'), '--permanent', '--yes']);
  });

  test('keys, secrets and connections', async () => {
    expect(await runs(by, ['keys', 'create', name('ci')])).toMatch(/^weft_/);
    const { api_keys } = await json<{ api_keys: { id: string }[] }>(by, ['keys', 'list']);
    await runs(by, ['keys', 'delete', api_keys[0]!.id, '--yes']);
    await runs(by, ['secrets', 'set', 'TOKEN'], { input: 'value\n' });
    expect(await runs(by, ['secrets', 'list'])).toContain('TOKEN');
    await runs(by, ['secrets', 'delete', 'TOKEN', '--yes']);

    const { authorization_url, token_url } = provider.settings;
    const addresses = ['--authorization-url', authorization_url, '--token-url', token_url];
    const app = [...addresses, '--client-id', 'weft-app', '--scope', 'orders', 'stock'];
    await runs(by, ['connections', 'create', 'SHOP', ...app], { input: 'canary-client-secret\n' });
    const { connect_url } = await json<{ connect_url: string }>(by, ['connections', 'authorize', 'SHOP']);
    expect((await fetch(connect_url)).status).toBe(200);
    expect(await runs(by, ['connections', 'list'])).toContain('connected');
    expect(await runs(by, ['connections', 'get', 'SHOP'])).toContain('connected');
    await runs(by, ['connections', 'test', 'SHOP']);
    await runs(by, ['connections', 'refresh', 'SHOP']);
    await runs(by, ['connections', 'update', 'SHOP', '--description', 'The shop']);
    expect(await runs(by, ['connections', 'providers', '--search', 'shopify'])).toContain('Shopify');
    expect(await runs(by, ['connections', 'provider', 'shopify'])).toContain('myshopify.com');
    await runs(by, ['connections', 'delete', 'SHOP', '--yes']);
  });

  test('nodes and templates', async () => {
    const type = `doubler_${version}`;
    const handler = 'export default async (inputs) => ({ doubled: inputs.n * 2 })';
    const node = {
      nodeType: type,
      description: 'Doubles a number.',
      version: '1.0.0',
      inputs: { n: { type: 'number', required: true } },
      outputs: { doubled: 'number' },
      implementation: { runtime: 'javascript', handler, dependencies: {} },
    };
    await runs(by, ['nodes', 'create', '--file', file(`${name('node')}.json`, node)]);
    expect(await runs(by, ['nodes', 'list'])).toContain(type);
    expect(await runs(by, ['nodes', 'get', type])).toContain('Doubles a number.');
    // Code of users runs in the sandbox, whose native part is in the package.
    const definition = {
      nodes: [
        { id: 't', type: 'trigger', config: { triggerType: 'manual' } },
        { id: 'x', type, config: { n: 21, timeout: '60s' } },
      ],
      connections: [{ from: 't', to: 'x' }],
    };
    await runs(by, ['apply', file(`${name('double')}.json`, { name: name('double'), definition })]);
    expect(JSON.parse(await runs(by, ['run', name('double'), '--wait']))).toEqual({ doubled: 42 });
    await runs(by, ['workflows', 'delete', name('double'), '--yes']);
    await runs(by, ['nodes', 'delete', type, '--yes']);

    // The process that reads documents is in the package.
    const pack = `pets_${version}`;
    const server = 'https://pets.example.com';
    const changed = createPetstore(server, '1.1.0', { '/pets/{id}': {} });
    await runs(by, ['nodes', 'add', file(`${pack}.json`, createPetstore(server)), '--name', pack]);
    expect(await runs(by, ['nodes', 'packs'])).toContain(pack);
    expect(await runs(by, ['nodes', 'operations', pack])).toContain('pets/create');
    // Only packs from npm load choices.
    await runs(by, ['nodes', 'choices', pack, 'pets/create', 'name'], { code: 5 });
    // Only packs from npm have apps.
    await runs(by, ['nodes', 'app', 'get', pack], { code: 4 });
    await runs(by, ['nodes', 'app', 'set', pack], { code: 5, input: 'key' });
    await runs(by, ['nodes', 'app', 'delete', pack, '--yes'], { code: 4 });
    const updated = await runs(by, ['nodes', 'update', pack, file(`${pack}.json`, changed), '--yes']);
    expect(updated).toContain('- pets/get');
    await runs(by, ['nodes', 'workflows', pack]);
    await runs(by, ['nodes', 'remove', pack, '--yes']);

    const mcp = await startMcpServer([{ name: 'get-weather' }]);
    expect(await runs(by, ['nodes', 'tools', mcp.url])).toContain('get-weather');
    const lists = await startModelLists({ '/v1/models': { data: [{ id: 'llama3.2' }] } });
    const models = ['nodes', 'models', 'openai_compatible', '--base-url', `${lists.url}/v1`];
    expect(await runs(by, models)).toContain('llama3.2');
    await lists.close();
    await mcp.close();

    const template = {
      templateName: name('greeting'),
      version: '1.0.0',
      description: 'Greets.',
      parameters: [{ name: 'WORD', type: 'string', required: true }],
      workflow: { name: 'Greeting with {{ parameters.WORD }}', definition: greeting },
    };
    await runs(by, ['templates', 'create', '--file', file(`${name('template')}.json`, template)]);
    const { templates } = await json<{ templates: object[] }>(by, ['templates', 'list', '--all']);
    expect(templates).toHaveLength(listGalleryFiles().length + 1);
    expect(await runs(by, ['templates', 'get', name('greeting')])).toContain('WORD');
    await runs(by, ['templates', 'use', name('greeting'), '--set', 'WORD=x']);
    await runs(by, ['templates', 'delete', name('greeting'), '--yes']);
  });

  test('decisions', async () => {
    const definition = {
      nodes: [
        { id: 't', type: 'trigger', config: { triggerType: 'manual' } },
        { id: 'ask', type: 'approval', config: { title: name('Expense') } },
      ],
      connections: [{ from: 't', to: 'ask' }],
    };
    await runs(by, ['apply', file(`${name('ask')}.json`, { name: name('ask'), definition })]);
    await runs(by, ['run', name('ask')]);
    const [decision] = await waitUntil(
      async () =>
        (await json<{ decisions: { id: string }[] }>(by, ['inbox', '--search', name('Expense')])).decisions,
      (decisions) => decisions.length === 1,
    );
    expect(await runs(by, ['decision', decision!.id])).toContain('rejected');
    expect(await runs(by, ['decide', decision!.id, 'approved'])).toContain('It is decided: approved.');
    await runs(by, ['workflows', 'delete', name('ask'), '--yes']);
  });

  test('threads', async () => {
    const definition = createRememberingWorkflow(name('thread'));
    await runs(by, ['apply', file(`${name('remember')}.json`, { name: name('remember'), definition })]);
    await runs(by, ['run', name('remember')]);
    const [thread] = await waitUntil(
      async () =>
        (await json<{ threads: { id: string }[] }>(by, ['threads', 'list', '--search', name('thread')]))
          .threads,
      (threads) => threads.length === 1,
    );
    expect(await runs(by, ['threads', 'get', thread!.id])).toContain('Hello, too');
    await runs(by, ['threads', 'delete', thread!.id, '--yes']);
    await runs(by, ['workflows', 'delete', name('remember'), '--yes']);
  });

  test('vector collections', async () => {
    const collection = name('docs')
      .toLowerCase()
      .replaceAll(/[^a-z0-9_-]/g, '-');
    const definition = createStoringWorkflow(collection, [{ key: 'a', text: 'A', embedding: [1, 0] }]);
    await runs(by, ['apply', file(`${name('store')}.json`, { name: name('store'), definition })]);
    await runs(by, ['run', name('store')]);
    expect(await runs(by, ['vector-collections', 'list', '--search', collection])).toContain(collection);
    expect(await runs(by, ['vector-collections', 'get', collection])).toContain('test-model');
    await runs(by, ['vector-collections', 'delete', collection, '--yes']);
    await runs(by, ['workflows', 'delete', name('store'), '--yes']);
  });

  test('usage and prices of models', async () => {
    const model = `openai/${name('model')}`;
    expect(await runs(by, ['usage', 'get', '--by', 'day', 'model', '--user', 'all'])).toContain('total');
    const set = ['usage', 'prices', 'set', model, '--input', '0.25', '--output', '2'];
    expect(await runs(by, set)).toContain(model);
    expect(await json(by, ['usage', 'prices', 'list'])).toMatchObject({
      prices: expect.arrayContaining([
        { model, input: 0.25, cached_input: null, output: 2, source: 'stored' },
      ]) as object[],
    });
    expect(await runs(by, ['usage', 'prices', 'delete', model])).not.toContain(model);
  });

  test('users, and the end of the session', async () => {
    const email = `${name('bob')}@example.com`;
    await runs(by, ['users', 'create', email], { input: 'a password of bob\n' });
    expect(await runs(by, ['users', 'list'])).toContain(email);
    expect(await runs(by, ['users', 'get', email])).toContain('member');
    await runs(by, ['users', 'update', email, '--role', 'admin']);
    expect(await runs(by, ['audit', '--action', 'user.updated'])).toContain(email);
    const lines = await runs(by, ['audit', '--export', '--target-type', 'user']);
    expect(JSON.parse(lines.trimEnd().split('\n').at(-1)!)).toMatchObject({ action: 'user.updated' });
    await runs(by, ['users', 'delete', email, '--yes']);
    await runs(by, ['logout']);
    await runs(by, ['whoami'], { code: 3, env: { WEFT_URL: service.url } });
  });
});

test('the commands on the data of this machine work on Node 24', async () => {
  const backup = path.join(installation.folder, 'backup');
  await runs(weft, ['backup', backup]);
  await runs(weft, ['restore', backup], {
    env: { WEFT_DATA_DIR: path.join(installation.folder, 'restored') },
  });
  const env = { WEFT_DATA_DIR: path.join(installation.folder, 'restored') };
  await runs(weft, ['user', 'reset-password', EMAIL], { env, input: 'another long password\n' });
  const target = ['--to', 'postgres://weft@127.0.0.1:1/weft'];
  await runs(weft, ['migrate', '--from', 'sqlite', ...target], { env, code: 1 });
  const node = `import { closed, defineNode, done } from 'weft/node-kit';
    export default defineNode({ type: 'one', version: '1.0.0', name: 'One', category: 'data', description: 'Is one.',
      icon: 'dot', config: closed({}), outputs: [{ name: 'out', type: 'number', description: 'One.' }], effects: 'none',
      run: async () => done(1), examples: [{ title: 'one', config: {}, input: {}, outputs: { out: 1 } }] });`;
  writeFileSync(path.join(installation.work, 'one.node.ts'), node);
  expect(await runs(weft, ['nodes', 'check', 'one.node.ts'])).toContain('one');
  used.add('start');
  expect(existsSync(path.join(installation.work, '.weft'))).toBe(true);
});

test('every command was run', () => {
  expect([...used].toSorted()).toEqual(known.map((command) => command.path).toSorted());
});

test('npx runs the tarball', async () => {
  const tarball = path.join(installation.folder, `weft-${(await runs(weft, ['version'])).trim()}.tgz`);
  const { stdout } = await installation.npm(
    ['exec', '--yes', '--package', tarball, '--', 'weft', 'version'],
    installation.work,
  );
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('an older Node gets one line with the required version', async () => {
  for (const args of [['start'], ['backup', 'x'], ['nodes', 'check']]) {
    const { code, stdout, stderr } = await onNode22.run(args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `weft: weft ${args.slice(0, args[0] === 'nodes' ? 2 : 1).join(' ')} needs Node 24 or newer, and this is Node ${OLD_NODES[22]}. Commands that call a service elsewhere work with this one.\n`,
    );
  }
  for (const args of [['start'], ['health'], ['--help']]) {
    const { code, stdout, stderr } = await onNode20.run(args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^weft: Weft needs Node 24 or newer for the service and Node 22\.12 or newer .* Node 20\.20\.2; .*\n$/,
    );
  }
});
