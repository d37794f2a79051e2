import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';

/** Listens and returns the port. @throws {Error} for the terminal, naming the setting to change. */
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
      return `Port ${port} of ${host} is in use: set PORT to another port, or to 0 for any free port.`;
    case 'EACCES':
      return `Port ${port} of ${host} requires more permissions: set PORT to 1024 or higher.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST "${host}" is not an address of this machine; set HOST to one that is.`;
    default:
      return null;
  }
}
