import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { loopbackCertificate, loopbackKey } from './tls-certificates.ts';

/** One command of a client: its tag, its name in upper case, and the rest of the line. */
export type ImapCommand = { tag: string; name: string; rest: string };

/**
 * Responds to a command: lines to send, or null to end the connection. Undefined: the default, a mailbox
 * without messages and any password.
 */
export type ImapReply = (command: ImapCommand, socket: TLSSocket) => string | null | undefined;

export type FakeImapServer = {
  readonly port: number;
  readonly commands: ImapCommand[];
  close(): Promise<void>;
};

/** A server at the level of the protocol, for what a real server does not do on request. */
export async function startFakeImapServer(reply: ImapReply): Promise<FakeImapServer> {
  const commands: ImapCommand[] = [];
  const sockets = new Set<TLSSocket>();
  const server = createServer({ cert: loopbackCertificate, key: loopbackKey }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.write('* OK ready\r\n');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const [tag = '', name = '', ...rest] = text.slice(0, end).split(' ');
        text = text.slice(end + 2);
        const command = { tag, name: name.toUpperCase(), rest: rest.join(' ') };
        commands.push(command);
        const response = reply(command, socket);
        if (response === null) socket.destroy();
        else socket.write(response ?? respond(command));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    commands,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function respond({ tag, name }: ImapCommand): string {
  const ok = `${tag} OK done\r\n`;
  switch (name) {
    case 'CAPABILITY':
      return `* CAPABILITY IMAP4rev1 AUTH=PLAIN AUTH=XOAUTH2 SASL-IR\r\n${ok}`;
    case 'SELECT':
    case 'EXAMINE':
      return `* FLAGS (\\Seen)\r\n* 1 EXISTS\r\n* OK [UIDVALIDITY 1]\r\n* OK [UIDNEXT 2]\r\n${ok}`;
    case 'LIST':
      return `* LIST () "/" INBOX\r\n${ok}`;
    default:
      return ok;
  }
}
