import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { mutate, serialize } from './malformed-json.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { FuzzService } from './fuzz-service.ts';

export type SocketPath = '/v1/ws' | '/v1/graphql';
export type SocketExchange = {
  upgraded: boolean;
  head: string;
  texts: string[];
  close: number | null;
  wrong: string | null;
};

/** One WebSocket frame, possibly invalid. */
export function encodeFrame(
  opcode: number,
  payload: Buffer,
  options: { fin?: boolean; reserved?: number; mask?: boolean; length?: number } = {},
): Buffer {
  const { fin = true, reserved = 0, mask = true, length = payload.length } = options;
  const head: number[] = [(fin ? 0x80 : 0) | (reserved << 4) | opcode];
  const masked = mask ? 0x80 : 0;
  if (length < 126) head.push(masked | length);
  else if (length < 65_536) head.push(masked | 126, length >> 8, length & 255);
  else {
    const size = Buffer.alloc(8);
    size.writeBigUInt64BE(BigInt(length));
    head.push(masked | 127, ...size);
  }
  if (!mask) return Buffer.concat([Buffer.from(head), payload]);
  const key = randomBytes(4);
  return Buffer.concat([Buffer.from(head), key, payload.map((byte, at) => byte ^ key[at & 3]!)]);
}

const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;

/** Valid messages of the protocol, with ids that exist. */
function rightMessage(path: SocketPath, service: FuzzService, random: SeededRandom): unknown {
  const workflows = [...service.own['workflows']!, ...service.victims['workflows']!];
  const executions = [...service.own['executions']!, ...service.victims['executions']!];
  const { authorization = '' } = service.getHeaders(random.pick(['member', 'admin', 'wrong']));
  if (path === '/v1/ws')
    return random.pick<unknown>([
      { type: 'auth', token: authorization.slice('Bearer '.length) },
      { type: 'auth', token: random.text(40) },
      { type: 'ping' },
      { type: 'subscribe', data: { workflow_id: random.pick(workflows) } },
      { type: 'subscribe', data: { execution_id: random.pick(executions) } },
      { type: 'subscribe', data: {} },
      { type: 'unsubscribe', data: { workflow_id: random.pick(workflows) } },
      { type: random.text(12), data: {} },
    ]);
  const id = random.pick(['1', '2', '', 'x'.repeat(200)]);
  return random.pick<unknown>([
    { type: 'connection_init', payload: { Authorization: authorization } },
    { type: 'ping', payload: { a: 1 } },
    { type: 'pong' },
    { id, type: 'subscribe', payload: { query: '{ me { id name } }' } },
    { id, type: 'subscribe', payload: { query: `{ workflow(id: "${random.pick(workflows)}") { name } }` } },
    {
      id,
      type: 'subscribe',
      payload: {
        query: `subscription { workflowExecution(workflowId: "${random.pick(workflows)}") { status } }`,
      },
    },
    { id, type: 'subscribe', payload: { query: 'subscription { systemHealth { status } }' } },
    { id, type: 'complete' },
    { type: 'connection_ack' },
    { id, type: 'next', payload: {} },
    { type: random.text(12) },
  ]);
}

/** The parts of one client's messages. */
export function generateFrames(path: SocketPath, service: FuzzService, random: SeededRandom): Buffer[] {
  const pieces: Buffer[] = [];
  if (random.is(0.6)) {
    const { authorization = '' } = service.getHeaders('member');
    const hello =
      path === '/v1/ws'
        ? { type: 'auth', token: authorization.slice('Bearer '.length) }
        : { type: 'connection_init', payload: { Authorization: authorization } };
    pieces.push(encodeFrame(TEXT, Buffer.from(JSON.stringify(hello))));
  }
  for (let left = 1 + random.int(8); left > 0; left--) pieces.push(generateFrame(path, service, random));
  return pieces;
}

