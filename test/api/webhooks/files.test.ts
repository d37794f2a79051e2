import { readdirSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useService } from '../../support/use-service.ts';
import { waitUntil, type ApiResponse } from '../../support/service.ts';
import { createEchoWorkflow } from '../definitions.ts';

type Reference = { $file: { id: string; name: string; content_type: string; size: number } };

const PNG = Buffer.from('89504e470d0a1a0a00ff', 'hex');
const service = useService();
const { api, folder } = service;

beforeAll(async () => {
  await api('PUT', '/secrets/TOKEN', { body: { value: 'the token of the hook' } });
});

async function activate(endpoint: string, config: object = {}, more: object[] = []): Promise<void> {
  const definition = createEchoWorkflow(endpoint, {
    authentication: 'bearer',
    secret: 'TOKEN',
    ...config,
  }) as {
    nodes: object[];
    connections: object[];
  };
  definition.nodes.push(...more);
  if (more.length > 0) {
    definition.nodes.splice(1, 1);
    definition.connections = [{ from: 'hook', to: 'send' }];
  }
  const response = await api('POST', '/workflows', {
    body: { name: endpoint, definition, status: 'active' },
  });
  expect(response.status, response.text).toBe(201);
}

function post(endpoint: string, raw: Uint8Array, headers: Record<string, string>): Promise<ApiResponse> {
  return service.weft.call('POST', `/webhooks/${endpoint}`, {
    raw,
    headers: { authorization: 'Bearer the token of the hook', ...headers },
  });
}

async function encode(form: FormData): Promise<{ raw: Buffer; type: string }> {
  const request = new Response(form);
  return { raw: Buffer.from(await request.arrayBuffer()), type: request.headers.get('content-type') ?? '' };
}

function upload(): FormData {
  const form = new FormData();
  form.append('title', 'A picture');
  form.append('photo', new Blob([PNG], { type: 'image/png' }), 'me.png');
  return form;
}

const contents = (): string[] =>
  readdirSync(path.join(folder.path, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

test('a call that does not pass every check stores nothing', async () => {
  await activate('strict', { expectedSchema: { title: 'string', photo: 'object' } });
  const { raw, type } = await encode(upload());
  expect((await post('strict', raw, { 'content-type': type, authorization: 'Bearer wrong' })).status).toBe(
    401,
  );
  const wrong = new FormData();
  wrong.append('photo', new Blob([PNG]), 'me.png');
  const schema = await encode(wrong);
  const refused = await post('strict', schema.raw, { 'content-type': schema.type });
  expect([refused.status, (refused.body as { error: { details: object } }).error.details]).toMatchObject([
    400,
    { field: 'title' },
  ]);
  const broken = await post('strict', raw.subarray(0, -8), { 'content-type': type });
  expect([broken.status, broken.text]).toEqual([400, expect.stringContaining('part 2 has no end')]);
  expect(contents()).toEqual([]);
});

test('the files of a form are references, kept with the execution; a repeat stores nothing', async () => {
  await activate('form');
  const { raw, type } = await encode(upload());
  const headers = { 'content-type': type, 'x-github-delivery': 'one' };
  const response = await post('form', raw, headers);
  expect(response.status, response.text).toBe(200);
  const { title, photo } = (response.body as { body: { title: string; photo: Reference } }).body;
  expect(title).toBe('A picture');
  expect(photo.$file).toMatchObject({ name: 'me.png', content_type: 'image/png', size: PNG.length });
  const fetched = await api('GET', `/files/${photo.$file.id}`);
  expect([fetched.status, fetched.headers.get('content-type')]).toEqual([200, 'image/png']);

  const other = new FormData();
  other.append('photo', new Blob(['other bytes']), 'me.png');
  const again = await encode(other);
  const before = contents();
  const repeat = await post('form', again.raw, { ...headers, 'content-type': again.type });
  expect(repeat.headers.get('x-weft-execution-id')).toBe(response.headers.get('x-weft-execution-id'));
  expect(contents()).toEqual(before);
});

test('a binary body is one file, and is sent to another service unchanged', async () => {
  await activate('echo-bytes', { respond: 'on_completion' });
  const send = {
    id: 'send',
    type: 'http_request',
    config: {
      method: 'POST',
      url: `${service.weft.url}/webhooks/echo-bytes`,
      authentication: { type: 'bearer', token: '{{ secrets.TOKEN }}' },
      files: { doc: { content: '{{ input.body }}' } },
    },
  };
  await activate('relay', {}, [send]);
  await activate('relay-json', {}, [send]);
  const response = await post('relay', PNG, {
    'content-type': 'image/png',
    'content-disposition': `attachment; filename*=UTF-8''gr%C3%BC%C3%9Fe.png`,
  });
  expect(response.status, response.text).toBe(200);
  const { doc } = (response.body as { body: { body: { doc: Reference } } }).body.body;
  expect(doc.$file).toMatchObject({ name: 'grüße.png', content_type: 'image/png', size: PNG.length });
  expect((await api('GET', `/files/${doc.$file.id}`)).status).toBe(200);

  // A retry has the files of the original execution.
  const id = response.headers.get('x-weft-execution-id') ?? '';
  const retry = await api('POST', `/executions/${id}/retry`, { body: { from: 'start' } });
  expect(retry.status, retry.text).toBe(201);
  const { id: second } = retry.body as { id: string };
  await waitUntil(
    () => api('GET', `/executions/${second}`),
    ({ body }) => (body as { status: string }).status === 'completed',
  );

  // A caller cannot name a file of another execution.
  const theft = await post('relay-json', Buffer.from(JSON.stringify(doc)), {
    'content-type': 'application/json',
  });
  expect([theft.status, (theft.body as { error: { code: string } }).error.code]).toEqual([
    500,
    'EXECUTION_FAILED',
  ]);
});

test('the first node reads an uploaded file, although it has no effects and could start before the commit', async () => {
  const config = { operation: 'parse', value: '{{ input.body.rows }}' };
  await activate('rows', { respond: 'on_completion' }, [{ id: 'send', type: 'csv', config }]);
  const posts = Array.from({ length: 20 }, async (_, i) => {
    const form = new FormData();
    form.append('rows', new Blob([`n\n${i}\n`], { type: 'text/csv' }), 'rows.csv');
    const { raw, type } = await encode(form);
    return post('rows', raw, { 'content-type': type });
  });
  for (const [i, response] of (await Promise.all(posts)).entries()) {
    expect(response.status, response.text).toBe(200);
    expect(response.text).toContain(`"n":"${i}"`);
  }
});
