import { describe, expect, test } from 'vitest';
import {
  closeCodeIn,
  encodeFrame,
  connectRawPeer,
} from '../../../test/support/websocket/raw-websocket-peer.ts';
import {
  useWebSocketFixture,
  sleep,
  waitForCondition,
} from '../../../test/support/websocket/websocket-fixture.ts';

const fixture = useWebSocketFixture();

describe('invalid messages', () => {
  test.each([
    ['broken JSON', '{"type":"ping"', 'VALIDATION_ERROR', { field: 'body' }],
    ['nothing', '', 'VALIDATION_ERROR', { field: 'body' }],
    ['bytes', Buffer.from('{"type":"ping"}'), 'VALIDATION_ERROR', { field: 'message' }],
    ['no object', '"ping"', 'VALIDATION_ERROR', { field: '' }],
    ['a list', '[{"type":"ping"}]', 'VALIDATION_ERROR', { field: '' }],
    ['null', 'null', 'VALIDATION_ERROR', { field: '' }],
    ['no type', '{}', 'VALIDATION_ERROR', { field: 'type', issue: 'is required' }],
    ['an unknown type', '{"type":"pong"}', 'VALIDATION_ERROR', { field: 'type' }],
    ['a name of every object', '{"type":"constructor"}', 'VALIDATION_ERROR', { field: 'type' }],
    ['a type of another kind', '{"type":["ping"]}', 'VALIDATION_ERROR', { field: 'type' }],
    ['an unknown field', '{"type":"ping","id":1}', 'VALIDATION_ERROR', { field: 'id' }],
    ['a field given twice', '{"type":"ping","type":"ping"}', 'VALIDATION_ERROR', {}],
    ['__proto__', '{"type":"ping","__proto__":{}}', 'VALIDATION_ERROR', {}],
    ['no data', '{"type":"subscribe"}', 'VALIDATION_ERROR', { field: 'data', issue: 'is required' }],
    ['data of another kind', '{"type":"subscribe","data":[]}', 'VALIDATION_ERROR', { field: 'data' }],
    [
      'an id of another type',
      '{"type":"subscribe","data":{"workflow_id":1}}',
      'VALIDATION_ERROR',
      { field: 'data.workflow_id', issue: 'must be a string' },
    ],
    [
      'an empty id',
      '{"type":"unsubscribe","data":{"execution_id":""}}',
      'VALIDATION_ERROR',
      { field: 'data.execution_id', issue: 'must not be empty' },
    ],
    [
      'an unknown subscription',
      '{"type":"subscribe","data":{"owner_id":"usr_a"}}',
      'VALIDATION_ERROR',
      { field: 'data.owner_id' },
    ],
    [
      'too deep',
      `{"type":${'['.repeat(1000)}${']'.repeat(1000)}}`,
      'VALIDATION_ERROR',
      { field: `type${'[0]'.repeat(63)}` },
    ],
    [
      'a long token',
      JSON.stringify({ type: 'auth', token: 'x'.repeat(8_193) }),
      'VALIDATION_ERROR',
      { field: 'token' },
    ],
  ])('%s: an error, and the connection stays', async (_what, message, code, details) => {
    const client = await fixture.connectAuthenticated(await fixture.server.user());
    client.send(message);
    const error = await client.next();
    expect(error).toMatchObject({ type: 'error', data: { code, details } });
    client.send({ type: 'ping' });
    expect(await client.next()).toEqual({ type: 'pong' });
  });

  test('64 KiB are accepted, one more byte closes with 1009', async () => {
    const client = await fixture.connectAuthenticated(await fixture.server.user());
    const fill = (size: number): string => `{"type":"${'x'.repeat(size - 11)}"}`;
    client.send(fill(64 * 1024));
    expect((await client.next()).data).toMatchObject({ code: 'VALIDATION_ERROR' });
    client.send(fill(64 * 1024 + 1));
    expect(await client.closed()).toMatchObject({ code: 1009 });
  });

  test('closes with 1009 before auth and for fragmented messages', async () => {
    const early = await fixture.open();
    early.send('x'.repeat(70_000));
    expect(await early.closed()).toMatchObject({ code: 1009 });
    const client = await fixture.connectAuthenticated(await fixture.server.user());
    for (let i = 0; i < 40; i++) client.socket.send('x'.repeat(2_000), { fin: false });
    expect(await client.closed()).toMatchObject({ code: 1009 });
  });

  test('invalid UTF-8 closes with 1007', async () => {
    const client = await fixture.connectAuthenticated(await fixture.server.user());
    client.socket.send(Buffer.from([0x22, 0xff, 0xfe, 0x22]), { binary: false });
    expect(await client.closed()).toMatchObject({ code: 1007 });
  });

  test('more than 200 messages at once or 50 a second close the connection', async () => {
    const userId = await fixture.server.user();
    const { token } = await fixture.server.session(userId);
    const client = await fixture.open();
    client.send({ type: 'auth', token });
    for (let i = 0; i < 199; i++) client.send({ type: 'ping' });
    for (let i = 0; i < 199; i++) await client.next('pong');
    fixture.clock.advance(1_000);
    for (let i = 0; i < 50; i++) client.send({ type: 'ping' });
    for (let i = 0; i < 50; i++) await client.next('pong');
    client.send({ type: 'ping' });
    expect((await client.next('error')).data).toMatchObject({
      code: 'RATE_LIMITED',
      details: { reason: 'capacity', limit: 50, burst: 200 },
    });
    expect(await client.closed()).toMatchObject({ code: 4429 });
  });

  test('a flood of messages after auth is limited', async () => {
    const client = await fixture.open();
    client.send({ type: 'auth', token: 'x'.repeat(2_000) });
    for (let i = 0; i < 5_000 && client.socket.readyState === client.socket.OPEN; i++)
      client.send({ type: 'auth', token: 'x'.repeat(2_000) });
    expect([4401, 4429]).toContain((await client.closed()).code);
    expect(client.messages.length).toBeLessThanOrEqual(1);
  });
});

