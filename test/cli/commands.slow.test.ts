import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { greeting } from '../api/definitions.ts';
import { startUpstream } from '../support/upstream.ts';
import { useWeftCommand } from './weft-command.ts';

const one = useWeftCommand();
const hook = {
  nodes: [
    {
      id: 'hook',
      type: 'trigger',
      config: { triggerType: 'webhook', endpoint: 'orders', authentication: 'none' },
    },
  ],
  connections: [],
};

describe('workflows', () => {
  test('by name or id: list, get, switch, versions, restore, delete', async () => {
    const { id } = await one.client.workflows.create({ name: 'Orders', definition: hook, tags: ['shop'] });
    await one.client.workflows.create({ name: 'Greeter', definition: greeting });
    const list = await one.json<{ workflows: { id: string }[]; pagination: object }>([
      'workflows',
      'list',
      '--tag',
      'shop',
    ]);
    expect(list).toMatchObject({ workflows: [{ id, name: 'Orders' }], pagination: { total: 1, page: 1 } });
    const table = await one.weft(['workflows', 'list', '--limit', '1']);
    expect(table.stdout).toMatch(/^ID +NAME +STATUS/);
    expect(table.stdout.split('\n').length).toBe(3);
    expect(table.stderr).toContain('1 more of 2');
    expect((await one.json<{ workflows: object[] }>(['workflows', 'list', '--all'])).workflows.length).toBe(
      2,
    );

    expect((await one.weft(['workflows', 'get', 'Orders'])).stdout).toMatch(/workflow +wf_.*\nname +Orders/);
    const active = await one.weft(['workflows', 'activate', 'Orders']);
    expect(active.stdout).toMatch(new RegExp(`^Orders \\(${id}\\) is active\\.\n.*POST.*/webhooks/orders`));
    expect(await one.json(['workflows', 'deactivate', id])).toMatchObject({ id, status: 'inactive' });

    await one.client.workflows.update(id, { definition: greeting });
    const { versions } = await one.json<{ versions: { version: number }[] }>([
      'workflows',
      'versions',
      'Orders',
    ]);
    expect(versions.map(({ version }) => version)).toContain(1);
    const restored = await one.json<{ definition: { nodes: { id: string }[] } }>([
      'workflows',
      'restore',
      'Orders',
      '1',
    ]);
    expect(restored.definition.nodes.map((node) => node.id)).toEqual(['hook']);
    expect((await one.weft(['workflows', 'restore', 'Orders', 'one'])).code).toBe(2);
    expect((await one.weft(['workflows', 'publish', 'Orders'])).code).toBe(5);

    expect(await one.json(['workflows', 'delete', 'Orders', '--yes'])).toEqual({ id, deleted: true });
    const gone = await one.weft(['workflows', 'get', id]);
    expect([gone.code, gone.stderr]).toEqual([4, 'weft: The workflow does not exist.\n']);
    expect((await one.weft(['workflows', 'get', 'Greter'])).stderr).toContain('Did you mean "Greeter"?');
  });

  test('deleted ones are listed, restored and deleted permanently', async () => {
    const { id } = await one.client.workflows.create({ name: 'Mistake', definition: hook });
    await one.client.workflows.update(id, { status: 'active' });
    await one.client.workflows.delete(id);
    const { workflows: restorable } = await one.json<{ workflows: object[] }>(['workflows', 'deleted']);
    expect(restorable[0]).toMatchObject({ id, name: 'Mistake' });
    expect((await one.weft(['workflows', 'deleted'])).stdout).toMatch(/RESTORABLE UNTIL\n.*Mistake/);
    expect((await one.weft(['workflows', 'undelete', 'Mistak'])).code).toBe(4);
    expect((await one.weft(['workflows', 'undelete', 'Mistake'])).stdout).toBe(
      `Mistake (${id}) is back, inactive.\n`,
    );
    await one.json(['workflows', 'delete', 'Mistake', '--yes']);
    const forGood = ['workflows', 'delete', 'Mistake', '--permanent', '--yes'];
    expect((await one.weft(forGood)).stdout).toBe(`Deleted Mistake (${id}) permanently.\n`);
    expect((await one.weft(forGood)).code).toBe(4);
    const sorted = await one.json<{ workflows: { name: string }[] }>([
      'workflows',
      'list',
      '--sort',
      'name',
      '--direction',
      'desc',
    ]);
    const names = sorted.workflows.map(({ name }) => name);
    expect(names).toEqual(names.toSorted().toReversed());
  });

  test('a name that two have is refused with their ids', async () => {
    const ids = [];
    for (let i = 0; i < 2; i++) ids.push((await one.client.workflows.create({ name: 'Twin' })).id);
    const { code, stderr } = await one.weft(['workflows', 'delete', 'Twin']);
    expect(code).toBe(2);
    for (const id of ids) expect(stderr).toContain(id);
  });
});

