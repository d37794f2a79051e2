import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WeftError } from '../../../src/contract/errors.ts';
import type { NodeFailure, Outcome } from '../../../src/contract/node-type.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { mcpTool } from '../../../src/nodes/mcp/mcp-tool.node.ts';
import {
  closeRunners,
  createAttempt,
  makeRunner,
  settleAttempt,
  type AttemptSample,
} from '../../support/node-runner.ts';
import { serve } from '../../support/servers/http-server.ts';
import { startMcpServer, type FakeMcpServer, type McpExchange } from '../../support/servers/mcp-server.ts';

const MAX_ATTEMPTS = 10;

let fake: FakeMcpServer;
beforeEach(async () => {
  fake = await startMcpServer([
    {
      name: 'add',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { $ref: '#/$defs/b' } },
        required: ['a'],
        $defs: { b: { type: 'number', minimum: 0 } },
      },
      annotations: { readOnlyHint: true },
      call: ({ message, result }) => {
        const { a, b = 0 } = message.params['arguments'] as { a: number; b?: number };
        result({ content: [], structuredContent: { sum: a + b } });
      },
    },
    { name: 'charge' },
  ]);
});
afterEach(async () => {
  await closeRunners();
  await fake.close();
});

async function run(
  config: JsonObject,
  options: Parameters<typeof makeRunner>[0] = {},
  attempt: AttemptSample = {},
): Promise<Outcome> {
  const { runner } = makeRunner(options);
  return settleAttempt(runner.run(createAttempt(mcpTool, { url: fake.url, ...config }, attempt)));
}
function readOutput(outcome: Outcome): unknown {
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.outputs['out'];
}
function readFailure(outcome: Outcome): NodeFailure {
  if (outcome.kind !== 'failed') throw new Error(JSON.stringify(outcome));
  return outcome.error;
}
const add = { tool: 'add', arguments: { a: 1, b: 2 } };
const textContent = (text: string): JsonObject => ({ content: [{ type: 'text', text }] });

