import type { FieldError } from '../../contract/errors.ts';
import type { Mailbox, MessageHead } from '../../contract/mail.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { NodeContext, Outcome } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { listNamedConnection } from '../connectors/credentials.ts';
import { DataError } from '../data/data-error.ts';
import { toOutcome } from '../data/time-slice.ts';
import { defineNode } from '../define-node.ts';
import { done } from '../outcome.ts';
import { DEFAULT_LIMIT, MAX_LIMIT, imapConfig } from './imap-config.ts';
import type { ImapConfig } from './imap-config.ts';
import { openMailbox, readCriteria, validateMailbox } from './mailbox-fields.ts';
import { readHeaders, readMessages } from './read-message.ts';
import { exampleMessage, exampleMessageHead } from './example-message.ts';

const TIMEOUT_MS = 300_000;
/** Bytes of a message that `get` reads; as `limits.mailMessage`. */
const MAX_MESSAGE_BYTES = 36 * 1024 * 1024;
/** Characters of the texts that one search may return. */
const MAX_TEXTS_LENGTH = 24 * 1024 * 1024;
/** A flag is an atom (RFC 9051), and a backslash before it marks a flag of the standard. */
const FLAG = /^\\?[A-Za-z0-9$_.:+/-]{1,100}$/;

export const imap = defineNode({
  type: 'imap',
  version: '1.0.0',
  name: 'Mailbox',
  category: 'connector',
  description:
    'Searches, reads, moves and flags the messages of a mailbox on an IMAP server. Attachments become files of the execution. Reading leaves a message unread. To start a workflow for each new message, use an email trigger. The trigger and this node use the same UIDs.',
  icon: 'inbox',
  keywords: [
    'imap',
    'mail search',
    'read email',
    'read mail',
    'email inbox',
    'search email',
    'move email',
    'gmail',
    'outlook',
    'attachment',
  ],
  config: imapConfig,
  templates: { operation: 'literal', tls: 'literal', connection: 'literal' },
  outputs: [
    {
      name: 'out',
      type: 'object',
      description: '{messages, total} of a search, the message, {moved} or {flagged}',
    },
  ],
  effects: 'external',
  secrets: { user: 'request', password: 'request' },
  connections: listNamedConnection,
  timeout: TIMEOUT_MS,
  check: (given) => [...validateMailbox(given), ...validateFlags(given)],
  async run(ctx, given) {
    try {
      return await perform(ctx, given as unknown as ImapConfig);
    } catch (error) {
      if (error instanceof HttpFailure) return { kind: 'failed', error: error.failure };
      return toOutcome(error);
    }
  },
  examples: [
    {
      title: 'Find the unread orders of a sender',
      config: {
        operation: 'search',
        host: 'imap.example.com',
        user: 'orders@example.com',
        password: '{{ secrets.MAIL_PASSWORD }}',
        unseen: true,
        from: 'ada@example.com',
        limit: 10,
      },
      input: {},
      outputs: { out: { messages: [exampleMessageHead], total: 1 } },
    },
    {
      title: 'Read a message with its attachments',
      config: {
        operation: 'get',
        host: 'imap.example.com',
        user: 'orders@example.com',
        password: '{{ secrets.MAIL_PASSWORD }}',
        uid: '{{ input.uid }}',
      },
      input: { uid: 17 },
      outputs: {
        out: exampleMessage,
      },
    },
    {
      title: 'Archive a message',
      config: {
        operation: 'move',
        host: 'imap.example.com',
        user: 'orders@example.com',
        connection: 'orders-mail',
        uids: '{{ input.uid }}',
        move_to: 'Archive',
      },
      input: { uid: 17 },
      outputs: { out: { moved: [17] } },
    },
    {
      title: 'Mark messages as read',
      config: {
        operation: 'flag',
        host: 'imap.example.com',
        user: 'orders@example.com',
        password: '{{ secrets.MAIL_PASSWORD }}',
        uids: '{{ input.uids }}',
        add: ['\\Seen'],
      },
      input: { uids: [17, 18] },
      outputs: { out: { flagged: [17, 18] } },
    },
  ],
});

function validateFlags({ operation, add, remove }: JsonObject): FieldError[] {
  if (operation !== 'flag') return [];
  if (add === undefined && remove === undefined)
    return [{ field: 'add', issue: 'is required unless remove is set' }];
  return [];
}

