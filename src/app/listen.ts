import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';

/** Listens and returns the port. @throws {Error} fit for the terminal, naming the setting to change. */
export async function listen(
  app: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const reason = explainListenError((error as NodeJS.ErrnoException).code, host, port);
    throw reason === null ? error : new Error(reason, { cause: error });
  }
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function explainListenError(code: string | undefined, host: string, port: number): string | null {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use: set PORT to another one, or to 0 for any free one.`;
    case 'EACCES':
      return `Port ${port} of ${host} is not allowed to this user: set PORT to one from 1024.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST got "${host}", which this machine does not have; it takes an address of this machine.`;
    default:
      return null;
  }
}
