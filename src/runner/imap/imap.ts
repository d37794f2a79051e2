import type { Socket } from 'node:net';
import type { ImapFlow, SearchObject } from 'imapflow';
import type { ImapServer, Mailbox, MessageCriteria, MessageHead } from '../../contract/mail.ts';
import { limits } from '../../ports/limits.ts';
import { httpFailure } from '../http/http-failure.ts';
import { createImapFailure, isLost } from './imap-failure.ts';
import { createTransport } from './imap-transport.ts';

const TLS_TIMEOUT_MS = 30_000;
const GREETING_TIMEOUT_MS = 15_000;
const REPLY_TIMEOUT_MS = 60_000;
const LOGOUT_TIMEOUT_MS = 2_000;
/** Bytes of a response line, such as the UIDs that a search found. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_TOKENS = 200_000;
/** Messages of one command. */
const MAX_MESSAGES = 1_000;

const HEAD = { uid: true, size: true, internalDate: true, flags: true } as const;

/**
 * Opens a mailbox over a connection opened by the egress client, and closes it when `work` has ended.
 * `readOnly` leaves all flags as they are. Rejects with HttpFailure, or the error of `work`.
 */
export async function useMailbox<T>(
  server: ImapServer,
  path: string,
  readOnly: boolean,
  work: (mailbox: Mailbox) => Promise<T>,
  connect: (to: { host: string; port: number }) => Promise<Socket>,
): Promise<T> {
  const shown = `${server.host}:${server.port}`;
  // Loaded when the first mailbox is opened.
  const imapflow = await import('imapflow');
  const socket = await connect(server);
  const client = new imapflow.ImapFlow({
    host: server.host,
    port: server.port,
    secure: server.tls === 'implicit',
    doSTARTTLS: server.tls === 'starttls',
    transport: createTransport(socket, server.host),
    auth: {
      user: server.user,
      ...(server.token === undefined ? { pass: server.password ?? '' } : { accessToken: server.token }),
    },
    clientInfo: { name: 'Weft' },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: TLS_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: REPLY_TIMEOUT_MS,
    maxLineLength: MAX_LINE_BYTES,
    maxLiteralSize: limits.mailMessageBytes + MAX_LINE_BYTES,
    maxResponseSize: limits.mailMessageBytes + 2 * MAX_LINE_BYTES,
    maxResponseTokens: MAX_TOKENS,
  });
  /** Why the session ended; the interrupted command only reports that it did. */
  let cause: unknown;
  client.on('error', (error) => (cause ??= error));
  const command: RunCommand = async (run, missing) => {
    try {
      return await run();
    } catch (error) {
      throw createImapFailure(shown, isLost(error) ? (cause ?? error) : error, missing);
    }
  };
  try {
    const opened = await command(async () => {
      await client.connect();
      return client.mailboxOpen(path, { readOnly });
    });
    const { uidValidity, uidNext } = opened;
    // A server may leave out the next UID.
    const nextUid = Number.isInteger(uidNext) ? uidNext : 1;
    return await work(createMailbox(client, shown, command, String(uidValidity), nextUid));
  } finally {
    await end(client);
    socket.destroy();
  }
}

/** Ends the session, so that the server does not log a lost connection; waits a short time. */
async function end(client: ImapFlow): Promise<void> {
  if (client.usable) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, LOGOUT_TIMEOUT_MS)));
    await Promise.race([client.logout().catch(() => {}), late]);
    clearTimeout(timer);
  }
  client.close();
}

/** Runs a command and converts its error. `missing`: the field that names the mailbox. */
type RunCommand = <T>(run: () => Promise<T>, missing?: string) => Promise<T>;

