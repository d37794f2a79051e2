import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ImapTransport } from 'imapflow';

/**
 * Carries the session over a TCP connection that the egress client has opened to a checked address, so that
 * the library opens none. The certificate is checked for the name of the server.
 */
export function createTransport(socket: Socket, host: string): ImapTransport {
  const secure = (onSecure: () => void) => {
    const tls = connectTls({
      socket,
      host,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      minVersion: 'TLSv1.2',
      // Overrides settings of the environment.
      rejectUnauthorized: true,
    });
    tls.once('secureConnect', onSecure);
    return tls;
  };
  return {
    connect(options, onConnect) {
      if (options.secure) return secure(onConnect);
      // The connection is already open, and the library expects this call later.
      setImmediate(onConnect);
      return socket;
    },
    upgrade: (_socket, _options, onSecure) => secure(onSecure),
  };
}
