import { connect, type Socket } from 'node:net';

/** A peer without a WebSocket library. It has requested the upgrade, and sends nothing automatically. */
export function connectRawPeer(url: string): Socket {
  const peer = connect(Number(new URL(url).port), '127.0.0.1');
  peer.on('error', () => {}).resume();
  peer.write(
    `GET /v1/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`,
  );
  return peer;
}
/** A masked frame (with a mask of zeros) of 126 to 65,535 bytes. */
export function encodeFrame(payload: Buffer, first = 0x81): Buffer {
  const head = Buffer.alloc(8);
  head[0] = first;
  head[1] = 0x80 | 126;
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}
/** The code of the close frame in the received bytes; null when there is none. */
export function closeCodeIn(bytes: Buffer): number | null {
  const at = bytes.indexOf(0x88);
  return at === -1 ? null : bytes.readUInt16BE(at + 2);
}
