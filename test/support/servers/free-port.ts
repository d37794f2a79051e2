import { createServer } from 'node:net';

/** Below the ports that systems give to sockets that ask for any port, which Linux begins at 32768. */
const LOWEST_PORT = 15_000;
const HIGHEST_PORT = 32_000;
const MAX_TRIES = 100;

/**
 * A port for a server that starts later, or again and again. Meanwhile the system gives it to no other
 * socket, as it could a port of its own choice.
 */
export async function freePort(): Promise<number> {
  for (let i = 0; i < MAX_TRIES; i++) {
    const port = LOWEST_PORT + Math.floor(Math.random() * (HIGHEST_PORT - LOWEST_PORT));
    if (await isFree(port)) return port;
  }
  throw new Error(`${MAX_TRIES} ports are in use.`);
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