describe('a call', () => {
  test('gives the structured content, in a session of its own that is ended', async () => {
    expect(readOutput(await run(add))).toEqual({ result: { sum: 3 }, files: [], links: [] });
    expect(fake.received.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ]);
    const [call] = fake.calls();
    expect(call?.headers).toMatchObject({
      'mcp-session-id': 'session-2',
      'mcp-protocol-version': '2025-11-25',
    });
    await expect.poll(() => fake.ended).toEqual(['session-1', 'session-2']);
  });

  test('works with the version of the protocol before', async () => {
    await fake.close();
    fake = await startMcpServer(fake.tools, { protocolVersion: '2025-06-18' });
    expect(readOutput(await run(add))).toMatchObject({ result: { sum: 3 } });
    expect(fake.calls()[0]?.headers['mcp-protocol-version']).toBe('2025-06-18');
  });

  test.each([
    ['{"a": [1]}', { a: [1] }],
    ['17', 17],
    ['null', null],
    ['All is well.', 'All is well.'],
    ['[not JSON', '[not JSON'],
    ['', ''],
  ])('gives the text %j as a value', async (text, value) => {
    fake.tools = [{ name: 'say', call: ({ result }) => result(textContent(text)) }];
    expect(readOutput(await run({ tool: 'say' }))).toEqual({ result: value, files: [], links: [] });
  });

  test('saves images, audio and resources as files, and lists links', async () => {
    const data = Buffer.from('bytes').toString('base64');
    const content = [
      { type: 'text', text: 'one' },
      { type: 'image', data, mimeType: 'image/png' },
      { type: 'audio', data, mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a/report.csv', mimeType: 'text/csv', text: 'a;b' } },
      { type: 'resource', resource: { uri: 'demo://x', blob: data } },
      { type: 'resource_link', uri: 'https://example.com/x', name: 'x', mimeType: 'text/html' },
      { type: 'text', text: 'two' },
    ];
    fake.tools = [{ name: 'draw', call: ({ result }) => result({ content }) }];
    const { runner, contents } = makeRunner();
    const outcome = await settleAttempt(runner.run(createAttempt(mcpTool, { url: fake.url, tool: 'draw' })));
    const file = (name: string, content_type: string, size: number) => ({
      $file: { id: expect.any(String) as string, name, content_type, size },
    });
    expect(readOutput(outcome)).toEqual({
      result: 'one\ntwo',
      files: [
        file('image-1.png', 'image/png', 5),
        file('audio-2.wav', 'audio/wav', 5),
        file('report.csv', 'text/csv', 3),
        file('x', 'application/octet-stream', 5),
      ],
      links: [{ uri: 'https://example.com/x', name: 'x', description: null, content_type: 'text/html' }],
    });
    expect([...contents.values()].map((bytes) => Buffer.from(bytes).toString())).toEqual(['bytes', 'a;b']);
  });

  test('logs progress and messages of the server', async () => {
    fake.tools = [
      {
        name: 'work',
        call({ message, notify, result }) {
          const { progressToken } = message.params['_meta'] as { progressToken: number };
          notify('notifications/progress', { progressToken, progress: 1, total: 2, message: 'half' });
          notify('notifications/message', { level: 'critical', logger: 'disk', data: { free: 0 } });
          result(textContent('done'));
        },
      },
    ];
    const log = vi.fn();
    expect(readOutput(await run({ tool: 'work' }, {}, { log }))).toMatchObject({ result: 'done' });
    expect(log.mock.calls).toEqual([
      ['info', 'Progress: 1 of 2: half', { progress: 1, total: 2 }],
      ['error', 'disk: {"free":0}', null],
    ]);
  });

  test('fails with the words of a tool that reports an error', async () => {
    fake.tools = [
      { name: 'buy', call: ({ result }) => result({ ...textContent('The shop is closed.'), isError: true }) },
    ];
    expect(readFailure(await run({ tool: 'buy' }))).toMatchObject({
      type: 'client_error',
      message: 'The shop is closed.',
    });
  });

  test('fails with the error of the protocol', async () => {
    fake.tools = [{ name: 'buy', call: ({ error }) => error(-32_602, 'No such article') }];
    expect(readFailure(await run({ tool: 'buy' }))).toMatchObject({
      type: 'client_error',
      message: `127.0.0.1:${fake.port} responded with the error -32602: No such article`,
      data: { code: -32_602 },
    });
  });
});

describe('arguments', () => {
  test.each([
    [{ a: 'x' }, 'arguments.a: must be a number'],
    [{}, 'arguments.a: is required'],
    [{ a: 1, b: -1 }, 'arguments.b: must be at least 0'],
  ])('that do not fit are refused before the call: %j', async (given, message) => {
    expect(readFailure(await run({ tool: 'add', arguments: given }))).toMatchObject({
      type: 'validation',
      message,
    });
    expect(fake.calls()).toEqual([]);
  });

  test('a tool that the server does not have is refused with those that it has', async () => {
    expect(readFailure(await run({ tool: 'subtract' }))).toMatchObject({
      type: 'validation',
      message: 'tool: must be a tool of the server: add, charge',
    });
  });

  test('a tool that was added since the list was cached is found', async () => {
    const { runner } = makeRunner();
    const call = (config: JsonObject) =>
      settleAttempt(runner.run(createAttempt(mcpTool, { url: fake.url, ...config })));
    readOutput(await call(add));
    readOutput(await call(add));
    expect(fake.received.filter(({ method }) => method === 'tools/list')).toHaveLength(1);
    fake.tools = [...fake.tools, { name: 'new' }];
    expect(readOutput(await call({ tool: 'new' }))).toMatchObject({ result: 'done' });
  });

  test('calls at the same time share one request for the list', async () => {
    const { runner } = makeRunner();
    const attempt = () => runner.run(createAttempt(mcpTool, { url: fake.url, ...add }));
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => settleAttempt(attempt())));
    expect(outcomes.map(readOutput)).toEqual(
      Array.from({ length: 20 }, () => ({ result: { sum: 3 }, files: [], links: [] })),
    );
    expect(fake.received.filter(({ method }) => method === 'tools/list')).toHaveLength(1);
  });

  test('more calls than connections to a server that keeps a stream open for each', async () => {
    fake.keepsStreams = true;
    const { runner } = makeRunner();
    const attempt = () => runner.run(createAttempt(mcpTool, { url: fake.url, ...add }));
    await settleAttempt(attempt());
    const outcomes = await Promise.all(Array.from({ length: 150 }, () => settleAttempt(attempt())));
    expect(outcomes.filter(({ kind }) => kind !== 'done')).toEqual([]);
    expect(fake.mostStreams).toBeGreaterThan(1);
    expect(fake.mostStreams).toBeLessThanOrEqual(32);
  });

  test('all pages of the list are read', async () => {
    await fake.close();
    const tools = Array.from({ length: 25 }, (_, i) => ({ name: `tool-${i}` }));
    fake = await startMcpServer(tools, { pageSize: 10 });
    expect(readOutput(await run({ tool: 'tool-24' }))).toMatchObject({ result: 'done' });
  });

  test('a tool that only runs as a task is refused', async () => {
    fake.tools = [{ name: 'research', execution: { taskSupport: 'required' } }];
    expect(readFailure(await run({ tool: 'research' })).message).toBe(
      'tool: must not be research: it only runs as a task',
    );
  });
});

