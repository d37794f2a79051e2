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

/**
 * An IMAP server. TLS is always used and the certificate always checked: from the first byte (`implicit`), or
 * after STARTTLS. `token` is an OAuth token instead of a password (XOAUTH2).
 */
export type ImapServer = {
  host: string;
  port: number;
  tls: 'implicit' | 'starttls';
  user: string;
  password: string | null;
  token?: string;
};

/** All conditions must match. Dates are `YYYY-MM-DD`, compared with the receipt; `before` is exclusive. */
export type MessageCriteria = {
  unseen?: boolean;
  flagged?: boolean;
  from?: string;
  to?: string;
  subject?: string;
  text?: string;
  messageId?: string;
  since?: string;
  before?: string;
};

/** `receivedAt` in epoch ms, null when unknown; `size` in bytes. */
export type MessageHead = { uid: number; size: number; receivedAt: number | null; flags: string[] };

/**
 * An open mailbox. Messages are identified by UID. `validity` changes when the server has assigned all UIDs
 * anew; every new message gets a UID of at least `nextUid`. Methods throw HttpFailure.
 */
export type Mailbox = {
  readonly validity: string;
  readonly nextUid: number;
  /** UIDs in ascending order, between `from` and `to` (inclusive) if they are given. */
  find(criteria: MessageCriteria, range?: { from: number; to: number }): Promise<number[]>;
  /** In ascending order of UID, without messages that no longer exist. */
  fetchHeads(uids: readonly number[]): Promise<MessageHead[]>;
  /** The message with the highest UID; null when the mailbox is empty. */
  latest(): Promise<MessageHead | null>;
  /** The first `maxBytes` bytes of a message; null when it no longer exists. It stays unread. */
  source(uid: number, maxBytes: number): Promise<Uint8Array | null>;
  /** Flags as in IMAP, such as `\Seen`. Messages that no longer exist are skipped, here and in `move`. */
  addFlags(uids: readonly number[], flags: readonly string[]): Promise<void>;
  removeFlags(uids: readonly number[], flags: readonly string[]): Promise<void>;
  /** @throws {HttpFailure} with type `validation` when the mailbox `target` does not exist. */
  move(uids: readonly number[], target: string): Promise<void>;
};

/** How nodes send and read mail. */
export type MailAccess = {
  /**
   * Sends one mail to an SMTP server. @throws {HttpFailure} unless the server accepted it for at least one
   * recipient.
   */
  send(server: MailServer, mail: Mail): Promise<SentMail>;
  /**
   * Opens a mailbox on an IMAP server while `work` runs. `readOnly` leaves all flags as they are.
   * @throws {HttpFailure}
   */
  useMailbox<T>(
    server: ImapServer,
    path: string,
    readOnly: boolean,
    work: (mailbox: Mailbox) => Promise<T>,
  ): Promise<T>;
};
