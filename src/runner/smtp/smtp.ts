import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { SMTPSentMessageInfo, SMTPTransportAuthOptions } from 'nodemailer/lib/smtp-transport';
import type { Mail, MailAddress, MailServer, SentMail } from '../../contract/mail.ts';
import { limits } from '../../ports/limits.ts';
import { readSize } from '../http/form-body.ts';
import { isPublicAddress } from '../address-ranges.ts';
import { httpFailure } from '../http/http-failure.ts';
import { createSmtpFailure } from './smtp-failure.ts';

/** Timeouts without a reply: for the greeting, and later. The attempt has a separate timeout. */
const GREETING_TIMEOUT_MS = 15_000;
const REPLY_TIMEOUT_MS = 60_000;
/** Timeout for the TLS setup; the TCP connection is already open. */
const TLS_TIMEOUT_MS = 30_000;
const MAX_REPLY_BYTES = 64 * 1024;

/**
 * Sends one email over a connection opened by the egress client. Resolves if the server accepts at least one
 * recipient. Rejects with HttpFailure only.
 */
export async function sendMail(
  server: MailServer,
  mail: Mail,
  connect: (to: { host: string; port: number }) => Promise<Socket>,
): Promise<SentMail> {
  checkLimits(mail);
  // Loaded when the first email is sent.
  const { default: nodemailer } = await import('nodemailer');
  const socket = await connect(server);
  const requireTls = server.tls === 'required' || (server.tls === 'offered' && isExposed(server, socket));
  const transport = nodemailer.createTransport({
    host: server.host,
    port: server.port,
    connection: socket,
    secure: server.tls === 'implicit',
    requireTLS: requireTls,
    ignoreTLS: server.tls === 'off',
    // The name sent with HELO; the name of this machine is not disclosed.
    name: 'weft',
    ...(server.user === null ? {} : { auth: createAuth(server, server.user) }),
    connectionTimeout: TLS_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: REPLY_TIMEOUT_MS,
    maxResponseSize: MAX_REPLY_BYTES,
    tls: {
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ...(isIP(server.host) === 0 ? { servername: server.host } : {}),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const info: SMTPSentMessageInfo = await transport.sendMail(createMessage(mail));
    return { accepted: info.accepted.map(String), rejected: info.rejected.map(String) };
  } catch (error) {
    throw createSmtpFailure(`${server.host}:${server.port}`, error);
  } finally {
    transport.close();
    socket.destroy();
  }
}

function createAuth(server: MailServer, user: string): SMTPTransportAuthOptions {
  return server.token === undefined
    ? { user, pass: server.password ?? '' }
    : { type: 'OAuth2', user, accessToken: server.token };
}

/**
 * A password must not be sent in clear text over the Internet because an attacker removed STARTTLS from the
 * reply.
 */
function isExposed(server: MailServer, socket: Socket): boolean {
  return (
    (server.password !== null || server.token !== undefined) && isPublicAddress(socket.remoteAddress ?? '')
  );
}

function checkLimits(mail: Mail): void {
  const recipients = mail.to.length + mail.cc.length + mail.bcc.length;
  if (recipients > limits.mailRecipients)
    throw httpFailure(
      'limit',
      `An email may have at most ${limits.mailRecipients} recipients, not ${recipients}`,
      false,
    );
  if (mail.attachments.length > limits.mailAttachments)
    throw httpFailure('limit', `An email may have at most ${limits.mailAttachments} attachments`, false);
  const bytes =
    Buffer.byteLength(mail.text ?? '') +
    Buffer.byteLength(mail.html ?? '') +
    mail.attachments.reduce((sum, one) => sum + readSize(one.content), 0);
  if (bytes > limits.mailBytes)
    throw httpFailure(
      'limit',
      `An email may have at most ${limits.mailBytes} bytes with its attachments, not ${bytes}`,
      false,
    );
}

function createMessage(mail: Mail) {
  const list = (addresses: readonly MailAddress[]): MailAddress[] => addresses.map((one) => ({ ...one }));
  return {
    messageId: `<${mail.messageId}>`,
    date: new Date(mail.date),
    from: { ...mail.from },
    to: list(mail.to),
    cc: list(mail.cc),
    bcc: list(mail.bcc),
    replyTo: list(mail.replyTo),
    subject: mail.subject,
    ...(mail.html === null ? {} : { html: mail.html }),
    ...(mail.text === null && mail.html !== null ? {} : { text: mail.text ?? '' }),
    attachments: mail.attachments.map(({ filename, contentType, content }) => ({
      filename,
      contentType,
      content:
        content instanceof Uint8Array
          ? Buffer.from(content.buffer, content.byteOffset, content.byteLength)
          : Readable.from(content.read(), { objectMode: false }),
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