function createMailbox(
  client: ImapFlow,
  server: string,
  command: RunCommand,
  validity: string,
  nextUid: number,
): Mailbox {
  /** The library reports some refused commands by this result. */
  const expect = <T>(result: T | false | undefined | null, what: string): T => {
    if (result === false || result === undefined || result === null)
      throw httpFailure(
        client.usable ? 'client_error' : 'network',
        client.usable ? `${server} could not ${what}` : `${server} closed the connection`,
        !client.usable,
      );
    return result;
  };

  async function heads(uids: readonly number[]): Promise<MessageHead[]> {
    const found: MessageHead[] = [];
    for (const part of split(uids))
      for (const message of await command(() => client.fetchAll(join(part), HEAD, { uid: true })))
        found.push(toHead(message));
    return found.toSorted((a, b) => a.uid - b.uid);
  }

  async function change(
    uids: readonly number[],
    what: string,
    run: (range: string) => Promise<unknown>,
  ): Promise<void> {
    for (const part of split(uids)) {
      const there = (await heads(part)).map(({ uid }) => uid);
      if (there.length > 0) expect(await command(() => run(join(there))), what);
    }
  }

  return {
    validity,
    nextUid,
    fetchHeads: heads,
    async find(criteria, range) {
      if (range !== undefined && range.from > range.to) return [];
      const query = toQuery(criteria, range);
      const found = expect(await command(() => client.search(query, { uid: true })), 'search the mailbox');
      // A range that ends above the last message includes it, even below its start.
      const isIn = (uid: number): boolean => range === undefined || (uid >= range.from && uid <= range.to);
      return found.filter(isIn).toSorted((a, b) => a - b);
    },
    async latest() {
      if (client.mailbox === false || client.mailbox.exists === 0) return null;
      const message = await command(() => client.fetchOne('*', HEAD));
      return message === false ? null : toHead(message);
    },
    async source(uid, maxBytes) {
      const message = await command(() =>
        client.fetchOne(String(uid), { uid: true, source: { maxLength: maxBytes } }, { uid: true }),
      );
      return message === false ? null : (message.source ?? null);
    },
    addFlags: (uids, flags) =>
      change(uids, 'set flags', (range) => client.messageFlagsAdd(range, [...flags], { uid: true })),
    removeFlags: (uids, flags) =>
      change(uids, 'remove flags', (range) => client.messageFlagsRemove(range, [...flags], { uid: true })),
    async move(uids, target) {
      // The library does not report why it cannot move messages.
      await command(() => client.status(target, { messages: true }), 'move_to');
      await change(uids, `move messages to ${target}`, (range) =>
        client.messageMove(range, target, { uid: true }),
      );
    },
  };
}

function* split(uids: readonly number[]): Generator<readonly number[], void> {
  for (let at = 0; at < uids.length; at += MAX_MESSAGES) yield uids.slice(at, at + MAX_MESSAGES);
}

const join = (uids: readonly number[]): string => uids.join(',');

function toHead(message: {
  uid: number;
  size?: number | undefined;
  internalDate?: Date | string | undefined;
  flags?: Set<string> | undefined;
}): MessageHead {
  const { uid, size = 0, internalDate, flags } = message;
  const time = internalDate === undefined ? Number.NaN : new Date(internalDate).getTime();
  return { uid, size, receivedAt: Number.isNaN(time) ? null : time, flags: listFlags(flags) };
}

function toQuery(criteria: MessageCriteria, range?: { from: number; to: number }): SearchObject {
  const { unseen, flagged, from, to, subject, text, messageId, since, before } = criteria;
  const query: SearchObject = {
    ...(unseen === undefined ? {} : { seen: !unseen }),
    ...(flagged === undefined ? {} : { flagged }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(subject === undefined ? {} : { subject }),
    ...(text === undefined ? {} : { text }),
    ...(messageId === undefined ? {} : { header: { 'message-id': messageId } }),
    ...(since === undefined ? {} : { since: new Date(since) }),
    ...(before === undefined ? {} : { before: new Date(before) }),
    ...(range === undefined ? {} : { uid: `${range.from}:${range.to}` }),
  };
  return Object.keys(query).length === 0 ? { all: true } : query;
}

/** Without \Recent, which depends on the session. */
function listFlags(flags: Set<string> = new Set()): string[] {
  return [...flags].filter((flag) => flag !== '\\Recent').toSorted();
}
