import type { ByteSource } from './byte-source.ts';

/**
 * An SMTP server. `tls`: `implicit` from the first byte; `required`: STARTTLS or nothing; `offered`: STARTTLS where the
 * server offers it, and a password goes in the clear only to an address that is not public; `off`: never.
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

/** `address` is checked and in ASCII behind the @; `name` is "" where there is none. */
export type MailAddress = { name: string; address: string };

export type MailAttachment = { filename: string; contentType: string; content: Uint8Array | ByteSource };

export type Mail = {
  /** Without angle brackets. */
  messageId: string;
  /** Epoch ms. */
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

/** Addresses as the server took or refused them. */
export type SentMail = { accepted: string[]; rejected: string[] };