function generateFrame(path: SocketPath, service: FuzzService, random: SeededRandom): Buffer {
  const message = rightMessage(path, service, random);
  const text = Buffer.from(serialize(random.is(0.5) ? message : mutate(message, random)));
  switch (random.int(14)) {
    case 0:
      return encodeFrame(BINARY, text);
    case 1: {
      const at = random.int(text.length + 1);
      return Buffer.concat([
        encodeFrame(TEXT, text.subarray(0, at), { fin: false }),
        ...(random.is(0.3) ? [encodeFrame(PING, Buffer.from('between'))] : []),
        encodeFrame(0, text.subarray(at), { fin: random.is(0.9) }),
      ]);
    }
    case 2:
      return encodeFrame(TEXT, Buffer.concat([text, Buffer.from([0xff, 0xc0])]));
    case 3:
      return encodeFrame(random.pick([3, 4, 7, 11, 15]), text);
    case 4:
      return encodeFrame(TEXT, text, { reserved: 1 + random.int(7) });
    case 5:
      return encodeFrame(TEXT, text, { mask: false });
    case 6:
      return encodeFrame(TEXT, Buffer.alloc(random.pick([65_536, 65_537, 200_000]), 'x'));
    case 7:
      return encodeFrame(TEXT, text, { length: random.pick([2 ** 31, 2 ** 40, 100_000, text.length + 1]) });
    case 8:
      return encodeFrame(PING, Buffer.alloc(random.pick([0, 125, 126]), 'p'));
    case 9:
      return encodeFrame(
        CLOSE,
        random.pick([
          Buffer.alloc(0),
          Buffer.from([3]),
          Buffer.from([0, 5]),
          Buffer.from([3, 232, 0xff]),
          Buffer.from([19, 136]),
        ]),
      );
    case 10:
      return encodeFrame(0, text);
    case 11:
      return Buffer.from(random.text(60));
    case 12:
      return Buffer.concat(Array.from({ length: 30 }, () => encodeFrame(TEXT, text.subarray(0, 100))));
    default:
      return encodeFrame(TEXT, text);
  }
}

/** ms after which an upgrade without a response counts as failed. */
const TIMEOUT_MS = 15_000;

/** Upgrades, sends all parts, reads for `ms` or until the service closes, and disconnects. */
export function exchangeFrames(
  port: number,
  path: SocketPath,
  headers: string,
  pieces: readonly Buffer[],
  ms: number,
): Promise<SocketExchange> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const result: SocketExchange = { upgraded: false, head: '', texts: [], close: null, wrong: null };
    let buffer: Buffer = Buffer.alloc(0);
    let timer = setTimeout(() => socket.destroy(), TIMEOUT_MS);
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(result);
    });
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
        `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n${headers}\r\n`,
    );
    for (const piece of pieces) socket.write(piece);
    socket.on('data', (data) => {
      buffer = Buffer.concat([buffer, data]);
      if (result.head === '') {
        const end = buffer.indexOf('\r\n\r\n');
        if (end < 0) return;
        result.head = buffer.toString('latin1', 0, end);
        result.upgraded = result.head.startsWith('HTTP/1.1 101');
        buffer = buffer.subarray(end + 4);
        clearTimeout(timer);
        timer = setTimeout(() => socket.destroy(), ms);
      }
      if (result.upgraded) buffer = readFrames(buffer, result);
    });
  });
}

function readFrames(buffer: Buffer, result: SocketExchange): Buffer {
  let rest = buffer;
  while (rest.length >= 2) {
    const opcode = rest[0]! & 15;
    if ((rest[0]! & 0x70) !== 0 || (rest[1]! & 0x80) !== 0)
      result.wrong = 'a frame with reserved bits or a mask';
    const short = rest[1]! & 127;
    const start = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (rest.length < start) break;
    const length =
      short === 126 ? rest.readUInt16BE(2) : short === 127 ? Number(rest.readBigUInt64BE(2)) : short;
    if (rest.length < start + length) break;
    const payload = rest.subarray(start, start + length);
    if (opcode === TEXT) result.texts.push(payload.toString());
    else if (opcode === CLOSE) result.close = length >= 2 ? payload.readUInt16BE(0) : 1005;
    else if (opcode === BINARY) result.wrong = 'a binary frame';
    rest = rest.subarray(start + length);
  }
  return rest;
}