describe('after a crash', () => {
  const interrupted = { interruptions: 1 };
  test('a tool that is read-only is called again', async () => {
    expect(readOutput(await run(add, {}, interrupted))).toMatchObject({ result: { sum: 3 } });
  });

  test('any other is not, unless the node says so', async () => {
    const failure = readFailure(await run({ tool: 'charge' }, {}, interrupted));
    expect(failure).toMatchObject({ type: 'interrupted', retryable: false });
    expect(fake.calls()).toEqual([]);
    readOutput(await run({ tool: 'charge', afterCrash: 'repeat' }, {}, interrupted));
    expect(fake.calls()).toHaveLength(1);
    expect(readFailure(await run({ ...add, afterCrash: 'fail' }, {}, interrupted)).type).toBe('interrupted');
  });
});

test('a call whose files cannot be saved is not repeated, unless the tool may be', async () => {
  const data = Buffer.from('bytes').toString('base64');
  const content = [{ type: 'image', data, mimeType: 'image/png' }];
  fake.tools = [
    { name: 'charge', call: ({ result }) => result({ content }) },
    { name: 'read', annotations: { readOnlyHint: true }, call: ({ result }) => result({ content }) },
  ];
  const unavailable = (): Promise<never> => Promise.reject(new WeftError('STORAGE_UNAVAILABLE'));
  const files = {
    put: unavailable,
    write: unavailable,
    open: unavailable,
    get: unavailable,
    remove: unavailable,
  };
  expect(readFailure(await run({ tool: 'charge' }, { files }))).toMatchObject({
    type: 'interrupted',
    message: 'charge was called, but the files of its result could not be saved.',
  });
  await expect(run({ tool: 'read' }, { files })).rejects.toThrow('deferred');
});

