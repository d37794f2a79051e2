import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../src/contract/validate.ts';
import { errorCatalog } from '../../src/contract/errors.ts';
import { serverMessages } from '../../src/contract/requests/websocket.ts';
import { connectSocket, endSocketClients } from '../support/websocket/websocket-client.ts';
import { chooseSeed, createSeededRandom, readNumber } from '../support/seeded-random.ts';
import { generateFrames, exchangeFrames, type SocketPath, type SocketExchange } from './socket-frames.ts';
import { startFuzzService, type FuzzService } from './fuzz-service.ts';

const seed = chooseSeed('FUZZ_SEED');
const connections = readNumber('FUZZ_REQUESTS', 500);
const CONCURRENCY = 10;
const LISTEN_TIME_MS = 60;
const MAX_MEMORY_BYTES = 700 * 1024 * 1024;
const closeCodes: Record<SocketPath, readonly (number | null)[]> = {
  '/v1/ws': [null, 1000, 1002, 1003, 1005, 1007, 1009, 4401, 4429, 5000],
  '/v1/graphql': [null, 1000, 1002, 1003, 1005, 1007, 1009, 4400, 4401, 4403, 4408, 4409, 4429, 5000],
};

let service: FuzzService;
beforeAll(async () => {
  service = await startFuzzService(`canary${seed}canary`);
});
afterAll(async () => {
  endSocketClients();
  await service.stop();
});

test('WebSocket: every response keeps the invariants', { timeout: 3_600_000 }, async () => {
  const random = createSeededRandom(seed);
  const codes = new Map<string, number>();
  const errors: string[] = [];
  let [count, messages, most] = [0, 0, 0];
  while (count < connections && errors.length === 0) {
    const talks = Array.from({ length: CONCURRENCY }, () => {
      const path = random.pick(['/v1/ws', '/v1/graphql'] as const);
      const protocol = path === '/v1/graphql' ? 'Sec-WebSocket-Protocol: graphql-transport-ws\r\n' : '';
      const odd = random.is(0.05)
        ? random.pick([
            'Sec-WebSocket-Extensions: permessage-deflate\r\n',
            'Sec-WebSocket-Protocol: x\r\n',
            'Origin: https://evil.example\r\n',
            'Sec-WebSocket-Key: x\r\n',
            'Content-Length: 5\r\n',
          ])
        : '';
      return { path, headers: protocol + odd, pieces: generateFrames(path, service, random) };
    });
    const done = await Promise.all(
      talks.map(({ path, headers, pieces }) =>
        exchangeFrames(service.port, path, headers, pieces, LISTEN_TIME_MS),
      ),
    );
    count += CONCURRENCY;
    for (const [index, received] of done.entries()) {
      const { path, pieces } = talks[index]!;
      const key = received.upgraded
        ? `${path.slice(4)} ${received.close ?? 'open'}`
        : `refused ${received.head.slice(9, 12)}`;
      codes.set(key, (codes.get(key) ?? 0) + 1);
      messages += received.texts.length;
      const problem = findViolation(path, received, service);
      if (problem !== null)
        errors.push(
          `${problem}\n  ${path}: ${pieces.map((one) => one.toString('latin1', 0, 300)).join('\n')}\n  → ${JSON.stringify(received).slice(0, 2_000)}`,
        );
    }
    expect(service.isAlive(), service.logs()).toBe(true);
    most = Math.max(most, service.memory());
  }
  console.log(
    `${count} connections, ${messages} messages; ${[...codes].map((pair) => pair.join(': ')).join(', ')}; at most ${Math.round(most / 1024 / 1024)} MiB`,
  );
  if (errors.length > 0) errors.unshift(service.logs());
  expect(errors.slice(0, 3).join('\n\n')).toBe('');
  // 40 to 200 in 500 connections, by chance, and how busy the machine is while one is listened to.
  expect(messages).toBeGreaterThan(count / 50);
  expect(most).toBeLessThan(MAX_MEMORY_BYTES);
  expect(
    service
      .logs()
      .split('\n')
      .filter((line) => line.startsWith('{')),
  ).toEqual([]);
  // Who behaves is served as ever.
  const { authorization = '' } = service.getHeaders('member');
  const client = await connectSocket(service.url);
  expect((await client.auth(authorization.slice('Bearer '.length))).type).toBe('auth_success');
});

/** Why a connection broke a promise; null when it kept all of them. */
function findViolation(
  path: SocketPath,
  { upgraded, head, texts, close, wrong }: SocketExchange,
  service: FuzzService,
): string | null {
  if (wrong !== null) return wrong;
  if (head === '') return 'the upgrade was not answered';
  if (!upgraded && !head.startsWith('HTTP/1.1 400')) return 'the upgrade was refused in another way';
  if (!closeCodes[path].includes(close)) return `the code ${close}`;
  for (const text of texts) {
    if (text.includes(service.canary)) return 'something of another user, or a secret, is in it';
    if (
      /\n\s+at |node_modules|\.ts:\d|SQLITE|(?:Type|Range|Reference)Error|Cannot read prop|INTERNAL_ERROR/.test(
        text,
      )
    )
      return `it discloses internals or an internal error: ${text}`;
    const message = JSON.parse(text) as { type: keyof typeof serverMessages; data?: { code?: string } };
    if (path === '/v1/graphql') continue;
    const schema = serverMessages[message.type];
    if (schema === undefined) return `a message of no known type: ${text}`;
    try {
      validate(schema, message);
    } catch (error) {
      return `a message that is not as documented: ${text}: ${String(error)}`;
    }
    if (message.type === 'error' && !Object.hasOwn(errorCatalog, message.data?.code ?? ''))
      return 'an unknown code';
  }
  return null;
}
