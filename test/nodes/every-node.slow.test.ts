import { afterEach, describe, expect, test } from 'vitest';
import type { NodeType } from '../../src/contract/node-type.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { builtinNodes } from '../../src/nodes/registry.ts';
import { createAttempt, closeRunners, makeRunner } from '../support/node-runner.ts';
import { serve, type TestServer } from '../support/servers/http-server.ts';

/*
 * Runs every node type with large and with odd input, also in each field that accepts a template.
 * test/crash/every-node.test.ts interrupts every node type.
 */

let server: TestServer | null = null;
afterEach(async () => {
  await closeRunners();
  await server?.close();
  server = null;
});

const odd: readonly Json[] = [
  null,
  true,
  -0,
  1e308,
  '',
  'NaN',
  '\u0000',
  '\uD800',
  '{{ secrets.KEY }}',
  'x'.repeat(10_000),
  [],
  {},
  [null],
  [[[]]],
  JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as Json,
  JSON.parse(`${'{"a":['.repeat(30)}1${']}'.repeat(30)}`) as Json,
  { toString: null, valueOf: 1, length: -1 },
];

/** Types that need the engine, people or sandbox processes. */
const excludedTypes = new Set([
  'trigger',
  'sub_workflow',
  'wait_for_event',
  'approval',
  'form',
  'notify',
  'error_handler',
  'code',
]);
/** The engine runs the bodies of nodes with `control`. */
const isRun = (type: NodeType): boolean => type.control === undefined && !excludedTypes.has(type.type);
const types = builtinNodes.filter(isRun);

/** A configuration in which every field that accepts a template contains the whole input. */
function makeInvalid(type: NodeType, config: JsonObject, url: string): JsonObject {
  const host = url.slice(7);
  const servers: Record<string, JsonObject> = {
    email: { credentials: `smtp://${host}` },
    postgres: { credentials: `postgres://u:p@${host}/db` },
    mysql: { credentials: `mysql://u:p@${host}/db`, timeout: '500ms' },
    redis: { credentials: `redis://u:p@${host}/0` },
    s3: {
      credentials: JSON.stringify({ access_key_id: 'id-17', secret_access_key: 'key-17' }),
      endpoint: url,
    },
  };
  const credentials: JsonObject = servers[type.type] ?? {
    credentials: JSON.stringify({ base_url: url, instance_url: url, token: 'token-17' }),
  };
  const fixed: JsonObject = 'credentials' in config ? credentials : 'url' in config ? { url } : {};
  const copy: JsonObject = { ...structuredClone(config), ...fixed };
  for (const [name, value] of Object.entries(copy)) {
    const mode = type.templates?.[name];
    if (mode !== undefined || name in fixed || typeof value !== 'string') continue;
    copy[name] = '{{ input }}';
  }
  return copy;
}

test('all types are here, or tested where their other side is', () => {
  expect(types.length).toBeGreaterThan(25);
  for (const type of excludedTypes) expect(builtinNodes.map((node) => node.type)).toContain(type);
});

describe.each(types.map((type) => [type.type, type] as const))('%s', (_name, type) => {
  test('for any input: a result that can be stored, or a failure with the reason', async () => {
    server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
    const { runner, errors } = makeRunner({ allowedHosts: '127.0.0.1' });
    const wrong: string[] = [];
    for (const example of type.examples.slice(0, 3))
      for (const isSpoiled of [false, true]) {
        const url = `http://127.0.0.1:${server.port}`;
        const config = makeInvalid(type, example.config, url);
        for (const input of odd) {
          const before = JSON.stringify(input);
          const attempt = createAttempt(type, isSpoiled ? config : example.config, { input, timeout: 2_000 });
          // What an example calls is not there.
          if (!isSpoiled && type.effects === 'external' && type.type !== 'crypto') continue;
          const outcome = await runner.run(attempt);
          const at = `${JSON.stringify(example.config).slice(0, 150)} with ${before.slice(0, 60)}`;
          if (JSON.stringify(input) !== before) wrong.push(`${at}: changed what arrived`);
          if (outcome.kind === 'done' && typeof JSON.stringify(outcome.outputs) !== 'string') wrong.push(at);
          if (outcome.kind !== 'failed') continue;
          const { type: kind, message } = outcome.error;
          if (kind === 'internal' || message.length < 5 || /undefined|\[object/.test(message))
            wrong.push(`${at}: ${kind}: ${message}${kind === 'internal' ? ` ${String(errors.at(-1))}` : ''}`);
        }
      }
    expect(wrong).toEqual([]);
    expect(errors).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('2 MB: done, or a bound that it names', async () => {
    server = await serve((request, response) => {
      request.resume().on('end', () => {
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ ok: true, a: 'y'.repeat(2e6) }));
      });
    });
    const { runner, errors } = makeRunner({ allowedHosts: '127.0.0.1' });
    const example = type.examples.find(({ failure }) => failure === undefined);
    if (example === undefined) throw new Error('has no example that succeeds');
    const rows = Array.from({ length: 10_000 }, (_, i) => ({
      id: i,
      name: `n${i}`,
      price: i,
      text: 'x'.repeat(150),
    }));
    const url = `http://127.0.0.1:${server.port}`;
    for (const input of [
      rows,
      'x'.repeat(2e6),
      { text: 'x'.repeat(2e6), items: rows },
    ] as unknown as Json[]) {
      const config =
        type.effects === 'external' && type.type !== 'crypto'
          ? makeInvalid(type, example.config, url)
          : example.config;
      const start = performance.now();
      const outcome = await runner.run(createAttempt(type, config, { input, timeout: 3_000 }));
      expect(performance.now() - start).toBeLessThan(20_000);
      if (outcome.kind !== 'failed') continue;
      expect(outcome.error.type).not.toBe('internal');
      expect(outcome.error.message.length).toBeLessThan(2_000);
    }
    expect(errors).toEqual([]);
  });
});

/** An example's lists, repeated to 100,000 elements; their keys made different. */
function enlarged(input: Json): Json {
  if (Array.isArray(input) && input.length > 0)
    return Array.from({ length: 100_000 }, (_, i) => {
      const element = input[i % input.length] ?? null;
      return typeof element === 'object' && element !== null && 'sku' in element
        ? { ...element, sku: `${i}` }
        : element;
    });
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, Array.isArray(value) ? enlarged(value) : value]),
  );
}

test('what works in slices ends within one when the execution is stopped or its time is up', async () => {
  const { runner } = makeRunner();
  const stopped = new Set<string>();
  const late = new Set<string>();
  for (const type of types.filter(({ category }) => category === 'data'))
    for (const example of type.examples.filter(({ failure }) => failure === undefined)) {
      const input = enlarged(example.input);
      const end = new AbortController();
      const running = runner.run(
        createAttempt(type, example.config, { input, signal: () => end.signal, timeout: null }),
      );
      // What is done at once is met in the middle by nothing.
      if (!(running instanceof Promise)) continue;
      const start = performance.now();
      end.abort();
      const outcome = await running;
      expect(performance.now() - start).toBeLessThan(4_000);
      if (outcome.kind === 'failed' && outcome.error.type === 'stopped') stopped.add(type.type);
      const second = await runner.run(createAttempt(type, example.config, { input, timeout: 1 }));
      if (second.kind === 'failed' && second.error.type === 'timeout') late.add(type.type);
    }
  for (const type of [
    'set',
    'sort',
    'filter',
    'remove_duplicates',
    'rename',
    'pick',
    'split',
    'aggregate',
    'compare',
  ]) {
    expect([...stopped]).toContain(type);
    expect([...late]).toContain(type);
  }
});
