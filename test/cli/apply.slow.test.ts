import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { greeting, manual, mapNode } from '../api/definitions.ts';
import { useWeftCommand } from './weft-command.ts';

const one = useWeftCommand();
type Result = {
  action: string;
  id: string;
  name: string;
  version: number;
  changes: { path: string }[];
  issues: object[];
};
type Applied = { dry_run: boolean; results: Result[] };

let files: string;
beforeAll(() => {
  files = path.join(one.folder, 'files');
  mkdirSync(files);
});

function file(name: string, content: unknown): string {
  const where = path.join(files, name);
  writeFileSync(where, typeof content === 'string' ? content : JSON.stringify(content));
  return where;
}

describe('apply', () => {
  test('creates, keeps, or updates workflows, and reports each', async () => {
    const where = file('greet.json', { name: 'Greet', tags: ['a'], definition: greeting });
    const dry = await one.json<Applied>(['apply', where, '--dry-run']);
    expect(dry).toMatchObject({ dry_run: true, results: [{ action: 'create', id: null }] });
    expect((await one.client.workflows.list({ search: 'Greet' })).workflows).toEqual([]);

    const created = (await one.json<Applied>(['apply', where])).results[0]!;
    expect(created).toMatchObject({ action: 'create', name: 'Greet', version: 1 });
    const again = (await one.json<Applied>(['apply', '-f', where])).results[0]!;
    expect(again).toMatchObject({ action: 'unchanged', id: created.id, version: 1, changes: [] });

    file('greet.json', {
      name: 'Greet',
      description: 'Says hello.',
      settings: { timeout: '30s' },
      tags: ['a', 'b'],
      definition: {
        nodes: [
          manual,
          mapNode('greet', 'name', 'text', 'Hello {{ value }}'),
          mapNode('more', 'text', 'more'),
        ],
        connections: [
          { from: 'start', to: 'greet' },
          { from: 'greet', to: 'more' },
        ],
      },
    });
    const planned = await one.weft(['apply', where, '--dry-run']);
    expect(planned.stdout.split('\n')).toEqual([
      `~ would update ${created.id}  Greet`,
      '  ~ description: "" → "Says hello."',
      '  ~ tags: ["a"] → ["a","b"]',
      '  + settings.timeout: "30s"',
      '  ~ node greet.config.operations[0].transform: "Dear {{ value }}" → "Hello {{ value }}"',
      expect.stringMatching(/^ {2}\+ node more: /),
      '  + connection greet → more: {"from":"greet","to":"more"}',
      '',
    ]);
    const done = await one.weft(['apply', where]);
    expect(done.stdout).toContain(`~ updated ${created.id}  Greet (version 2)`);
    expect((await one.weft(['apply', where])).stdout).toBe(`= unchanged ${created.id}  Greet\n`);
  });

  test('omitted fields stay, removed ones are deleted', async () => {
    const { id } = await one.client.workflows.create({
      name: 'Partly',
      description: 'kept',
      settings: { timeout: '30s', max_concurrency: 2 },
      definition: greeting,
    });
    const where = file('partly.json', { id, name: 'Partly, renamed', settings: { timeout: '30s' } });
    const { results } = await one.json<Applied>(['apply', where]);
    expect(results[0]!.changes.map((change) => change.path)).toEqual(['name', 'settings.max_concurrency']);
    expect(await one.client.workflows.get(id)).toMatchObject({
      name: 'Partly, renamed',
      description: 'kept',
      settings: { timeout: '30s', max_concurrency: null },
      definition: { nodes: [{ id: 'start' }, { id: 'greet' }] },
    });
  });

  test('the examples, from a folder, twice', async () => {
    const first = await one.json<Applied>(['apply', 'examples']);
    expect(first.results.map(({ action }) => action)).toEqual(readdirSync('examples').map(() => 'create'));
    expect(first.results.some(({ issues }) => issues.length > 0)).toBe(true);
    const second = await one.json<Applied>(['apply', 'examples']);
    expect(new Set(second.results.map(({ action }) => action))).toEqual(new Set(['unchanged']));
  });

  test('a list from standard input; and an id of another instance, whose name counts', async () => {
    const list = [
      { name: 'From a pipe 1' },
      { id: 'wf_00000000000000000000elsewhere', name: 'From a pipe 2' },
    ];
    const input = JSON.stringify(list);
    const { results } = await one.json<Applied>(['apply', '-'], input);
    expect(results.map(({ action, name }) => [action, name])).toEqual([
      ['create', 'From a pipe 1'],
      ['create', 'From a pipe 2'],
    ]);
    const again = await one.json<Applied>(['apply', '-'], input);
    expect(again.results.map(({ action }) => action)).toEqual(['unchanged', 'unchanged']);
  });

  test('nothing is sent when a file is invalid, and every error is listed with its file', async () => {
    const right = file('right.json', { name: 'Right' });
    const wrong = file('wrong.json', {
      name: 'Wrong',
      definiton: {},
      definition: {
        nodes: [{ id: 'a', type: 'trigger' }, { id: 'a', type: 'trigger' }, { id: 'b' }],
        connections: [{ from: 'a', to: 'c' }],
      },
    });
    const { code, stderr } = await one.weft(['apply', right, wrong]);
    expect(code).toBe(5);
    expect(stderr).toContain('wrong.json: definiton');
    expect(stderr).toContain('wrong.json: definition.nodes[2].type');
    const form = file('form.json', {
      name: 'Form',
      definition: {
        nodes: [
          { id: 'a', type: 'trigger' },
          { id: 'a', type: 'trigger' },
        ],
        connections: [{ from: 'a', to: 'c' }],
      },
    });
    const formal = await one.weft(['apply', right, form, '--json']);
    expect(JSON.parse(formal.stderr)).toMatchObject({
      error: {
        code: 'VALIDATION_ERROR',
        details: {
          errors: [
            { field: `${form}: definition.nodes[1].id`, issue: 'a is there twice' },
            { field: `${form}: definition.connections[0].to`, issue: 'there is no node c' },
          ],
        },
      },
    });
    expect((await one.weft(['apply', file('text.json', 'not json')])).stderr).toMatch(
      /text\.json is not valid JSON/,
    );
    expect((await one.weft(['apply', right, right])).stderr).toContain('are both the workflow "Right"');
    expect((await one.client.workflows.list({ search: 'Right' })).workflows).toEqual([]);
  });

  test('a mistyped node type is reported before sending, and rejections of the service after', async () => {
    const where = file('typo.json', {
      name: 'Typo',
      definition: {
        nodes: [manual, { id: 'x', type: 'http_reqest' }],
        connections: [{ from: 'start', to: 'x' }],
      },
    });
    const draft = await one.weft(['apply', where]);
    expect([draft.code, draft.stderr]).toEqual([0, expect.stringContaining('did you mean http_request?')]);
    expect(draft.stderr).toContain('It cannot run yet');
    const active = await one.weft(['apply', file('active.json', { name: 'Typo', status: 'active' })]);
    expect([active.code, active.stderr]).toEqual([5, expect.stringContaining('http_reqest')]);
  });

  test('a dry run exits as the apply would, names every file that is refused, and stores nothing', async () => {
    const node = (type: string) => ({ nodes: [manual, { id: 'x', type }], connections: [] });
    const files = [
      file('dry-good.json', { name: 'Dry good', definition: greeting }),
      file('dry-bad.json', { name: 'Dry bad', status: 'active', definition: node('nope') }),
      file('dry-worse.json', { name: 'Dry worse', status: 'active', definition: node('no') }),
    ];
    const dry = await one.weft(['apply', ...files, '--dry-run']);
    expect(dry.code).toBe(5);
    expect(dry.stdout.split('\n')).toEqual([
      '+ would create  Dry good',
      '! would be refused  Dry bad',
      '! would be refused  Dry worse',
      '',
    ]);
    expect(dry.stderr).toContain('definition.nodes[1]');
    const { code, stdout, stderr } = await one.weft(['apply', ...files, '--dry-run', '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      5,
      {
        dry_run: true,
        results: [
          { action: 'create', id: null },
          { action: 'create', error: { code: 'VALIDATION_ERROR' } },
          { action: 'create', error: { code: 'VALIDATION_ERROR' } },
        ],
      },
    ]);
    expect(JSON.parse(stderr.trim().split('\n').at(-1)!)).toMatchObject({
      error: { code: 'VALIDATION_ERROR' },
    });
    const { pagination } = await one.client.workflows.list({ search: 'Dry' });
    expect(pagination.total).toBe(0);
    expect((await one.weft(['apply', files[1]!])).code).toBe(5);
  });

  test('--detailed-exitcode tells changes from none', async () => {
    const where = file('detailed.json', { name: 'Detailed', definition: greeting });
    const dry = () => one.weft(['apply', where, '--dry-run', '--detailed-exitcode']);
    expect((await dry()).code).toBe(9);
    expect((await one.weft(['apply', where, '--dry-run'])).code).toBe(0);
    expect((await one.weft(['apply', where])).code).toBe(0);
    expect((await dry()).code).toBe(0);
    file('detailed.json', {
      name: 'Detailed',
      status: 'active',
      definition: { nodes: [{ id: 'x', type: 'no' }] },
    });
    expect((await dry()).code).toBe(5);
    const alone = await one.weft(['apply', where, '--detailed-exitcode']);
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('requires --dry-run')]);
  });

  test('a concurrent change is not overwritten', async () => {
    const { id } = await one.client.workflows.create({ name: 'Raced' });
    const where = file('raced.json', [{ name: 'Before' }, { id, name: 'Raced', description: 'mine' }]);
    let isRaced = false;
    // A proxy that lets another client update the workflow between the comparison and the update of this one.
    const proxy = createServer((request, response) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        if (!isRaced && request.method !== 'GET') {
          isRaced = true;
          await one.client.workflows.update(id, { description: 'theirs' });
        }
        const { host: _host, connection: _connection, ...headers } = request.headers;
        const reply = await fetch(new URL(request.url!, one.url), {
          method: request.method!,
          headers: headers as Record<string, string>,
          ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
        });
        const body = await reply.text();
        for (const [name, value] of reply.headers)
          if (!/^(content-(encoding|length)|connection|transfer-encoding)$/.test(name))
            response.setHeader(name, value);
        response.writeHead(reply.status).end(body);
      })();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = proxy.address() as AddressInfo;
      const env = { WEFT_URL: `http://127.0.0.1:${port}/v1`, WEFT_API_KEY: one.key };
      const { code, stderr } = await one.weft(['apply', where], { env });
      expect([code, stderr]).toEqual([5, expect.stringContaining('version')]);
      expect(isRaced).toBe(true);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
    expect((await one.client.workflows.get(id)).description).toBe('theirs');
  });
});

