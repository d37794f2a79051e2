import net from 'node:net';
import tls from 'node:tls';
import { PROXY_PREFIX_BYTES } from './pack-messages.ts';

/*
 * In the process of a pack: leads every TCP connection through the service. HTTP libraries and database
 * drivers all end in the two functions that are replaced here. The process has no network of its own, so a
 * pack that evades them reaches nothing.
 */

type ConnectOptions = tls.ConnectionOptions & { path?: string; hostname?: string };
type Done = (() => void) | undefined;
type Normalize = (args: unknown[]) => [ConnectOptions, Done];
type Connect = (this: net.Socket, ...args: unknown[]) => net.Socket;

/** The functions that Node.js itself uses to read the arguments of `connect`. */
const normalize = (net as unknown as { _normalizeArgs: Normalize })._normalizeArgs;

export function redirectConnections(proxyPath: string, token: string): void {
  const prototype = net.Socket.prototype as unknown as { connect: Connect };
  const connectDirectly = prototype.connect;
  prototype.connect = function (...args) {
    // `net.connect` passes arguments that are read already.
    const [options, done] = Array.isArray(args[0]) ? (args[0] as ReturnType<Normalize>) : normalize(args);
    if (options.path !== undefined && options.port === undefined) throw denyAccess();
    connectDirectly.call(this, { path: proxyPath }, done);
    this.write(encodeHead({ token, host: readHost(options), port: Number(options.port) }));
    return this;
  };

  const server = net.Server.prototype as unknown as { listen: () => never };
  server.listen = () => {
    throw denyAccess();
  };

  const connectSecurely = tls.connect as unknown as (options: object, done: Done) => tls.TLSSocket;
  const connect = (...args: unknown[]): tls.TLSSocket => {
    const [options, done] = normalize(args);
    const host = readHost(options);
    const { port, host: _host, path: _path, socket, ...rest } = options;
    // The certificate is verified for the name, whatever options the pack or its libraries pass.
    delete rest.checkServerIdentity;
    return connectSecurely(
      {
        ...rest,
        host,
        socket: socket ?? net.connect({ host, port: Number(port) }),
        servername: options.servername ?? (net.isIP(host) === 0 ? host : ''),
        rejectUnauthorized: true,
      },
      done,
    );
  };
  tls.connect = connect as typeof tls.connect;
}

function readHost({ host, hostname }: ConnectOptions): string {
  return (host ?? hostname ?? 'localhost').replace(/^\[|\]$/g, '');
}

/** `[bytes of the head][head]`; the head is JSON. */
function encodeHead(head: { token: string; host: string; port: number }): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const prefix = Buffer.alloc(PROXY_PREFIX_BYTES);
  prefix.writeUInt16BE(Math.min(text.length, 0xffff), 0);
  return Buffer.concat([prefix, text]);
}

function denyAccess(): Error {
  return Object.assign(new Error('Packs may not open local sockets'), { code: 'EPERM' });
}
