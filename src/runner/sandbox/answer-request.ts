import { writeSync } from 'node:fs';
import { READY } from './single-run.ts';

/** The program of a process for one request: reads it from stdin, writes the response, and exits. */
export async function answerRequest(respond: (request: string) => Promise<object> | object): Promise<void> {
  writeText(READY);
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  writeText(JSON.stringify(await respond(Buffer.concat(pieces.splice(0)).toString('utf8'))));
  process.exit(0);
}

function writeText(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