describe('invalid WebSocket traffic', () => {
  test.each([
    ['a frame without a mask', Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002],
    ['a reserved bit', encodeFrame(Buffer.alloc(200), 0xc1), 1002],
    ['an unknown opcode', encodeFrame(Buffer.alloc(200), 0x83), 1002],
    ['a long ping', encodeFrame(Buffer.alloc(200), 0x89), 1002],
    ['a part of nothing', encodeFrame(Buffer.alloc(200), 0x80), 1002],
    ['a length of 2^63', Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), 1009],
  ])('%s is closed', async (_what, bytes, code) => {
    const peer = connectRawPeer(fixture.server.url);
    const received: Buffer[] = [];
    peer.once('data', () => peer.on('data', (chunk: Buffer) => received.push(chunk)));
    await new Promise((resolve) => peer.once('data', resolve));
    peer.write(bytes);
    await waitForCondition(() => received.length > 0);
    expect(closeCodeIn(Buffer.concat(received))).toBe(code);
    peer.destroy();
  });

  test('random bytes do not affect other connections', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    console.log(`seed ${seed}`);
    let state = seed;
    const random = (): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff) / 2 ** 31;
    const client = await fixture.connectAuthenticated(await fixture.server.user());
    for (let round = 0; round < 60; round++) {
      const peer = connectRawPeer(fixture.server.url);
      const bytes = Buffer.from(Array.from({ length: Math.floor(random() * 2_000) }, () => random() * 256));
      // Half of them begin like a valid frame.
      peer.write(random() < 0.5 ? bytes : encodeFrame(Buffer.concat([bytes, Buffer.alloc(126)])));
      await sleep(1);
      peer.destroy();
    }
    client.send({ type: 'ping' });
    await client.next('pong');
  });

  test('a message in more than a thousand fragments closes the connection', async () => {
    const client = await fixture.connectAuthenticated(await fixture.server.user());
    for (let i = 0; i < 1_100; i++) client.socket.send('', { fin: false });
    expect((await client.closed()).code).toBe(1008);
  });
});