async function perform(ctx: NodeContext, given: ImapConfig): Promise<Outcome> {
  switch (given.operation) {
    case 'search':
      return done(await search(ctx, given));
    case 'get':
      return done(
        await openMailbox(ctx, given, true, async (mailbox) => {
          checkValidity(mailbox, given);
          return get(ctx, mailbox, given.uid ?? 0);
        }),
      );
    case 'move': {
      const chosen = readUids(given.uids);
      const target = given.move_to ?? '';
      const moved = await change(ctx, given, chosen, (mailbox, uids) => mailbox.move(uids, target));
      return done({ moved });
    }
    default: {
      const chosen = readUids(given.uids);
      const [add, remove] = [readFlags(given.add, 'add'), readFlags(given.remove, 'remove')];
      const flagged = await change(ctx, given, chosen, async (mailbox, uids) => {
        if (add.length > 0) await mailbox.addFlags(uids, add);
        if (remove.length > 0) await mailbox.removeFlags(uids, remove);
      });
      return done({ flagged });
    }
  }
}

async function search(ctx: NodeContext, given: ImapConfig): Promise<JsonObject> {
  const criteria = readCriteria(given);
  const limit = given.limit ?? DEFAULT_LIMIT;
  return openMailbox(ctx, given, true, async (mailbox) => {
    const found = await mailbox.find(criteria);
    const heads = await mailbox.fetchHeads(found.slice(-limit));
    const messages: Json[] = [];
    let length = 0;
    const load = given.content === true ? readMessages : readHeaders;
    for (let rest = heads.toReversed(); rest.length > 0;) {
      const read = await load(ctx, mailbox, rest);
      rest = rest.slice(read.length);
      for (const message of read) {
        if (message === null) continue;
        length += countTexts(message);
        messages.push(message);
      }
      if (length > MAX_TEXTS_LENGTH)
        throw new DataError(
          'limit',
          `must be lower: the texts of ${messages.length} messages have more than ${MAX_TEXTS_LENGTH} characters`,
          'limit',
        );
    }
    return { messages, total: found.length };
  });
}

function countTexts({ text, html }: JsonObject): number {
  return [text, html].reduce<number>((sum, one) => sum + (typeof one === 'string' ? one.length : 0), 0);
}

async function get(ctx: NodeContext, mailbox: Mailbox, uid: number): Promise<JsonObject> {
  const [head] = await mailbox.fetchHeads([uid]);
  if (head !== undefined && head.size > MAX_MESSAGE_BYTES)
    throw new DataError(
      'uid',
      `must be a message of at most ${MAX_MESSAGE_BYTES} bytes, not ${head.size}`,
      'limit',
    );
  const [message = null] = head === undefined ? [] : await readMessages(ctx, mailbox, [head]);
  if (message === null) throw new DataError('uid', `must be a message of the mailbox; ${uid} does not exist`);
  return message;
}

/** Changes the messages that exist. Returns their UIDs. */
async function change(
  ctx: NodeContext,
  given: ImapConfig,
  uids: readonly number[],
  apply: (mailbox: Mailbox, uids: number[]) => Promise<void>,
): Promise<number[]> {
  return openMailbox(ctx, given, false, async (mailbox) => {
    checkValidity(mailbox, given);
    const existing = (await mailbox.fetchHeads(uids)).map(({ uid }: MessageHead) => uid);
    if (existing.length > 0) await apply(mailbox, existing);
    return existing;
  });
}

/** @throws {DataError} */
function checkValidity({ validity }: Mailbox, { uid_validity: expected }: ImapConfig): void {
  if (expected !== undefined && expected !== validity)
    throw new DataError(
      'uid_validity',
      `must be ${validity}: the server has assigned new UIDs to all messages of the mailbox`,
    );
}

/** @throws {DataError} */
function readUids(value: number | number[] | undefined): number[] {
  const list = value === undefined ? [] : Array.isArray(value) ? value : [value];
  if (list.length > MAX_LIMIT) throw new DataError('uids', `must be at most ${MAX_LIMIT} UIDs`);
  const isUid = (uid: number): boolean => Number.isInteger(uid) && uid >= 1 && uid <= 0xffff_ffff;
  if (!list.every(isUid)) throw new DataError('uids', 'must be UIDs: whole numbers from 1');
  return [...new Set(list)];
}

/** @throws {DataError} */
function readFlags(list: readonly string[] | undefined, field: string): string[] {
  const wrong = list?.find((flag) => !FLAG.test(flag) || flag.toLowerCase() === '\\recent');
  if (wrong !== undefined)
    throw new DataError(field, `must be flags such as \\Seen or a keyword without spaces, not ${wrong}`);
  return [...(list ?? [])];
}