describe('apply --prune', () => {
  const names = async (tag: string) =>
    (await one.client.workflows.list({ tag })).workflows.map(({ name }) => name).toSorted();

  test('deletes what apply created for the group and no file names any more, and nothing else', async () => {
    const folder = path.join(files, 'shop');
    mkdirSync(folder);
    const put = (name: string) =>
      writeFileSync(
        path.join(folder, `${name}.json`),
        JSON.stringify({ name, tags: ['t'], definition: greeting }),
      );
    ['shop-a', 'shop-b', 'shop-c'].forEach(put);
    // There before: apply updates it, and does not own it.
    const { id: older } = await one.client.workflows.create({ name: 'shop-c' });
    const { id: ofOthers } = await one.client.workflows.create({ name: 'other', tags: ['apply:other'] });
    const apply = ['apply', folder, '--group', 'shop'];
    await one.json(apply);
    expect(await names('apply:shop')).toEqual(['shop-a', 'shop-b']);
    // Later runs, with a group or without, keep the tag and see no difference.
    for (const again of [apply, ['apply', folder], [...apply, '--prune', '--yes']])
      expect(new Set((await one.json<Applied>(again)).results.map(({ action }) => action))).toEqual(
        new Set(['unchanged']),
      );
    writeFileSync(
      path.join(folder, 'shop-a.json'),
      JSON.stringify({ name: 'shop-a', tags: ['t', 'u'], definition: greeting }),
    );
    expect((await one.json<Applied>(['apply', folder])).results[0]).toMatchObject({ action: 'update' });
    expect(await names('apply:shop')).toEqual(['shop-a', 'shop-b']);

    rmSync(path.join(folder, 'shop-b.json'));
    rmSync(path.join(folder, 'shop-c.json'));
    const dry = await one.weft([...apply, '--prune', '--dry-run', '--detailed-exitcode']);
    expect([dry.code, dry.stdout]).toEqual([
      9,
      expect.stringMatching(/^= unchanged \w+ {2}shop-a\n- would delete \w+ {2}shop-b \(0 executions\)\n$/),
    ]);
    expect(await names('apply:shop')).toEqual(['shop-a', 'shop-b']);
    const { results } = await one.json<Applied>([...apply, '--prune', '--yes']);
    expect(results).toMatchObject([
      { action: 'unchanged', name: 'shop-a' },
      { action: 'delete', name: 'shop-b', file: null },
    ]);
    expect(await names('apply:shop')).toEqual(['shop-a']);
    expect(await one.client.workflows.get(older)).toMatchObject({ name: 'shop-c' });
    expect(await one.client.workflows.get(ofOthers)).toMatchObject({ name: 'other' });
  });

  test('asks on a terminal before it sends anything; otherwise requires --yes', async () => {
    const first = file('asked.json', { name: 'asked', definition: greeting });
    const second = file('asked-too.json', { name: 'asked too', definition: greeting });
    const apply = (where: string) => ['apply', where, '--group', 'asked'];
    await one.json(apply(first));
    for (const input of ['', 'y\n']) {
      const refused = await one.weft([...apply(second), '--prune'], { input });
      expect([refused.code, refused.stdout, refused.stderr]).toEqual([
        2,
        '',
        expect.stringContaining('--prune requires --yes'),
      ]);
    }
    const declined = await one.weft([...apply(second), '--prune'], { input: 'n\n', isTyped: true });
    expect([declined.code, declined.stdout]).toEqual([1, '']);
    expect(declined.stderr).toMatch(
      /asked \(0 executions\)[\s\S]*Delete this workflow.*\[y\/N\][\s\S]*Nothing was applied/,
    );
    expect(await names('apply:asked')).toEqual(['asked']);
    const allowed = await one.weft([...apply(second), '--prune'], { input: 'y\n', isTyped: true });
    expect(allowed.code, allowed.stderr).toBe(0);
    expect(await names('apply:asked')).toEqual(['asked too']);
    // With nothing to delete there is nothing to ask.
    const nothing = await one.weft([...apply(second), '--prune'], { isTyped: true });
    expect([nothing.code, nothing.stderr]).toEqual([0, '']);
  });

  test('an export does not contain the tag, and wrong usage names what is missing', async () => {
    const where = file('carried.json', { name: 'carried', tags: ['t'], definition: greeting });
    await one.json(['apply', where, '--group', 'carried']);
    const exported = JSON.parse((await one.weft(['export', 'carried'])).stdout) as { tags: string[] };
    expect(exported.tags).toEqual(['t']);
    for (const [args, text] of [
      [['--prune', '--yes'], '--prune needs --group'],
      [['--yes'], '--yes requires --prune'],
      [['--group', 'Shop'], '--group must be'],
    ] as const) {
      const { code, stderr } = await one.weft(['apply', where, ...args]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
    }
  });
});

test('export and apply are each other’s opposite', async () => {
  const { id } = await one.client.workflows.create({
    name: 'Ünder/way: 1',
    description: 'x',
    settings: { timeout: '30s' },
    tags: ['t'],
    definition: { ...greeting, annotations: [{ text: 'note' }] },
  });
  const folder = path.join(one.folder, 'exported');
  const { files: written } = await one.json<{ files: string[] }>(['export', id, '-o', folder]);
  expect(written).toEqual([path.join(folder, 'under-way-1.json')]);
  const single = await one.weft(['export', 'Ünder/way: 1']);
  expect(JSON.parse(single.stdout)).toEqual(JSON.parse(readFileSync(written[0]!, 'utf8')));
  expect((await one.json<Applied>(['apply', folder])).results).toMatchObject([{ action: 'unchanged', id }]);
  await one.client.workflows.delete(id);
  expect((await one.json<Applied>(['apply', folder])).results).toMatchObject([{ action: 'create' }]);
  expect((await one.json<Applied>(['apply', folder])).results).toMatchObject([{ action: 'unchanged' }]);
  const all = JSON.parse((await one.weft(['export', '--all'])).stdout) as object[];
  expect(all.length).toBe((await one.client.workflows.list()).pagination.total);
});
