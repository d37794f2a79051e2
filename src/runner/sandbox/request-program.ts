import { writeSync } from 'node:fs';
import { READY } from './single-run.ts';

/** The program of a process for one request: reads it from stdin, writes the response as JSON, and exits. */
export function respondOnce(respond: (request: string) => Promise<object> | object): Promise<void> {
  return respondWithBytes(async (request) => [
    Buffer.from(JSON.stringify(await respond(request.toString('utf8')))),
  ]);
}

/** Like `respondOnce`, with a request and a response of bytes. */
export async function respondWithBytes(
  respond: (request: Buffer) => Promise<readonly Uint8Array[]>,
): Promise<void> {
  writeBytes(Buffer.from(READY));
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  for (const bytes of await respond(Buffer.concat(pieces.splice(0)))) writeBytes(bytes);
  process.exit(0);
}

function writeBytes(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