test('without a terminal nothing is deleted unasked', async () => {
  const { id } = await one.client.workflows.create({ name: 'Kept' });
  await one.client.secrets.put('KEPT', { value: 'v' });
  for (const [what, name] of [
    ['workflows', 'Kept'],
    ['secrets', 'KEPT'],
  ] as const) {
    for (const input of ['', 'n\n', 'y\n']) {
      const { code, stdout, stderr } = await one.weft([what, 'delete', name], { input });
      expect([code, stdout, stderr], what + input).toEqual([
        2,
        '',
        expect.stringContaining('--yes is required'),
      ]);
      expect(stderr.trim().split('\n').length).toBe(1);
    }
  }
  expect(await one.client.workflows.get(id)).toMatchObject({ id });
  expect(await one.client.secrets.delete('KEPT')).toMatchObject({ deleted: true });
});

describe('a server that is not Weft', () => {
  const bodies: unknown[] = [{}, [], null, { error: { code: 'NOT_FOUND', message: 'No.' } }];
  const commands = [
    ['health'],
    ['whoami'],
    ['login', '--api-key'],
    ['workflows', 'list'],
    ['workflows', 'delete', 'x', '--yes'],
    ['apply', path.join(import.meta.dirname, '../../examples/reminder.json')],
    ['run', 'x', '--follow'],
    ['logs', 'ex_a', '--follow'],
    ['export', '--all'],
  ];
  // Each command meets one response, and one command meets all of them.
  const [first = []] = commands;
  test.each([
    ...commands.map((args) => ({ args, status: 200, body: {} as unknown })),
    ...bodies.flatMap((body) => [200, 404].map((status) => ({ args: first, status, body }))),
  ])('weft $args.0 $args.1 exits with 6 and one line on $status $body', async ({ args, ...response }) => {
    const other = await startUpstream(() => response);
    const { code, stdout, stderr } = await one.weft(args, {
      env: { WEFT_URL: other.url, WEFT_API_KEY: 'k' },
    });
    expect([code, stdout, stderr]).toEqual([
      6,
      '',
      expect.stringMatching(/^weft: The server at .* is not a Weft service.*\n$/),
    ]);
    await other.close();
  });
});

describe('executions and logs', () => {
  test('list, get, stop, retry, logs', async () => {
    const { id: workflow } = await one.client.workflows.create({
      name: 'Runs',
      definition: greeting,
    });
    const failed = await one.client.workflows.execute(workflow, { input: {}, wait: '30s' });
    const list = ['executions', 'list', '--workflow', 'Runs', '--status', 'failed'];
    expect(await one.json(list)).toMatchObject({ executions: [{ id: failed.id, status: 'failed' }] });
    const find = async (...args: string[]) =>
      (await one.json<{ executions: { id: string }[] }>(['executions', 'list', ...args])).executions;
    expect(await find('--search', failed.id)).toMatchObject([{ id: failed.id }]);
    expect(await find('--search', 'text-that-no-execution-contains')).toEqual([]);
    expect(await find('--failed-node', failed.error!.node_id)).toMatchObject([{ id: failed.id }]);
    expect(await find('--trigger', 'webhook')).toEqual([]);
    expect((await one.weft(list)).stdout).toContain('value is missing');
    const ended = { totals: { completed: 0, failed: 1, stopped: 0 } };
    expect(await one.json(['statistics', 'Runs', '--interval', 'day'])).toMatchObject({
      interval: 'day',
      ...ended,
    });
    expect((await one.weft(['statistics'])).stdout).toMatch(/START +COMPLETED +FAILED[^]*\ntotal +\d+ +\d+/);
    const shown = (await one.weft(['executions', 'get', failed.id])).stdout;
    expect(shown).toMatch(/status +failed/);
    expect(shown).toMatch(/NODE +TYPE +STATUS/);
    expect(shown).toMatch(/greet +data_transformer +failed/);
    expect(await one.weft(['executions', 'stop', failed.id])).toMatchObject({ code: 5, stdout: '' });
    const again = await one.weft([
      'executions',
      'retry',
      failed.id,
      '--from',
      'start',
      '-i',
      '{"name":"x"}',
      '--wait',
      '--json',
    ]);
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([
      0,
      { status: 'completed', retry_of: failed.id },
    ]);
    expect((await one.weft(['executions', 'retry', failed.id, '--wait'])).code).toBe(1);

    const lines = (await one.weft(['logs', failed.id, '--json'])).stdout.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toContain(
      'Execution started',
    );
    const errors = await one.weft(['logs', failed.id, '--level', 'error', '--follow']);
    expect(errors).toMatchObject({ code: 0, stderr: `${failed.id} is failed.\n` });
    expect(errors.stdout).toMatch(/error +greet +Failed: /);
    expect((await one.weft(['logs', 'ex_none', '--follow'])).code).toBe(4);
  });

  test('control characters of stored texts are escaped', async () => {
    // Names refuse control characters, but not the marks that reverse the direction of text.
    const { id } = await one.client.workflows.create({
      name: 'b\u202Ec',
      description: 'a\u001B[2Jd',
      definition: greeting,
    });
    for (const args of [
      ['list', '--search', 'b'],
      ['get', id],
      ['activate', id],
    ]) {
      const { stdout } = await one.weft(['workflows', ...args]);
      expect(stdout).toContain('b\\u202ec');
      if (args[0] === 'get') expect(stdout).toContain('a\\u001b[2Jd');
      // oxlint-disable-next-line no-control-regex
      expect(stdout).not.toMatch(/[\u001b\u202e]/);
    }
  });
});

