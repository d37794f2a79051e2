// A minimal WebSocket client: a thousand of them must measure the service and not themselves.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const TEXT = 0x81;
const CLOSE = 0x88;
const PING = 0x89;
const PONG = 0x8a;
const MASKED = 0x80;
const LENGTH_IN_2 = 126;
const LENGTH_IN_8 = 127;

export type LightClient = { send(message: object): void; end(): void };

/** A frame of a client: masked with zeros, at most 64 KiB. */
function frame(first: number, payload: Buffer): Buffer {
  const isShort = payload.length < LENGTH_IN_2;
  const head = Buffer.alloc(isShort ? 6 : 8);
  head[0] = first;
  head[1] = MASKED | (isShort ? payload.length : LENGTH_IN_2);
  if (!isShort) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

/** Passes each complete frame at the start of `bytes` to `take`. Returns the rest. */
function readFrames(bytes: Buffer, take: (first: number, payload: Buffer) => void): Buffer {
  let at = 0;
  while (at + 2 <= bytes.length) {
    const short = bytes[at + 1] ?? 0;
    const head = short < LENGTH_IN_2 ? 2 : short < LENGTH_IN_8 ? 4 : 10;
    if (at + head > bytes.length) break;
    const length =
      head === 2 ? short : head === 4 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
    if (at + head + length > bytes.length) break;
    take(bytes[at] ?? 0, bytes.subarray(at + head, at + head + length));
    at += head + length;
  }
  return at === bytes.length ? Buffer.alloc(0) : bytes.subarray(at);
}

/**
 * Connects to `url` (http) and upgrades. `take` receives every message, `closed` the close code of the
 * service.
 */
export async function connectLight(
  url: string,
  take: (message: Buffer) => void,
  closed: (code: number) => void,
): Promise<LightClient> {
  const { hostname, port, pathname } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  socket.setNoDelay();
  await once(socket, 'connect');
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: d2VmdC1iZW5jaG1hcms9PQ==\r\n\r\n',
  );
  const [response] = (await once(socket, 'data')) as [Buffer];
  const end = response.indexOf('\r\n\r\n');
  const status = response.toString('latin1', 0, response.indexOf('\r\n'));
  if (!status.includes(' 101 ')) throw new Error(`the upgrade was answered with ${status}`);

  const onFrame = (first: number, payload: Buffer): void => {
    if (first === TEXT) take(payload);
    else if (first === PING) socket.write(frame(PONG, payload));
    else if (first === CLOSE) closed(payload.readUInt16BE(0));
  };
  let rest = readFrames(response.subarray(end + 4), onFrame);
  socket.on('data', (chunk: Buffer) => {
    rest = readFrames(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), onFrame);
  });
  socket.on('error', () => {});
  return {
    send: (message) => void socket.write(frame(TEXT, Buffer.from(JSON.stringify(message)))),
    end: () => socket.destroy(),
  };
}