describe('the end of a call', () => {
  /** A tool that starts a stream and then does nothing. */
  const hang = {
    name: 'hang',
    call: ({ notify }: McpExchange) => notify('notifications/message', { level: 'info', data: 'started' }),
  };
  const isCancelled = () => fake.received.find(({ method }) => method === 'notifications/cancelled');

  test('by its time limit is reported to the server', async () => {
    fake.tools = [hang];
    const failure = readFailure(await run({ tool: 'hang', timeout: '2s' }));
    expect(failure).toMatchObject({
      type: 'timeout',
      message: `127.0.0.1:${fake.port} did not respond within 2000 ms`,
    });
    const [call] = fake.calls();
    await expect.poll(() => isCancelled()?.params).toMatchObject({ requestId: call?.id });
    await expect.poll(() => fake.ended).toContain('session-2');
  });

  test('of the execution is reported to the server within 300 ms, with its credentials', async () => {
    fake.tools = [hang];
    const authentication = { type: 'bearer', token: '{{ secrets.T }}' };
    const secrets = { T: { value: 'token-17', hosts: [`127.0.0.1:${fake.port}`] } };
    const cancellations = () => fake.received.filter(({ method }) => method === 'notifications/cancelled');
    let shortest = Infinity;
    // On a busy machine, one of several attempts is not interrupted by other processes.
    for (let n = 1; n <= MAX_ATTEMPTS && shortest >= 300; n++) {
      const stop = new AbortController();
      const running = run({ tool: 'hang', authentication }, { secrets }, { signal: () => stop.signal });
      await expect.poll(() => fake.calls(), { interval: 5 }).toHaveLength(n);
      const began = performance.now();
      stop.abort();
      expect(readFailure(await running).type).toBe('stopped');
      await expect.poll(cancellations, { interval: 5 }).toHaveLength(n);
      shortest = Math.min(shortest, performance.now() - began);
      expect(cancellations().at(-1)?.headers['authorization']).toBe('Bearer token-17');
    }
    expect(shortest).toBeLessThan(300);
  });

  test('by a server that disconnects is a network failure at once', async () => {
    fake.tools = [
      {
        name: 'drop',
        call({ notify, response }) {
          notify('notifications/message', { level: 'info', data: 'started' });
          response.end();
        },
      },
      { name: 'reset', call: ({ response }) => void response.destroy() },
    ];
    expect(readFailure(await run({ tool: 'drop' }))).toMatchObject({
      type: 'network',
      message: `127.0.0.1:${fake.port} closed the connection before it responded`,
    });
    expect(readFailure(await run({ tool: 'reset' })).type).toBe('network');
  });

  test('does not come by a stream that the server can resume', async () => {
    let id: number | string = 0;
    fake.tools = [
      {
        name: 'pause',
        call(answer) {
          ({ id } = answer);
          answer.response.writeHead(200, { 'content-type': 'text/event-stream' });
          answer.response.end('id: event-17\nretry: 10\ndata:\n\n');
        },
      },
    ];
    fake.resume = (lastEventId, response) => {
      const text = `after ${lastEventId}`;
      const result = { jsonrpc: '2.0', id, result: textContent(text) };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`id: event-18\ndata: ${JSON.stringify(result)}\n\n`);
    };
    expect(readOutput(await run({ tool: 'pause' }))).toMatchObject({ result: 'after event-17' });
    expect(fake.calls()).toHaveLength(1);
  });

  test.each([404, 405])('comes when the server refuses to resume its stream with %i', async (status) => {
    fake.tools = [
      {
        name: 'pause',
        call({ response }) {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.end('id: event-17\nretry: 10\ndata:\n\n');
        },
      },
    ];
    fake.resume = (_lastEventId, response) => void response.writeHead(status).end();
    expect(readFailure(await run({ tool: 'pause' }))).toMatchObject({
      type: 'network',
      message: `127.0.0.1:${fake.port} closed the connection before it responded`,
    });
  });

  test('by a response that is too large is a limit', async () => {
    const large = 'x'.repeat(1024 * 1024);
    fake.tools = [
      {
        name: 'flood',
        async call({ response }) {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          for (let i = 0; i < 80 && !response.destroyed; i++) {
            if (!response.write(`: ${large}\n`))
              await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
          }
        },
      },
      {
        name: 'announce',
        call: ({ response }) =>
          void response
            .writeHead(200, { 'content-type': 'application/json', 'content-length': 2 ** 30 })
            .write('{'),
      },
    ];
    for (const tool of ['flood', 'announce'])
      expect(readFailure(await run({ tool }))).toMatchObject({
        type: 'limit',
        message: `127.0.0.1:${fake.port} responded with more than 67108864 bytes`,
      });
  });

  test('by something else than an MCP server says so', async () => {
    const other = await serve((_request, response) => response.end('<html>'));
    const failure = readFailure(await run({ url: other.url, tool: 'x' }));
    expect(failure.type).toBe('client_error');
    expect(failure.message).toMatch(/^127.0.0.1:\d+ does not respond as an MCP server: /);
    await other.close();
  });
});

