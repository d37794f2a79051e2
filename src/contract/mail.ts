import type { ByteSource } from './byte-source.ts';

/**
 * An SMTP server. `tls`: `implicit` uses TLS from the first byte; `required` requires STARTTLS; `offered`
 * uses STARTTLS where the server offers it, and sends a password unencrypted only to a private address; `off`
 * never uses TLS.
 */
export type MailServer = {
  host: string;
  port: number;
  tls: 'implicit' | 'required' | 'offered' | 'off';
  user: string | null;
  password: string | null;
  /** An OAuth token instead of a password (XOAUTH2). */
  token?: string;
};

/** `address` is validated, with an ASCII domain; `name` is "" when there is none. */
export type MailAddress = { name: string; address: string };

export type MailAttachment = { filename: string; contentType: string; content: Uint8Array | ByteSource };

export type Mail = {
  /** Without angle brackets. */
  messageId: string;
  /** Milliseconds since the epoch. */
  date: number;
  from: MailAddress;
  to: readonly MailAddress[];
  cc: readonly MailAddress[];
  bcc: readonly MailAddress[];
  replyTo: readonly MailAddress[];
  subject: string;
  text: string | null;
  html: string | null;
  attachments: readonly MailAttachment[];
};

/** Addresses that the server accepted or rejected. */
export type SentMail = { accepted: string[]; rejected: string[] };