describe('credentials', () => {
  test('keys are shown once', async () => {
    const { token } = await one.client.auth.login({
      email: 'admin@example.com',
      password: 'correct horse battery staple',
    });
    const env = { WEFT_URL: one.url, WEFT_TOKEN: token };
    const made = await one.weft(
      ['keys', 'create', 'ci', '--scope', 'executions:read', 'nodes:read', '--expires', '90d'],
      { env },
    );
    expect(made.stdout).toMatch(/^weft_\S+\n$/);
    expect(made.stderr).toContain('not shown again');
    const { api_keys } = JSON.parse((await one.weft(['keys', 'list', '--json'], { env })).stdout) as {
      api_keys: { id: string; name: string; scopes: string[] }[];
    };
    const key = api_keys.find(({ name }) => name === 'ci')!;
    expect(key.scopes).toEqual(['executions:read', 'nodes:read']);
    const narrow = { WEFT_URL: one.url, WEFT_API_KEY: made.stdout.trim() };
    expect((await one.weft(['nodes', 'list'], { env: narrow })).code).toBe(0);
    expect(await one.weft(['workflows', 'list'], { env: narrow })).toMatchObject({ code: 3 });
    expect((await one.weft(['keys', 'delete', key.id, '-y'], { env })).code).toBe(0);
    expect((await one.weft(['nodes', 'list'], { env: narrow })).code).toBe(3);
    expect((await one.weft(['keys', 'create', 'x', '--scope', 'executions:reed'], { env })).stderr).toContain(
      'did you mean executions:read?',
    );
    for (const expires of ['soon', '90', '90 d']) {
      const refused = await one.weft(['keys', 'create', 'x', '--expires', expires], { env });
      expect([refused.code, refused.stderr], expires).toEqual([
        2,
        expect.stringContaining('--expires must be a duration such as 90d'),
      ]);
    }
    // A key is no session.
    expect((await one.weft(['keys', 'list'])).code).toBe(3);
  });

  test('a secret comes from standard input and never comes back', async () => {
    const set = await one.weft(['secrets', 'set', 'TOKEN', '--host', 'api.example.com'], {
      input: 'line one\nline two\n',
    });
    expect(set).toMatchObject({ code: 0, stdout: 'The secret TOKEN is stored.\n' });
    expect(await one.json(['secrets', 'list'])).toMatchObject({
      secrets: [{ name: 'TOKEN', hosts: ['api.example.com'] }],
    });
    expect((await one.weft(['secrets', 'set', 'EMPTY'], { input: '\n' })).code).toBe(2);
    const bad = await one.weft(['secrets', 'set', 'a b'], { input: 'x' });
    expect([bad.code, bad.stderr]).toEqual([5, expect.stringContaining('name')]);
    expect(await one.json(['secrets', 'delete', 'TOKEN', '--yes'])).toEqual({ name: 'TOKEN', deleted: true });
    expect((await one.weft(['secrets', 'delete', 'TOKEN', '--yes'])).code).toBe(4);
  });

  test('users by id or email', async () => {
    const args = ['users', 'create', 'bob@example.com', '--name', 'Bob', '--plan', 'pro'];
    const { id } = await one.json<{ id: string }>(args, 'a password of bob\n');
    expect(await one.json(['users', 'get', 'Bob@example.com'])).toMatchObject({
      id,
      plan: 'pro',
      role: 'member',
    });
    expect(await one.json(['users', 'update', id, '--role', 'admin'])).toMatchObject({ role: 'admin' });
    expect((await one.weft(['users', 'update', id])).code).toBe(2);
    expect(
      (await one.weft(['users', 'create', 'bob@example.com'], { input: 'another password\n' })).code,
    ).toBe(5);
    expect((await one.weft(['users', 'list'])).stdout).toContain('bob@example.com');
    expect(await one.json(['users', 'delete', 'bob@example.com', '--yes'])).toEqual({ id, deleted: true });
    expect((await one.weft(['users', 'get', 'bob@example.com'])).code).toBe(4);
  });
});

