import { Type } from 'typebox';
import type { Mailbox, MessageCriteria, MessageHead } from '../../contract/mail.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { NodeContext } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { DataError } from '../data/data-error.ts';
import { toOutcome } from '../data/time-slice.ts';
import { defineNode } from '../define-node.ts';
import { openMailbox, readCriteria } from '../mail/mailbox-fields.ts';
import type { MailboxConfig } from '../mail/mailbox-fields.ts';
import { readMessages } from '../mail/read-message.ts';
import { done } from '../outcome.ts';
import { closed } from '../schema.ts';
import { mailboxPollFields, mailboxSecrets } from './mailbox-config.ts';

/** Maximum number of messages that one poll lists. */
const MAX_LISTED = 2_000;
/** A read ends after the message with which it has taken this long (ms) or read this many characters. */
const MAX_READING_MS = 15_000;
const MAX_TEXTS_LENGTH = 8 * 1024 * 1024;
const DAY_MS = 86_400_000;

/**
 * The position of a trigger in its mailbox: all messages up to `uid` have been processed. `receivedAt` (epoch
 * ms) is the latest receipt of a message in the mailbox, null if it was always empty. Messages up to
 * `former.uid` count as new only if they were received after `former.receivedAt`: they existed when the
 * server assigned new UIDs.
 */
export type MailboxCursor = {
  validity: string;
  uid: number;
  receivedAt: number | null;
  former: { uid: number; receivedAt: number } | null;
};

/**
 * The requests of a poll. `list` returns the messages after the cursor, oldest first; `isFirst`: only the
 * cursor after the last message of the mailbox. `read` returns at least one of the messages, in their order;
 * null: it no longer exists. `finish` marks or moves messages.
 */
export type MailboxTask =
  | { kind: 'list'; cursor: MailboxCursor | null; isFirst: boolean }
  | { kind: 'read'; validity: string; uids: number[] }
  | { kind: 'finish'; validity: string; uids: number[] };

/** `start` and `end`: the cursors before and after the messages. */
export type MailboxList = {
  start: MailboxCursor;
  end: MailboxCursor;
  messages: { uid: number; receivedAt: number | null }[];
};
export type MailboxRead = (JsonObject | null)[];

const config = closed({ ...mailboxPollFields, task: Type.Unsafe<MailboxTask>({ type: 'object' }) });
type Config = MailboxConfig & { mark_seen?: boolean; move_to?: string; task: MailboxTask } & Parameters<
    typeof readCriteria
  >[0];

/**
 * A request of an email trigger. It is not listed in the catalog: the polling service runs it as a node, so
 * that the same secrets, egress policy and limits apply.
 */
export const pollMailbox = defineNode({
  type: 'poll_mailbox',
  version: '1.0.0',
  name: 'Poll',
  category: 'trigger',
  description: 'Reads the mailbox of an email trigger.',
  icon: 'inbox',
  config,
  templates: Object.fromEntries(
    ['host', 'tls', 'mailbox', 'connection', 'from', 'subject', 'since', 'move_to', 'task'].map((name) => [
      name,
      'literal' as const,
    ]),
  ),
  outputs: [{ name: 'out', type: 'any', description: 'A MailboxList, a MailboxRead or null' }],
  effects: 'external',
  secrets: mailboxSecrets,
  async run(ctx, given) {
    try {
      return done(await perform(ctx, given as unknown as Config));
    } catch (error) {
      if (error instanceof HttpFailure) return { kind: 'failed', error: error.failure };
      return toOutcome(error);
    }
  },
  examples: [],
});

async function perform(ctx: NodeContext, given: Config): Promise<Json> {
  const { task } = given;
  if (task.kind === 'list') {
    const criteria = readCriteria(given);
    return (await openMailbox(ctx, given, true, (mailbox) => list(mailbox, criteria, task))) as Json;
  }
  return openMailbox(ctx, given, task.kind === 'read', async (mailbox) => {
    if (mailbox.validity !== task.validity)
      throw new DataError('mailbox', 'was replaced by the server during the poll, which will be repeated');
    if (task.kind === 'read') return read(ctx, mailbox, task.uids);
    if (given.mark_seen === true) await mailbox.addFlags(task.uids, ['\\Seen']);
    if (given.move_to !== undefined) await mailbox.move(task.uids, given.move_to);
    return null;
  });
}

