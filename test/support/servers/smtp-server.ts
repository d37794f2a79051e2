import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerOptions } from 'smtp-server';

export type ReceivedMail = { from: string; to: string[]; user: string | undefined; raw: string };

/** A real SMTP server on 127.0.0.1 that records mails. `options` enable TLS and a password. */
export type TestMailServer = {
  port: number;
  received: ReceivedMail[];
  connections(): number;
  closed(): number;
  close(): Promise<void>;
};

export async function startMailServer(options: SMTPServerOptions = {}): Promise<TestMailServer> {
  const received: ReceivedMail[] = [];
  let connections = 0;
  let closed = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 50,
    onConnect(_session, done) {
      connections++;
      done();
    },
    onClose() {
      closed++;
    },
    onAuth(auth, _session, done) {
      if (auth.username === 'ada' && auth.password === 'p@ss/word') done(null, { user: auth.username });
      else done(new Error(`no such user ${auth.username} with ${auth.password}`));
    },
    onData(stream, session, done) {
      buffer(stream).then(
        (bytes) => {
          const { mailFrom, rcptTo } = session.envelope;
          received.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            user: session.user,
            raw: bytes.toString('latin1'),
          });
          done();
        },
        (error: Error) => done(error),
      );
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    connections: () => connections,
    closed: () => closed,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The headers of a raw mail by lower-case name, with folded lines joined. */
export function parseHeaders(raw: string): Map<string, string> {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]/g, ' ');
  return new Map(
    head.split('\r\n').map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}