describe('the catalog', () => {
  test('nodes', async () => {
    const { nodes } = await one.json<{ nodes: { id: string; category: string }[] }>([
      'nodes',
      'list',
      '--category',
      'http',
    ]);
    expect(nodes).toEqual(expect.arrayContaining([expect.objectContaining({ id: 'http_request' })]));
    expect((await one.weft(['nodes', 'get', 'delay'])).stdout).toMatch(/duration +How long to wait/);
    expect((await one.weft(['nodes', 'get', 'dely'])).code).toBe(4);
  });

  test('templates', async () => {
    const file = path.join(one.folder, 'template.json');
    const template = {
      templateName: 'greeting',
      version: '1.0.0',
      description: 'Greets.',
      parameters: [{ name: 'WORD', type: 'string', required: true }],
      workflow: { name: 'Greeting with {{ parameters.WORD }}', definition: greeting },
    };
    writeFileSync(file, JSON.stringify(template));
    expect((await one.weft(['templates', 'create', '-f', file])).stdout).toContain(
      'greeting 1.0.0 is registered',
    );
    const list = await one.json<{ templates: { templateName: string }[] }>(['templates', 'list', '--all']);
    expect(list.templates.map(({ templateName }) => templateName)).toContain('greeting');
    expect((await one.weft(['templates', 'get', 'greeting'])).stdout).toMatch(/WORD +string +yes/);
    const used = await one.weft(['templates', 'use', 'greeting', '--set', 'WORD=42']);
    expect(used.stdout).toMatch(/^wf_\w+\n$/);
    expect(used.stderr).toContain('Greeting with 42 is draft.');
    expect((await one.weft(['templates', 'use', 'greeting'])).stderr).toContain('parameters.WORD');
    expect((await one.weft(['templates', 'use', 'greeting', '--set', 'WROD=1'])).stderr).toContain(
      'did you mean WORD?',
    );
    expect((await one.weft(['templates', 'delete', 'greeting', '-y', '--json'])).code).toBe(0);
  });

  test('health', async () => {
    expect(await one.json(['health'])).toMatchObject({ status: 'ok', checks: { store: { status: 'ok' } } });
    const down = await one.weft(['health', '--url', 'http://127.0.0.1:1'], { env: {} });
    expect([down.code, down.stderr]).toEqual([6, expect.stringContaining('could not be reached')]);
    const other = await one.weft(['workflows', 'list', '--json'], {
      env: { WEFT_URL: 'http://127.0.0.1:1', WEFT_API_KEY: 'k' },
    });
    expect(JSON.parse(other.stderr)).toMatchObject({ error: { code: 'CONNECTION', status: null } });
  });
});

test('wrong usage exits with 2 and suggests the correct command', async () => {
  const cases: [string[], string][] = [
    [[], 'Which command?'],
    [['wrkflows'], 'Did you mean workflows?'],
    [['workflows', 'lst'], 'Did you mean list?'],
    [['workflows'], 'Which command?'],
    [['run'], "missing required argument 'workflow'"],
    [['workflows', 'list', '--statu', 'draft'], 'Did you mean --status?'],
    [['workflows', 'list', '--status', 'on'], 'Allowed choices are active, inactive, draft'],
    [['workflows', 'list', '--limit', 'ten'], '--limit must be an integer'],
    [['run', 'x', '--input', 'nowhere.json'], 'There is no file nowhere.json'],
    [['run', 'x', '--input', '{"a":'], '--input is not valid JSON'],
    [['run', 'x', '--timeout', '5s'], '--timeout requires --wait'],
    [['apply'], 'requires files, folders'],
    [['export'], 'requires ids or names'],
  ];
  for (const [args, text] of cases) {
    const { code, stdout, stderr } = await one.weft(args);
    expect([code, stdout, stderr], args.join(' ')).toEqual([2, '', expect.stringContaining(text)]);
  }
  const { stderr } = await one.weft(['apply', '--json']);
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'USAGE' } });
});
