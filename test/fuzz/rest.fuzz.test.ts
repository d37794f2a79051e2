import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { findViolation } from './response-invariants.ts';
import { chooseSeed, createSeededRandom, readNumber } from '../support/seeded-random.ts';
import { createHttpClient, type FuzzResponse } from './http-client.ts';
import { createRestRequests, type Fuzzed } from './rest-requests.ts';
import { startFuzzService, type FuzzService } from './fuzz-service.ts';

const seed = chooseSeed('FUZZ_SEED');
const requests = readNumber('FUZZ_REQUESTS', 2_500);
/** Concurrent requests. Every third request is sent alone, to detect its changes. */
const CONCURRENCY = 8;
const BATCH_SIZE = 48;
const MAX_MEMORY_BYTES = 700 * 1024 * 1024;

let service: FuzzService;
beforeAll(async () => {
  service = await startFuzzService(`canary${seed}canary`);
});
afterAll(() => service.stop());

test('REST: every response keeps the invariants', { timeout: 3_600_000 }, async () => {
  const { url, port, pid } = service;
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as JsonObject;
  const nodes = (await service.callAs('member')('GET', '/nodes')).body as { nodes: JsonObject[] };
  const made = createRestRequests(document, nodes.nodes, service);
  const client = createHttpClient(port, CONCURRENCY);
  const random = createSeededRandom(seed);
  const seen = {
    statuses: new Map<number, number>(),
    operations: new Set<string>(),
    succeeded: new Set<string>(),
  };
  const errors: string[] = [];
  let [count, alone, most] = [0, 0, 0];

  async function send(sent: Fuzzed): Promise<FuzzResponse | null> {
    count++;
    let received: FuzzResponse;
    try {
      received = await client.send(sent);
    } catch (error) {
      // A request that is rejected before its body was read may lose its connection. All others need a
      // response.
      if (sent.body !== null && sent.body.length > 60_000) return null;
      reportViolation(sent, null, `no response: ${String(error)}`);
      return null;
    }
    seen.statuses.set(received.status, (seen.statuses.get(received.status) ?? 0) + 1);
    seen.operations.add(sent.operation);
    if (received.status < 300) seen.succeeded.add(sent.operation);
    const problem = findViolation(sent, received, service, sent.operation.startsWith(`${sent.method} `));
    if (problem !== null) reportViolation(sent, received, problem);
    learn(sent, received, service);
    return received;
  }

  function reportViolation(sent: Fuzzed, received: FuzzResponse | null, problem: string): void {
    if (errors.length > 20) return;
    const body = sent.body === null ? '' : Buffer.from(sent.body).toString().slice(0, 1_000);
    errors.push(
      `${problem}\n  as ${sent.credential}: ${sent.method} ${sent.path.slice(0, 500)}\n  ${JSON.stringify({ ...sent.headers, authorization: undefined }).slice(0, 400)}\n  ${body}\n  → ${received?.status} ${received?.text.slice(0, 1_000)}`,
    );
  }

  /** Background work may have changed the state, so only repeated changes are errors. */
  async function changesNothing(sent: Fuzzed): Promise<void> {
    for (let tries = 0; tries < 4; tries++) {
      const before = service.state();
      const received = await send(sent);
      alone++;
      if (received === null || received.status < 400 || received.text.includes('"EXECUTION_FAILED"')) return;
      if (service.state() === before) return;
      if (tries === 3) reportViolation(sent, received, 'it was refused, and changed something');
    }
  }

  const started = performance.now();
  while (count < requests && errors.length === 0) {
    const batch = Array.from({ length: BATCH_SIZE }, () => made.next(random));
    const together = batch.slice(BATCH_SIZE / 3);
    for (let at = 0; at < together.length; at += CONCURRENCY)
      await Promise.all(together.slice(at, at + CONCURRENCY).map(send));
    for (const sent of batch.slice(0, BATCH_SIZE / 3)) await changesNothing(sent);
    await service.revive();
    expect(service.isAlive(), service.logs()).toBe(true);
    most = Math.max(most, service.memory());
  }
  client.close();
  const seconds = (performance.now() - started) / 1_000;
  if (errors.length === 0 && count > 9_000)
    console.log('never with success:', made.names.filter((name) => !seen.succeeded.has(name)).join(', '));
  console.log(
    `${count} requests (${alone} alone) in ${seconds.toFixed(1)} s, ${made.operations} operations, ${seen.succeeded.size} with success; ` +
      `statuses ${[...seen.statuses]
        .toSorted(([a], [b]) => a - b)
        .map((pair) => pair.join(': '))
        .join(', ')}; at most ${Math.round(most / 1024 / 1024)} MiB`,
  );
  expect(errors.join('\n\n')).toBe('');
  expect(service.isAlive()).toBe(true);
  expect(service.pid).toBe(pid);
  expect(most).toBeLessThan(MAX_MEMORY_BYTES);
  expect(
    service
      .logs()
      .split('\n')
      .filter((line) => line.startsWith('{')),
  ).toEqual([]);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  // The victim's resources are unchanged.
  const kept = await service.asVictim('GET', `/workflows?search=${service.canary}`);
  expect(kept.body).toMatchObject({ pagination: { total: 3 } });
  expect(seen.operations.size).toBeGreaterThan(made.operations * 0.9);
  expect(seen.succeeded.size).toBeGreaterThan(made.operations * 0.3);
});

/** Later requests use the ids of created resources, and tokens of refreshed sessions. */
function learn(sent: Fuzzed, received: FuzzResponse, service: FuzzService): void {
  if (received.status > 201 || sent.method === 'GET') return;
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(received.text) as Record<string, unknown>;
  } catch {
    return;
  }
  if (sent.operation === 'POST /auth/refresh' && typeof body['token'] === 'string')
    service.adopt(sent.credential, body['token']);
  if (received.status !== 201) return;
  const kind =
    sent.operation.includes('/execute') || sent.operation.includes('/retry')
      ? 'executions'
      : sent.operation.split(/[ /]/)[2]!;
  const id = body[kind === 'oauth' ? 'client_id' : kind === 'templates' ? 'templateName' : 'id'];
  const known = service.own[kind];
  if (typeof id !== 'string' || known === undefined) return;
  known.push(id);
  if (known.length > 40) known.splice(1, 1);
}
