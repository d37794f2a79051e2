import { buildSchema } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorCatalog } from '../../src/contract/errors.ts';
import { isObject } from '../../src/lib/json/json.ts';
import { mutate, serialize } from './malformed-json.ts';
import { chooseSeed, createSeededRandom, readNumber } from '../support/seeded-random.ts';
import { createDocuments } from './graphql-documents.ts';
import { createHttpClient, type FuzzResponse, type FuzzRequest } from './http-client.ts';
import { containsCanary } from './response-invariants.ts';
import { startFuzzService, type CredentialName, type FuzzService } from './fuzz-service.ts';

const seed = chooseSeed('FUZZ_SEED');
const requests = readNumber('FUZZ_REQUESTS', 2_000);
const CONCURRENCY = 8;
const MAX_MEMORY_BYTES = 700 * 1024 * 1024;
/** Maximum duration of a response in ms on a busy machine. */
const TIMEOUT_MS = 8_000;
const callers: readonly CredentialName[] = [
  'none',
  'member',
  'member',
  'member',
  'admin',
  'narrow_key',
  'full_key',
  'wrong',
];

let service: FuzzService;
beforeAll(async () => {
  service = await startFuzzService(`canary${seed}canary`);
});
afterAll(() => service.stop());

type Fuzzed = FuzzRequest & { credential: CredentialName; isValid: boolean };

test('GraphQL: every response keeps the invariants', { timeout: 3_600_000 }, async () => {
  const schema = buildSchema(await (await fetch(`${service.url}/schema.graphql`)).text());
  const documents = createDocuments(schema, service);
  const client = createHttpClient(service.port, CONCURRENCY);
  const random = createSeededRandom(seed);
  const statuses = new Map<number, number>();
  const problems: string[] = [];
  let [count, whole, partial, most, slowest] = [0, 0, 0, 0, 0];

  function next(): Fuzzed {
    const { query, variables, isValid } = documents.next(random);
    const credential = random.pick(callers);
    const headers: Record<string, string> = {
      ...(service.getHeaders(credential) as Record<string, string>),
      accept: random.pick([
        'application/json',
        'application/graphql-response+json',
        '*/*',
        'text/event-stream',
        'text/html',
        'application/xml',
      ]),
    };
    const path = '/v1/graphql';
    if (isValid && random.is(0.1) && query.startsWith('query') && query.length < 5_000) {
      const text = new URLSearchParams({
        query,
        variables: serialize(variables).slice(0, 4_000).toWellFormed(),
      });
      return {
        method: 'GET',
        path: `${path}?${text.toString()}`,
        headers,
        body: null,
        credential,
        isValid: false,
      };
    }
    const request = { query, variables, ...(random.is(0.1) ? { operationName: random.text(10) } : {}) };
    const isBent = random.is(0.15);
    const body = Buffer.from(serialize(isBent ? mutate(request, random) : request));
    headers['content-type'] = random.is(0.97)
      ? 'application/json'
      : random.pick(['application/graphql', 'text/plain', 'application/x-www-form-urlencoded', '']);
    headers['content-length'] = String(body.length);
    return { method: 'POST', path, headers, body, credential, isValid: isValid && !isBent };
  }

  async function send(sent: Fuzzed): Promise<void> {
    count++;
    const began = performance.now();
    let received: FuzzResponse;
    try {
      received = await client.send(sent);
    } catch (error) {
      if (sent.body === null || sent.body.length < 60_000)
        reportViolation(sent, null, `no response: ${String(error)}`);
      return;
    }
    const took = performance.now() - began;
    slowest = Math.max(slowest, took);
    statuses.set(received.status, (statuses.get(received.status) ?? 0) + 1);
    const problem =
      took > TIMEOUT_MS ? `it took ${Math.round(took)} ms` : findViolation(sent, received, service);
    if (problem !== null) reportViolation(sent, received, problem);
    if (received.text.startsWith('{"data"')) whole++;
    else if (received.text.includes('"data"')) partial++;
  }

  function reportViolation(sent: Fuzzed, received: FuzzResponse | null, problem: string): void {
    const asked = sent.body === null ? sent.path : Buffer.from(sent.body).toString();
    problems.push(
      `${problem}\n  as ${sent.credential}, ${String(sent.headers['accept'])}: ${asked.slice(0, 1_500)}\n  → ${received?.status} ${received?.text.slice(0, 1_000)}`,
    );
  }

  while (count < requests && problems.length === 0) {
    const batch = Array.from({ length: 64 }, next);
    for (let at = 0; at < batch.length; at += CONCURRENCY)
      await Promise.all(batch.slice(at, at + CONCURRENCY).map(send));
    await service.revive();
    expect(service.isAlive(), service.logs()).toBe(true);
    most = Math.max(most, service.memory());
  }
  client.close();
  console.log(
    `${count} requests, ${whole} answered whole, ${partial} with errors, statuses ${[...statuses].map((pair) => pair.join(': ')).join(', ')}; ` +
      `slowest ${Math.round(slowest)} ms, at most ${Math.round(most / 1024 / 1024)} MiB`,
  );
  expect(problems.slice(0, 5).join('\n\n')).toBe('');
  expect(most).toBeLessThan(MAX_MEMORY_BYTES);
  expect(
    service
      .logs()
      .split('\n')
      .filter((line) => line.startsWith('{')),
  ).toEqual([]);
  expect(whole).toBeGreaterThan(count / 20);
  expect((await service.asVictim('GET', `/workflows?search=${service.canary}`)).body).toMatchObject({
    pagination: { total: 3 },
  });
});

