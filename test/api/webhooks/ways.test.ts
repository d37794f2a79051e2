import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawnService, type SpawnedService, createTempFolder, type Call } from '../../support/service.ts';
import { createEchoWorkflow } from '../definitions.ts';

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
  await api('PUT', '/secrets/HOOK_USER', { body: { value: 'user:word' } });
});
afterAll(async () => {
  await weft.stop();
  folder.remove();
});

type Raw = { status: string; headers: Record<string, string>; body: string };

/** One call whose body has a length or arrives in chunks. */
async function call(framing: 'length' | 'chunks', path: string, body: string, headers: string): Promise<Raw> {
  const { hostname, port } = new URL(weft.url);
  const rest =
    framing === 'length'
      ? `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
      : `Transfer-Encoding: chunked\r\n\r\n${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const text = await new Promise<string>((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname);
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
    socket.write(
      `POST /v1/webhooks/${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}${rest}`,
    );
  });
  const [head = '', content = ''] = text.split('\r\n\r\n', 2);
  const [status = '', ...lines] = head.split('\r\n');
  const all = Object.fromEntries(
    lines.map((line) => [line.split(': ')[0]!.toLowerCase(), line.slice(line.indexOf(': ') + 2)]),
  );
  return { status, headers: all, body: content };
}

/** Without the parts that differ in every response. */
function lasting({ status, headers, body }: Raw): Raw {
  const ids = ['x-request-id', 'x-weft-execution-id'];
  const same = Object.entries(headers).map(([name, value]) => [
    name,
    ids.includes(name) ? value.split('_')[0] : value,
  ]);
  return {
    status,
    headers: { ...Object.fromEntries(same.toSorted(([a], [b]) => (a! < b! ? -1 : 1))), date: '' },
    body: body.replaceAll(/(ex|file)_\w+/g, '$1_'),
  };
}

const respond = (endpoint: string, config: object) => ({
  nodes: [
    {
      id: 'in',
      type: 'trigger',
      config: {
        triggerType: 'webhook',
        endpoint,
        method: 'POST',
        authentication: 'none',
        respond: 'respond',
      },
    },
    { id: 'out', type: 'respond', config },
  ],
  connections: [{ from: 'in', to: 'out' }],
});

test('the response is the same for a body with a length and in chunks', async () => {
  const definitions = [
    createEchoWorkflow('echo'),
    createEchoWorkflow('guarded', { authentication: 'basic', secret: 'HOOK_USER' }),
    createEchoWorkflow('at-once', { respond: 'immediately' }),
    respond('text', { status: 202, headers: { 'X-Mine': 'a' }, body: 'some text' }),
    respond('nothing', { status: 204 }),
    {
      nodes: [
        {
          id: 'in',
          type: 'trigger',
          config: {
            triggerType: 'webhook',
            endpoint: 'fails',
            method: 'POST',
            authentication: 'none',
            respond: 'on_completion',
          },
        },
        { id: 'end', type: 'stop', config: { outcome: 'failed', message: 'no' } },
      ],
      connections: [{ from: 'in', to: 'end' }],
    },
  ];
  for (const definition of definitions) {
    const made = await api('POST', '/workflows', { body: { name: 'x', definition, status: 'active' } });
    expect(made.status, made.text).toBe(201);
  }
  const json = 'Content-Type: application/json\r\n';
  const seen: string[] = [];
  for (const [path, body, headers] of [
    ['echo', '{"a":1}', json],
    ['echo', '{"a":', json],
    ['echo', 'plain', 'Content-Type: text/plain\r\n'],
    ['echo', '\u0000\u00ff', 'Content-Type: application/octet-stream\r\n'],
    ['echo?a=1', 'a=1&b=2', 'Content-Type: application/x-www-form-urlencoded\r\n'],
    ['at-once', '{}', json],
    ['text', '{}', json],
    ['nothing', '{}', json],
    ['fails', '{}', json],
    ['guarded', '{}', json],
    ['guarded', '{}', `${json}Authorization: Basic ${Buffer.from('user:word').toString('base64')}\r\n`],
    ['guarded', '{}', `${json}Authorization: Basic ${Buffer.from('user:no').toString('base64')}\r\n`],
    ['unknown', '{}', json],
    ['%zz', '{}', json],
    ['echo', '{}', `${json}Content-Encoding: gzip\r\n`],
  ] as const) {
    const withLength = lasting(await call('length', path, body, headers));
    expect(withLength, `${path} ${body} ${headers}`).toEqual(
      lasting(await call('chunks', path, body, headers)),
    );
    seen.push(withLength.status.split(' ')[1]!);
  }
  expect(new Set(seen)).toEqual(new Set(['200', '202', '204', '400', '401', '404', '500']));
});

test.each(['', 'json', 'undefined', 'text/; charset', 'text/plain', 'no header'])(
  'a body is taken whatever its type is: %j',
  async (type) => {
    const endpoint = `typed-${Buffer.from(type).toString('hex')}`;
    await api('POST', '/workflows', {
      body: { name: endpoint, definition: createEchoWorkflow(endpoint), status: 'active' },
    });
    const header = type === 'no header' ? '' : `Content-Type: ${type}\r\n`;
    const withLength = lasting(await call('length', endpoint, 'some text', header));
    expect(withLength.status).toBe('HTTP/1.1 200 OK');
    expect(lasting(await call('chunks', endpoint, 'some text', header))).toEqual(withLength);
  },
);
