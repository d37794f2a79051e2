import { connect } from 'node:net';

export type ReceivedResponses = { statuses: number[]; text: string; isClosed: boolean };

/** Sends these bytes over one connection, and reads until it is closed, or for `ms` after the last byte. */
export function sendBytes(
  port: number,
  bytes: string | readonly string[],
  ms = 300,
): Promise<ReceivedResponses> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    let isClosed = false;
    let timer = setTimeout(() => socket.destroy(), 10_000);
    socket.on('data', (data) => {
      text += data.toString('latin1');
      clearTimeout(timer);
      timer = setTimeout(() => socket.destroy(), ms);
    });
    socket.on('end', () => (isClosed = true));
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      resolve({ statuses, text, isClosed });
    });
    for (const piece of typeof bytes === 'string' ? [bytes] : bytes)
      socket.write(Buffer.from(piece, 'latin1'));
  });
}