/** The query is in the body, or in the path of a GET request. */
function readsAuditLog({ body, path }: FuzzRequest): boolean {
  return path.includes('auditEvents') || Buffer.from(body ?? []).includes('auditEvents');
}

/** The invariant that a response breaks; null when it breaks none. */
function findViolation(
  sent: Fuzzed,
  { status, headers, text }: FuzzResponse,
  service: FuzzService,
): string | null {
  const isAuditLog = sent.credential === 'admin' && readsAuditLog(sent);
  if (containsCanary(text, service, isAuditLog)) return 'something of another user, or a secret, is in it';
  if (
    /\n\s+at |node_modules|file:\/\/|\.ts:\d|SQLITE|(?:Type|Range|Reference)Error|Cannot read prop/.test(text)
  )
    return 'it discloses internals';
  if (status >= 500 || ![200, 400, 401, 405].includes(status)) return `the status ${status}`;
  const type = headers['content-type'] ?? '';
  if (type.startsWith('text/html') || type.startsWith('text/event-stream')) return null;
  if (!type.startsWith('application/json') && !type.startsWith('application/graphql-response+json'))
    return `the type ${type}`;
  const body: unknown = JSON.parse(text);
  if (!isObject(body) || Object.keys(body).some((key) => key !== 'data' && key !== 'errors'))
    return 'a response of another shape';
  if (body['errors'] === undefined) return 'data' in body ? null : 'neither data nor errors';
  const errors = body['errors'] as { message: unknown; extensions?: { code?: unknown; details?: unknown } }[];
  for (const { message, extensions } of errors) {
    if (typeof message !== 'string' || message === '') return 'an error without a message';
    if (typeof extensions?.code !== 'string' || !Object.hasOwn(errorCatalog, extensions.code))
      return 'an unknown code';
    if (extensions.code === 'INTERNAL_ERROR') return 'INTERNAL_ERROR';
    if (!isObject(extensions.details)) return 'details that are no object';
  }
  // A valid operation runs, unless it is rejected for its arguments or its cost.
  const [first] = errors;
  const issue = String((first?.extensions?.details as { field?: unknown } | undefined)?.field);
  if (
    sent.isValid &&
    !('data' in body) &&
    issue === 'query' &&
    !/costs \d+|aliases|levels/.test(String(first?.message))
  )
    return 'an operation of the schema was refused';
  return null;
}