describe('the egress policy', () => {
  test('refuses a private address', async () => {
    const failure = readFailure(await run(add, { allowedHosts: 'example.com' }));
    expect(failure.type).toBe('forbidden');
    expect(fake.received).toEqual([]);
  });

  test('sends a secret only to its hosts, also when the server redirects', async () => {
    const secrets = { T: { value: 'token-17', hosts: ['api.example.com'] } };
    const authentication = { type: 'header', name: 'X-Key', value: '{{ secrets.T }}' };
    const failure = readFailure(await run({ ...add, authentication }, { secrets }));
    expect(failure).toMatchObject({ type: 'forbidden' });
    expect(fake.received).toEqual([]);
    const other = await serve((_request, response) => response.end());
    fake.intercept = (_message, response) => {
      response.writeHead(307, { location: other.url }).end();
      return true;
    };
    const here = { T: { value: 'token-17', hosts: [`127.0.0.1:${fake.port}`] } };
    const moved = readFailure(await run({ ...add, authentication }, { secrets: here }));
    expect(moved.message).toContain(`Redirect to ${other.url}/ not followed`);
    expect(other.received).toEqual([]);
    await other.close();
  });

  test('a secret that the server repeats is redacted in errors and the log', async () => {
    fake.tools = [
      {
        name: 'echo',
        call({ message, notify, result }) {
          const text = `You sent ${message.headers['authorization']}`;
          notify('notifications/message', { level: 'info', data: text });
          result({ ...textContent(text), isError: true });
        },
      },
    ];
    const log = vi.fn();
    const failure = readFailure(
      await run(
        { tool: 'echo', authentication: { type: 'bearer', token: '{{ secrets.T }}' } },
        { secrets: { T: { value: 'token-17', hosts: null } } },
        { log },
      ),
    );
    expect(failure.message).toBe('You sent Bearer •••');
    expect(log).toHaveBeenCalledWith('info', 'You sent Bearer •••', null);
  });
});

describe('a server that refuses the caller', () => {
  const metadata = { resource: '', authorization_servers: ['https://login.example.com'] };
  const refuse = (status: number, header: string) => {
    fake.intercept = (_message, response) => {
      response.writeHead(status, { 'www-authenticate': header }).end();
      return true;
    };
  };

  test('the error names its authorization server and scope', async () => {
    const well = await serve((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...metadata, resource: fake.url }));
    });
    refuse(401, `Bearer resource_metadata="${well.url}/meta", scope="tools:run"`);
    expect(readFailure(await run(add))).toMatchObject({
      type: 'client_error',
      status: 401,
      message: `127.0.0.1:${fake.port} responded with 401: authentication is required. Use a connection or a token of the authorization server https://login.example.com with the scope tools:run`,
    });
    expect(well.received.map(({ url }) => url)).toEqual(['/meta']);
    await well.close();
  });

  test('metadata at a private address is not read', async () => {
    refuse(401, 'Bearer resource_metadata="http://169.254.169.254/meta"');
    expect(readFailure(await run(add)).message).toBe(
      `127.0.0.1:${fake.port} responded with 401: authentication is required. Use a connection or a token`,
    );
  });

  test('a token that was refused is renewed once', async () => {
    const tokens: string[] = [];
    fake.intercept = ({ headers }, response) => {
      tokens.push(String(headers['authorization']));
      if (headers['authorization'] === 'Bearer token-new') return false;
      response.writeHead(401).end();
      return true;
    };
    const outcome = await run(
      { ...add, authentication: { type: 'connection', connection: 'HUB' } },
      {
        tokens: {
          ofGrant: () => Promise.reject(new Error('not used')),
          ofConnection: (_owner, _name, refused) => {
            const token = refused === null ? 'token-old' : 'token-new';
            return Promise.resolve({
              token,
              apiUrl: null,
              hosts: null,
              secrets: [token],
              credentials: { headers: { authorization: `Bearer ${token}` }, query: {} },
              fields: null,
            });
          },
        },
      },
    );
    expect(readOutput(outcome)).toMatchObject({ result: { sum: 3 } });
    expect(tokens.slice(0, 3)).toEqual(['Bearer token-old', 'Bearer token-new', 'Bearer token-new']);
  });
});