async function list(
  mailbox: Mailbox,
  criteria: MessageCriteria,
  { cursor, isFirst }: Extract<MailboxTask, { kind: 'list' }>,
): Promise<MailboxList> {
  const { validity } = mailbox;
  const latest = await mailbox.latest();
  // A message that arrives from now on is left to the next poll.
  const last = Math.max(mailbox.nextUid - 1, latest?.uid ?? 0);
  const receivedAt = findLater(cursor?.receivedAt ?? null, latest?.receivedAt ?? null);
  const end: MailboxCursor = { validity, uid: last, receivedAt, former: null };
  if (isFirst) return { start: end, end, messages: [] };
  const start = resume(cursor, validity, last);
  const found = await findNew(mailbox, criteria, start, last);
  const messages = found.slice(0, MAX_LISTED).map(({ uid, receivedAt: date }) => ({ uid, receivedAt: date }));
  return { start, end: found.length > MAX_LISTED ? moveCursor(start, messages) : end, messages };
}

/** The position at which the poll begins. New UIDs of all messages begin at 1 again. */
function resume(cursor: MailboxCursor | null, validity: string, last: number): MailboxCursor {
  if (cursor === null) return { validity, uid: 0, receivedAt: null, former: null };
  if (cursor.validity === validity) return cursor;
  const { receivedAt } = cursor;
  return { validity, uid: 0, receivedAt, former: receivedAt === null ? null : { uid: last, receivedAt } };
}

/** The cursor after the given messages, which follow it without a gap. */
export function moveCursor(
  start: MailboxCursor,
  messages: readonly { uid: number; receivedAt: number | null }[],
): MailboxCursor {
  const uid = messages.at(-1)?.uid ?? start.uid;
  const receivedAt = messages.reduce((latest, one) => findLater(latest, one.receivedAt), start.receivedAt);
  const { former } = start;
  return { ...start, uid, receivedAt, former: former === null || uid >= former.uid ? null : former };
}

async function findNew(
  mailbox: Mailbox,
  criteria: MessageCriteria,
  { uid, former }: MailboxCursor,
  last: number,
): Promise<MessageHead[]> {
  const from = uid + 1;
  if (former === null || from > former.uid) {
    const found = await mailbox.find(criteria, { from, to: last });
    return mailbox.fetchHeads(found.slice(0, MAX_LISTED + 1));
  }
  // A server compares days without regard to the time zone.
  const day = new Date(former.receivedAt - DAY_MS).toISOString().slice(0, 10);
  const since = criteria.since === undefined || criteria.since < day ? day : criteria.since;
  const old = await mailbox.find({ ...criteria, since }, { from, to: Math.min(former.uid, last) });
  const later = await mailbox.find(criteria, { from: former.uid + 1, to: last });
  const heads = await mailbox.fetchHeads([...old, ...later]);
  return heads.filter((head) => head.uid > former.uid || (head.receivedAt ?? 0) > former.receivedAt);
}

function findLater(a: number | null, b: number | null): number | null {
  return a === null || (b !== null && b > a) ? b : a;
}

async function read(ctx: NodeContext, mailbox: Mailbox, uids: readonly number[]): Promise<MailboxRead> {
  const heads = await mailbox.fetchHeads(uids);
  const messages = new Map<number, JsonObject | null>();
  const until = ctx.now() + MAX_READING_MS;
  let length = 0;
  while (messages.size < heads.length && length <= MAX_TEXTS_LENGTH && ctx.now() <= until) {
    const next = heads.slice(messages.size);
    for (const [i, message] of (await readMessages(ctx, mailbox, next)).entries()) {
      messages.set(next[i]!.uid, message);
      for (const text of [message?.['text'], message?.['html']])
        if (typeof text === 'string') length += text.length;
    }
  }
  // Messages without a head no longer exist.
  const end = heads.length === messages.size ? uids.length : uids.indexOf(heads[messages.size]!.uid);
  return uids.slice(0, end).map((uid) => messages.get(uid) ?? null);
}
